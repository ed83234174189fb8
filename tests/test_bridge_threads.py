"""Bridges beside other threads: their draws do not enter a sample, or an error names them."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
from programs import python

import seedsafe as ss
from seedsafe.bridging import again
from seedsafe_torch import AugmentedDataset

COUNT = 40


class Drawing:
    """A base whose reads draw before and after they let another thread run, while `turns` lasts."""

    def __init__(self) -> None:
        self.reads = 0
        self.turns, self.rest = 0, 3
        self.begun, self.done = threading.Semaphore(0), threading.Semaphore(0)

    def __len__(self) -> int:
        return COUNT

    def draw(self) -> Any:
        return random.random(), np.random.rand(), float(torch.rand(()))

    def __getitem__(self, index: int) -> Any:
        self.reads += 1
        first = self.draw()
        if self.turns > 0 and self.reads % self.rest:
            self.turns -= 1
            self.begun.release()
            self.done.acquire()
        return np.array([index, *first, *self.draw()])


class Sharing(Drawing):
    """It draws from a generator that the other thread has too."""

    shared = np.random.default_rng(0)

    def draw(self) -> Any:
        return (self.shared.random(),)

    def train(self) -> None:
        self.reads += 1  # once more each time
        self.shared.random(self.reads)


class Training:
    """Draws once more each time."""

    def __init__(self) -> None:
        self.draws = 0

    def __call__(self) -> None:
        self.draws += 1
        for _ in range(self.draws):
            random.random()
            np.random.rand()
            torch.nn.functional.dropout(torch.ones(3))


@contextmanager
def another(base: Drawing, turns: int, action: Any) -> Iterator[None]:
    """Let another thread act in so many reads of a base."""
    stop = threading.Event()

    def run() -> None:
        while True:
            base.begun.acquire()
            if stop.is_set():
                return
            action()
            base.done.release()

    base.turns = turns
    thread = threading.Thread(target=run, name="training")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        base.begun.release()
        thread.join()


def samples(base: Drawing, options: Any) -> list[Any]:
    dataset = AugmentedDataset(base, seed=42, bridge=options)
    return [dataset.at(index, epoch=0).tolist() for index in range(COUNT)]


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize(
    ("kind", "action"),
    [(Drawing, Training()), (Drawing, np.random.seed), (Drawing, torch.seed), (Sharing, Sharing().train)],
    ids=["draws", "numpy", "torch", "stored"],
)
def test_the_draws_of_another_thread_do_not_enter(verify: bool, kind: Any, action: Any) -> None:
    options = ss.Bridge(verify=verify)
    alone, base = samples(kind(), options), kind()
    with another(base, 50, action):
        assert samples(base, options) == alone
    assert base.turns == 0


def test_a_thread_that_always_draws_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(again, "RUNS", 4)
    base = Drawing()
    base.rest = 10**6
    with (
        another(base, 10**6, Training()),
        pytest.raises(ss.NotReproducible, match=r"while another thread ran \(training\).*num_workers=2"),
    ):
        samples(base, True)


def test_draws_at_the_same_place_of_two_runs_do_not_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    alone, base = samples(Drawing(), True), Drawing()
    base.rest = 10**6
    monkeypatch.setattr(again.OtherThreads, "pause", lambda seconds: random.random())  # draws on meanwhile
    with another(base, 6, random.random):
        assert samples(base, True) == alone
    assert base.turns == 0


def test_a_run_waits_until_the_others_wait() -> None:
    done, busy = threading.Event(), True

    def work() -> None:
        while busy:
            pass
        done.wait()

    thread = threading.Thread(target=work)
    thread.start()
    again.OtherThreads.pause(0.01)
    busy = False
    again.OtherThreads.pause(1000)
    done.set()
    thread.join()


def test_a_thread_that_waits_costs_no_run() -> None:
    base, alone = Drawing(), Drawing()
    samples(alone, True)
    with another(base, 0, Training()):
        samples(base, True)
    assert base.reads == alone.reads


def test_a_read_that_draws_nothing_is_run_once() -> None:
    class Still(Drawing):
        def __getitem__(self, index: int) -> Any:
            self.reads += 1
            self.begun.release()
            self.done.acquire()
            return np.array([index])

    base = Still()
    with another(base, 0, lambda: None):
        samples(base, ss.Bridge(verify=False))
    assert base.reads == COUNT


def test_an_error_beside_other_threads_names_them() -> None:
    class Counts(Drawing):
        def __getitem__(self, index: int) -> Any:
            self.reads += 1
            return np.array([self.reads])

    base = Counts()
    with (
        another(base, 0, Training()),
        pytest.raises(ss.NotReproducible, match=r"another thread \(training\)"),
    ):
        samples(base, True)


def test_it_looks_at_threads_that_end_while_the_garbage_collector_runs() -> None:
    done = python(
        "-c",
        """
import gc, threading
from seedsafe.bridging.again import OtherThreads
from seedsafe_torch.frames import objects_in_threads

class Garbage:
    def __init__(self):
        self.itself = self

    def __del__(self):
        never.wait(1e-5)  # lets another thread run
        if not done.is_set():
            Garbage()  # for the next collection

def begin():
    while not done.is_set():
        threading.Thread(target=int).start()

done, never = threading.Event(), threading.Event()
beginning = [threading.Thread(target=begin) for _ in range(2)]
for thread in beginning:
    thread.start()
gc.set_threshold(1, 1, 1)
Garbage()
for _ in range(200):
    OtherThreads().awake()
    assert not list(objects_in_threads("nothing"))
done.set()
for thread in beginning:
    thread.join()
assert gc.isenabled()
gc.disable()
OtherThreads()
assert not gc.isenabled()
""",
    )
    assert done.returncode == 0, done.stderr
