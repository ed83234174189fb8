"""The cost of AugmentedDataset's checks.

Prints JSON: reads with the checks of each sample, and the same reads without.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import seedsafe as ss
from benchmarks.timing import minima
from seedsafe import opencv
from seedsafe.reading import augment_sample, entered
from seedsafe_torch import AugmentedDataset

__all__ = ["measure"]


class Unchecked(AugmentedDataset):
    """An AugmentedDataset without checks of errors and None."""

    def __getitem__(self, index: Any) -> Any:
        reader, position = self.reader, int(index)
        opencv.guard()
        key = ss.SampleKey(
            reader.seed,
            index.epoch,
            position + reader.index_offset,
            occurrence=index.occurrence,
            view=index.view,
        )
        with entered(index, key=key):
            sample = reader.base[position]
        if reader.augment is None:
            return sample
        return augment_sample(reader.augment, sample, key, reader.targets)


def measure(rounds: int = 300) -> dict[str, float]:
    """Return the microseconds of a read: a tuple of an image of 32 pixels and a label, and a crop."""
    images = np.random.default_rng(0).random((64, 32, 32, 3), np.float32)
    base = [(image, 3) for image in images]
    augment = ss.Compose([ss.RandomCrop(24)])
    index = ss.SampleIndex(7, epoch=3)
    ways: dict[str, AugmentedDataset] = {
        "unchecked": Unchecked(base, augment, seed=42),
        "checked": AugmentedDataset(base, augment, seed=42),
        'on_error="replace"': AugmentedDataset(base, augment, seed=42, on_error="replace"),
        "ids": AugmentedDataset(base, augment, seed=42, ids=range(64)),
        "check_finite=True": AugmentedDataset(base, augment, seed=42, check_finite=True),
    }
    times = minima({name: lambda way=way: way[index] for name, way in ways.items()}, rounds)
    return times | {"checks": times["checked"] - times["unchecked"]}


if __name__ == "__main__":
    print(json.dumps(measure()))
