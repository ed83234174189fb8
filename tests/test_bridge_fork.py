"""Forks while another thread is inside a bridge: the child must neither hang nor inherit the other's numbers."""

from __future__ import annotations

import sys
import threading
from unittest.mock import Mock

import pytest
from programs import python

from seedsafe.bridging.again import put_back
from seedsafe.bridging.region import regions

HEAD = """
import os, random, signal, sys, threading
import numpy as np
import seedsafe as ss

def forked(run):
    child = os.fork()
    if not child:
        signal.alarm(20)  # ends a child that hangs
        code = 1
        try:
            code = 7 if run() else 3
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


def prints(text: str, code: str) -> None:
    done = python("-c", HEAD + code)
    assert done.stdout == text, done.stderr


DRAWING = (
    HEAD
    + """
LOADS_TORCH
stop = threading.Event()

def draw(index):
    with ss.keyed(ss.SampleKey(1, 0, index)):
        many = np.random.rand(10_000)
        return random.random(), many.sum(), MORE

def forever():
    index = 0
    while not stop.is_set():
        draw(index)
        index += 1

thread = threading.Thread(target=forever)
thread.start()
codes = {forked(lambda: draw(5) == draw(5) != draw(6) and np.random.rand() >= 0) for _ in range(60)}
stop.set()
thread.join()
print(codes)
"""
)


@pytest.mark.parametrize("torch", [False, True])
def test_sixty_forks_beside_a_thread_that_draws_all_the_time(torch: bool) -> None:
    code = DRAWING.replace("LOADS_TORCH", "import torch" if torch else "")
    done = python("-c", code.replace("MORE", "torch.rand(10_000).sum().item()" if torch else "0"))
    assert done.stdout == "{7}\n", done.stderr


def test_a_fork_does_not_wait_for_ever_for_a_thread_that_stays_inside() -> None:
    code = """
from seedsafe.bridging import region, sources, words
region.PATIENCE = 0.05
with ss.keyed(ss.SampleKey(1, 0, 0)):
    expected = random.random(), np.random.rand()
random.seed(1)
np.random.seed(1)
np.random.randn()
before = random.getstate(), repr(np.random.get_state())
held, done = threading.Event(), threading.Event()

def stay():
    with ss.keyed(ss.SampleKey(1, 0, 0)), words._idle.pop().bits.lock, np.random.get_bit_generator().lock:
        sources.the_numpy_global._bit_generator = sources._AnyState  # as in the midst of asking for a gaussian
        held.set()
        done.wait()

def inside():
    same = (random.getstate(), repr(np.random.get_state())) == before
    for _ in range(2):
        with ss.keyed(ss.SampleKey(1, 0, 0)):
            with ss.keyed(ss.SampleKey(1, 0, 1)):
                np.random.rand()
            same = same and (random.random(), np.random.rand()) == expected
    return same and (random.getstate(), repr(np.random.get_state())) == before

threading.Thread(target=stay, daemon=True).start()
held.wait()
print(forked(inside), flush=True)
os._exit(0)
"""
    prints("7\n", code)


def test_a_machine_that_stops_while_a_fork_waits_takes_one_wait_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lock = Mock(**{"_is_owned.return_value": False, "acquire.side_effect": [False, True]})
    monkeypatch.setattr(regions, "lock", lock)
    regions.before_fork()
    regions.after_fork_in_parent()
    lock.release.assert_called_once_with()


def test_a_thread_that_goes_in_for_the_first_time_after_a_fork_has_begun() -> None:
    code = """
entered = threading.Event()

def stay():
    with ss.keyed(ss.SampleKey(1, 0, 0)):
        entered.set()
        threading.Event().wait()

def begin():  # the bridge is not imported yet, so its own hook does not run before this fork
    assert "seedsafe.bridging.region" not in sys.modules
    threading.Thread(target=stay, daemon=True).start()
    entered.wait()

def inside():
    same = (random.getstate(), repr(np.random.get_state())) == before
    with ss.keyed(ss.SampleKey(1, 0, 0)):
        first = random.random()
    with ss.keyed(ss.SampleKey(1, 0, 1)):
        return same and random.random() != first

random.seed(1)
np.random.seed(1)
before = random.getstate(), repr(np.random.get_state())
os.register_at_fork(before=begin)
print(forked(inside), flush=True)
os._exit(0)
"""
    prints("7\n", code)


def test_a_fork_from_inside_goes_on_inside() -> None:
    code = """
with ss.keyed(ss.SampleKey(1, 0, 0)):
    outer = random.random()
    code = forked(lambda: ss.keyed(ss.SampleKey(1, 0, 0)).__enter__() is None and random.random() == outer)
    again = forked(lambda: random.random() != outer)
print(code, again, flush=True)
with ss.keyed(ss.SampleKey(1, 0, 0)):
    print(random.random() == outer)
"""
    prints("7 7\nTrue\n", code)


def test_forks_of_two_threads_and_a_name_that_is_imported_meanwhile() -> None:
    code = """
def forever():
    for index in range(20):
        forked(lambda: True)

def names():
    for name in ss.__all__:
        getattr(ss, name)

threads = [threading.Thread(target=task) for task in (forever, forever, names)]
for thread in threads:
    thread.start()
codes = {forked(lambda: ss.keyed(ss.SampleKey(1, 0, 0)).__enter__() is None) for _ in range(20)}
for thread in threads:
    thread.join()
print(codes)
"""
    prints("{7}\n", code)


@pytest.mark.parametrize("module", ["cv2", "stringzilla"])
def test_a_fork_while_another_thread_imports_at_its_first_image(module: str) -> None:
    code = """
import importlib.machinery
from seedsafe.functional.carrier import opencv
from seedsafe.functional.tables import _translate

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "MODULE":
            found = importlib.machinery.PathFinder.find_spec(name)
            execute = found.loader.exec_module
            found.loader.exec_module = lambda module: (inside.set(), forking.wait(), execute(module))
            return found

def used():
    return opencv() and _translate()

inside, forking = threading.Event(), threading.Event()
sys.meta_path.insert(0, Finder())
threading.Thread(target=used).start()
assert inside.wait(30)
os.register_at_fork(before=forking.set)
print(forked(used), flush=True)
os._exit(0)
"""
    prints("7\n", code.replace("MODULE", module))


@pytest.mark.parametrize("loads", ["opencv.load()", "opencv.guard()"])
def test_a_fork_waits_while_another_thread_finds_out_how_many_threads_opencv_may_use(loads: str) -> None:
    code = """
import cv2
from seedsafe import opencv
look = cv2.getNumThreads

def looked():
    inside.set()
    forking.wait()
    done.append(look())

inside, forking, done = threading.Event(), threading.Event(), []
cv2.getNumThreads = looked
threading.Thread(target=lambda: LOADS).start()
assert inside.wait(30)
os.register_at_fork(before=forking.set)
print(forked(lambda: done), flush=True)
os._exit(0)
"""
    prints("7\n", code.replace("LOADS", loads))


def test_a_read_imports_no_masked_arrays() -> None:
    code = (
        HEAD
        + """
from seedsafe.ring import rows
before = set(sys.modules)
print(rows.is_plain(np.zeros(3)), "numpy.ma" in set(sys.modules) - before, rows.is_plain(np.ma.zeros(3)))
"""
    )
    assert python("-c", code).stdout == "True False False\n"


def test_a_bridged_loader_with_forked_workers_beside_a_reading_thread() -> None:
    code = """
import sys, threading
sys.path.insert(0, "tests")
from test_bridge_torch import Mixed, passes
from seedsafe_torch import AugmentedDataset, loader

reading = AugmentedDataset(Mixed(), seed=7, bridge=True)
stop = threading.Event()

def read():
    index = 0
    while not stop.is_set():
        reading.at(index % 40, epoch=index // 40)
        index += 1

def batches(workers):
    dataset = AugmentedDataset(Mixed(), seed=42, bridge=True)
    way = {"multiprocessing_context": "fork"} if workers else {}
    return [batch.tolist() for batch in passes(loader(dataset, batch_size=8, num_workers=workers, timeout=60 * bool(workers), **way))]

expected = batches(0)
thread = threading.Thread(target=read)
thread.start()
try:
    print([batches(2) == expected for _ in range(4)])
finally:
    stop.set()
    thread.join()
"""
    done = python("-c", code)
    assert done.stdout == "[True, True, True, True]\n", done.stderr


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")


def test_a_fork_waits_for_generators_that_are_in_other_states_for_a_while() -> None:
    free: list[bool] = []

    def try_it() -> None:
        thread = threading.Thread(target=lambda: free.append(regions.setting.acquire(blocking=False)))
        thread.start()
        thread.join()

    regions.before_fork()
    try_it()
    regions.after_fork_in_parent()
    assert free == [False]
    with put_back([]) as can_set:
        assert can_set
        try_it()
    try_it()
    assert free == [False, False, True]
    regions.setting = threading.RLock()  # the thread that holds it is gone
