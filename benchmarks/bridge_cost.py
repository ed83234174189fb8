"""The cost of a bridge.

Prints JSON: microseconds for a sample, with bridges and the naive way. "In a worker" is measured in this process, by a patch that makes it count as a worker, where a
bridge restores nothing.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any
from unittest import mock

import numpy as np
import torch

import seedsafe as ss
from benchmarks.timing import minima
from seedsafe_torch import AugmentedDataset

__all__ = ["measure"]


class Numbers:
    """A dataset that costs nothing."""

    def __len__(self) -> int:
        return 2**20

    def __getitem__(self, index: int) -> int:
        return index


class Stored(Numbers):
    """A dataset that stores generators, of which each sample uses some."""

    def __init__(self, make: Callable[[int], Any], count: int, used: int) -> None:
        self.generators, self.used = [make(seed) for seed in range(count)], used

    def __getitem__(self, index: int) -> int:
        for generator in self.generators[: self.used]:
            torch.rand((), generator=generator) if isinstance(
                generator, torch.Generator
            ) else generator.random()
        return index


STORED: dict[str, Callable[[int], Any]] = {
    "RandomState": np.random.RandomState,
    "default_rng": np.random.default_rng,
    "random.Random": random.Random,
    "torch.Generator": lambda seed: torch.Generator().manual_seed(seed),
}
COUNTS = ((8, 0), (8, 2), (8, 8), (80, 0), (80, 2), (80, 80))


def reads_of_stored(indices: Iterator[int]) -> dict[str, Callable[[], Any]]:
    """Return reads of datasets that store generators: a kind, how many are stored, and how many a sample uses."""

    def read_of(make: Callable[[int], Any], stored: int, used: int) -> Callable[[], Any]:
        dataset = AugmentedDataset(Stored(make, stored, used), seed=42, bridge=ss.Bridge(verify=False))
        return lambda: dataset.at(5, epoch=next(indices) % 2**32)

    return {
        f"{stored} stored {kind}, {used} used": read_of(make, stored, used)
        for kind, make in STORED.items()
        for stored, used in COUNTS
    }


def naive(key: ss.SampleKey) -> None:
    """Save, seed and restore through the libraries' usual functions."""
    saved = random.getstate(), np.random.get_state(), torch.get_rng_state()
    seed = key.index
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    random.setstate(saved[0])
    np.random.set_state(saved[1])
    torch.set_rng_state(saved[2])


def measure(rounds: int = 60) -> dict[str, float]:
    """Return microseconds, measured interleaved in this process."""
    worker = [False]
    one = ss.SampleKey(42, 3, 1234)
    indices = count()
    image = np.zeros((8, 8, 3), np.uint8)
    bridged = ss.Compose([ss.bridge(np.negative, options=ss.Bridge(verify=False))])
    numbers = AugmentedDataset(Numbers(), seed=42)
    keyed_numbers = AugmentedDataset(Numbers(), seed=42, bridge=ss.Bridge(verify=False))

    def key() -> ss.SampleKey:
        return ss.SampleKey(42, 3, next(indices))

    def region() -> None:
        with ss.keyed(one):
            pass

    def as_worker() -> None:
        worker[0] = True
        with ss.keyed(one):
            pass
        worker[0] = False

    def answer() -> bool:
        return worker[0]

    calls: dict[str, Callable[[], Any]] = {
        "save, seed and restore naively": lambda: naive(one),
        "ss.keyed": region,
        "ss.keyed in a worker": as_worker,
        "an AugmentedDataset's read": lambda: numbers.at(5, epoch=next(indices) % 2**32),
        "an AugmentedDataset's read, bridge=True": lambda: keyed_numbers.at(5, epoch=next(indices) % 2**32),
        "a copy and np.negative": lambda: np.negative(image.copy()),
        "a Compose of ss.bridge(np.negative)": lambda: bridged(image, key=key()),
        **reads_of_stored(indices),
    }
    with mock.patch("seedsafe.bridging.region.is_worker", new=answer):
        return minima(calls, rounds)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
