"""The one contract that every adapter passes.

An adapter's driver puts the same photographs through its framework's real loaders and says what came out. The
contract knows what has to come out, because a sample is a function of (seed, epoch, index), and compares content
and order. Global generators are in another state each time, and must be found in it afterwards.
"""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

import seedsafe as ss

SEED = 2**70 + 42
LENGTH = 23
EPOCHS = 3
# Importing scikit-image would take each spawned worker a second, so its photograph is read without it.
SKIMAGE = Path(str(importlib.util.find_spec("skimage").origin)).parent  # type: ignore[union-attr]
ASTRONAUT = cv2.imread(str(SKIMAGE / "data" / "astronaut.png"))[:, 100:140, ::-1]
IMAGES = np.stack([ASTRONAUT[16 * k : 16 * k + 40] for k in range(LENGTH)])
AUGMENT = ss.Compose([ss.RandomCrop(32), ss.HorizontalFlip(), ss.GaussianNoise(std=(0, 12))])


class Photographs:
    """The base dataset: (image, label), the label being the index."""

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        assert type(index) is int  # the base sees plain integers
        if not 0 <= index < LENGTH:
            raise IndexError(index)
        return IMAGES[index], index


@dataclass(frozen=True)
class Config:
    """One way to load."""

    workers: int = 0
    method: str = "fork"  # fork, spawn, forkserver, threads
    persistent: bool = False
    batch_size: int = 4
    shuffle: bool = True

    def __str__(self) -> str:
        order = "shuffled" if self.shuffle else "in order"
        kept = " persistent" if self.persistent else ""
        return f"{self.workers} {self.method}{kept}, batches of {self.batch_size}, {order}"


@dataclass(frozen=True)
class Seen:
    """What one pass gave: (index, digest) in order, from some position of the epoch on."""

    epoch: int
    items: list[tuple[int, bytes]]
    start: int = 0
    whole: bool = True


@dataclass(frozen=True)
class Global:
    """A global generator of the process, which an adapter must leave alone."""

    name: str
    seed: Callable[[int], object]
    state: Callable[[], bytes]


of_python = Global("random", random.seed, lambda: repr(random.getstate()).encode())
of_numpy = Global(
    "NumPy",
    np.random.seed,
    lambda: repr([np.asarray(part).tolist() for part in np.random.get_state()]).encode(),
)


class Driver(Protocol):
    """An adapter under test. Each method runs real loaders and returns what they gave."""

    generators: tuple[Global, ...]
    """The global generators of this process: Python's, NumPy's, the framework's."""

    def run(self, config: Config, epochs: int) -> list[Seen]:
        """Train for some epochs."""

    def scenarios(self) -> dict[str, object]:
        """Return further ways to run, by name: functions of a Config that return a list of Seen."""


def digest(image: np.ndarray) -> bytes:
    return hashlib.blake2b(np.ascontiguousarray(image).tobytes(), digest_size=8).digest()


def expected(epoch: int, shuffle: bool) -> list[tuple[int, bytes]]:
    """Return what an epoch is, by the definition."""
    order = ss.epoch_order(SEED, epoch, LENGTH).tolist() if shuffle else range(LENGTH)
    return [(i, digest(AUGMENT(IMAGES[i], key=ss.SampleKey(SEED, epoch, i)))) for i in order]


CUT = [ss.RandomCrop(32)]
PARTNERS = ss.Compose([*CUT, ss.CutMix(label=None), ss.HorizontalFlip(), ss.GaussianNoise(std=(0, 12))])


def expected_of_partners(epoch: int, shuffle: bool) -> list[tuple[int, bytes]]:
    """Return what an epoch of PARTNERS is, each sample put together of two photographs by hand."""
    before, after = ss.Compose(CUT), ss.Compose([ss.HorizontalFlip(), ss.GaussianNoise(std=(0, 12))])
    found = []
    for index, _ in expected(epoch, shuffle):
        key = ss.SampleKey(SEED, epoch, index)
        patch = PARTNERS.params(key, ss.Info((40, 40, 3), "uint8", length=LENGTH))[1].params
        top, bottom, left, right = patch.box
        (other,) = patch.partners
        mixed = before(IMAGES[index], key=key)
        others = before(IMAGES[other], key=ss.SampleKey(SEED, epoch, other))
        mixed[top:bottom, left:right] = others[top:bottom, left:right]
        found.append((index, digest(after(mixed, key=key))))
    return found


def compare(
    passes: list[Seen],
    shuffle: bool,
    expected: Callable[[int, bool], list[tuple[int, bytes]]] = expected,
) -> None:
    """Assert that passes gave what their epochs are."""
    assert passes
    for seen in passes:
        wanted = expected(seen.epoch, shuffle and seen.epoch != ss.VALIDATION_EPOCH)[seen.start :]
        if not seen.whole:
            assert seen.items
            wanted = wanted[: len(seen.items)]
        assert [i for i, _ in seen.items] == [i for i, _ in wanted], f"order in epoch {seen.epoch}"
        assert seen.items == wanted, f"content in epoch {seen.epoch}"


def check(
    driver: Driver,
    config: Config,
    *,
    states: int = 2,
    expected: Callable[[int, bool], list[tuple[int, bytes]]] = expected,
) -> None:
    """Assert the contract for one way to load, with the global generators in some different states."""
    for state in range(states):
        with untouched_globals(1000 * state + 7, driver.generators):
            passes = driver.run(config, EPOCHS)
        assert [seen.epoch for seen in passes] == list(range(EPOCHS))
        compare(passes, config.shuffle, expected)
    first, second = (sorted(seen.items) for seen in passes[:2])
    assert all(one != other for one, other in zip(first, second, strict=True)), "epochs repeat"


class untouched_globals:  # noqa: N801  # used as a with statement
    """Put the global generators into a state, and assert that they are in it afterwards."""

    def __init__(self, state: int, generators: tuple[Global, ...]) -> None:
        self._state = state
        self._generators = generators

    def __enter__(self) -> None:
        for one in self._generators:
            one.seed(self._state)
        self._before = [one.state() for one in self._generators]

    def __exit__(self, kind: object, *error: object) -> None:
        if kind is None:
            pairs = zip(self._generators, self._before, strict=True)
            changed = [one.name for one, before in pairs if one.state() != before]
            assert not changed, f"the global generators of {changed} were used"


def full_matrix() -> Iterator[Config]:
    """Yield every way to load: the full matrix, on demand."""
    for method, workers, batch_size, shuffle, persistent in itertools.product(
        ("fork", "spawn", "forkserver", "threads"), (0, 1, 2, 4), (1, 3, 8), (False, True), (False, True)
    ):
        if workers == 0 and (persistent or method not in ("fork", "threads")):
            continue
        if method == "threads" and persistent:
            continue
        yield Config(workers, method, persistent, batch_size, shuffle)


SUBSET = [
    Config(0),
    Config(0, batch_size=8, shuffle=False),
    Config(1),
    Config(2, batch_size=3),
    Config(2, persistent=True),
    Config(4, shuffle=False),
    Config(4, persistent=True, batch_size=1),
    Config(2, "spawn", persistent=True),
    Config(2, "forkserver", persistent=True, batch_size=8),
    Config(4, "threads"),
]
"""A telling subset for every run of the tests."""
