"""The guard acts in worker processes, once, with the one value that is safe there."""

import multiprocessing
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
import torch.utils.data
from programs import python

from seedsafe import opencv

ROOT = Path(__file__).parents[1]


def run_script(code, *arguments, timeout=120):
    """Run `code` as a script of its own, so that no test changes this process's OpenCV."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "adapters")])
    paths = {"PYTHONPATH": path, "KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3"}
    return python("-c", code, *arguments, env=os.environ | paths, timeout=timeout).stdout.strip()


HANG = """
import multiprocessing, sys
import cv2, numpy as np
import seedsafe.opencv

image = np.arange(512 * 512 * 3, dtype=np.uint32).astype(np.uint8).reshape(512, 512, 3)

def child(how, queue):
    if how == "one":
        cv2.setNumThreads(1)
    if how == "guard":
        seedsafe.opencv.guard()
    queue.put((cv2.getNumThreads(), int(cv2.GaussianBlur(image, (9, 9), 0).sum())))

cv2.setNumThreads(4)
expected = int(cv2.GaussianBlur(image, (9, 9), 0).sum())
cv2.warpAffine(np.zeros((2048, 2048, 3), np.uint8), np.eye(2, 3), (2048, 2048))  # starts the pool
context = multiprocessing.get_context("fork")
queue = context.Queue()
process = context.Process(target=child, args=(sys.argv[1], queue), daemon=True)
process.start()
process.join(float(sys.argv[2]))
if process.is_alive():
    process.kill()
    print("hangs")
elif process.exitcode:
    print("crashes", process.exitcode)
else:
    threads, total = queue.get()
    print(threads, total == expected)
"""


def test_one_thread_hangs_or_crashes_a_forked_child_and_the_guard_does_not():
    assert run_script(HANG, "one", "3") in {"hangs", "crashes -11"}
    assert run_script(HANG, "guard", "60") == "1 True"


def fake_worker(monkeypatch, *, daemon=True, parent=True):
    process = sys.modules["multiprocessing.process"]
    monkeypatch.setattr(process, "parent_process", lambda: object() if parent else None)
    monkeypatch.setattr(process, "current_process", lambda: type("P", (), {"daemon": daemon})())
    monkeypatch.setattr(opencv, "done", False)


@pytest.fixture
def calls(monkeypatch):
    seen = []
    monkeypatch.setattr(cv2, "setNumThreads", lambda n: seen.append(("threads", n)))
    monkeypatch.setattr(cv2.ocl, "setUseOpenCL", lambda use: seen.append(("opencl", use)))
    return seen


def test_only_zero_is_set_and_only_once(monkeypatch, calls):
    fake_worker(monkeypatch)
    for _ in range(3):
        opencv.guard()
    assert calls == [("threads", 0), ("opencl", False)]


@pytest.mark.parametrize("process", [{"daemon": False}, {"parent": False}])
def test_nothing_happens_outside_a_worker(monkeypatch, calls, process):
    fake_worker(monkeypatch, **process)
    opencv.guard()
    opencv.worker_init(3)
    assert calls == []


def test_it_waits_until_cv2_is_loaded(monkeypatch, calls):
    fake_worker(monkeypatch)
    with monkeypatch.context() as before:
        before.delitem(sys.modules, "cv2")
        opencv.guard()
        half = type(sys)("cv2")  # another thread imports it: its names come one after another
        before.setitem(sys.modules, "cv2", half)
        for owner, name, value in (
            (half, "getNumThreads", cv2.getNumThreads),
            (half, "setNumThreads", cv2.setNumThreads),
            (half, "ocl", type(sys)("cv2.ocl")),
        ):
            setattr(owner, name, value)
            opencv.guard()
            assert calls == []
    opencv.guard()
    assert calls == [("threads", 0), ("opencl", False)]


def test_a_fork_starts_anew(monkeypatch, calls):
    fake_worker(monkeypatch)
    opencv.guard()
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        calls.clear()
        opencv.guard()
        os.write(write, str(calls).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    assert os.read(read, 200).decode() == "[('threads', 0), ('opencl', False)]"
    os.close(read)
    os.close(write)


def test_import_and_calls_in_the_parent_load_and_change_nothing():
    code = """
import sys
import seedsafe.opencv
seedsafe.opencv.guard(); seedsafe.opencv.worker_init()
assert "cv2" not in sys.modules
import cv2
cv2.setNumThreads(3); cv2.ocl.setUseOpenCL(True)
before = cv2.getNumThreads(), cv2.ocl.useOpenCL()
seedsafe.opencv.guard(); seedsafe.opencv.worker_init()
print((cv2.getNumThreads(), cv2.ocl.useOpenCL()) == before, before[0])
"""
    assert run_script(code) == "True 3"


def photograph(index):
    rng = np.random.default_rng(index)
    return rng.integers(0, 256, (600, 600, 3), dtype=np.uint8)


class Blurred(torch.utils.data.Dataset):
    """Items of (threads, OpenCL in use, pixels) after OpenCV has worked on a large image."""

    def __init__(self, guarded):
        self.guarded = guarded

    def __len__(self):
        return 4

    def __getitem__(self, index):
        if self.guarded:
            opencv.guard()
        pixels = cv2.GaussianBlur(photograph(index), (7, 7), 0)
        return cv2.getNumThreads(), cv2.ocl.useOpenCL(), torch.from_numpy(pixels)


@pytest.fixture
def pool_of_three():
    """The parent's pool has three threads, whatever the machine, and has them after the test."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(3)
    yield
    cv2.setNumThreads(before)


@pytest.mark.usefixtures("pool_of_three")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_torch_workers_have_one_thread_and_the_same_pixels(method):
    expected = [Blurred(False)[index][2] for index in range(4)]
    for dataset, init in [(Blurred(True), None), (Blurred(False), opencv.worker_init)]:
        loader = torch.utils.data.DataLoader(
            dataset, batch_size=None, num_workers=1, multiprocessing_context=method, worker_init_fn=init
        )
        items = list(loader)
        assert [threads for threads, _, _ in items] == [1] * 4
        assert not any(opencl for _, opencl, _ in items)
        assert all(torch.equal(pixels, other) for (_, _, pixels), other in zip(items, expected, strict=True))
    assert cv2.getNumThreads() == 3


def threads_here(_):
    opencv.guard()
    return cv2.getNumThreads(), threading.get_ident()


@pytest.mark.usefixtures("pool_of_three")
def test_multiprocessing_pools_are_guarded_and_thread_pools_left_alone():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert {threads for threads, _ in pool.map(threads_here, range(4))} == {1}
    with ThreadPoolExecutor(4) as pool:
        assert {threads for threads, _ in pool.map(threads_here, range(8))} == {3}
    assert cv2.getNumThreads() == 3


KERAS = """
import cv2, keras, numpy as np
import seedsafe.opencv

class Threads(keras.utils.PyDataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        seedsafe.opencv.guard()
        return np.full((2, 1), cv2.getNumThreads(), np.float32)

if __name__ == "__main__":
    cv2.setNumThreads(3)
    model = keras.Sequential([keras.Input((1,)), keras.layers.Identity()])
    for processes in (True, False):
        data = Threads(workers=2, use_multiprocessing=processes)
        print(sorted(set(model.predict(data, verbose=0).ravel().tolist())), cv2.getNumThreads())
"""


def test_keras_processes_are_guarded_and_keras_threads_left_alone():
    assert run_script(KERAS).splitlines() == ["[1.0] 3", "[3.0] 3"]


def test_guarded_threads_of_a_worker_race_without_harm(monkeypatch, calls):
    fake_worker(monkeypatch)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: opencv.guard(), range(64)))
    assert set(calls) == {("threads", 0), ("opencl", False)}
