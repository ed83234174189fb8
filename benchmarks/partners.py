"""Mixing samples: against reading alone, and torchvision v2.

Prints JSON: the processor's microseconds for a sample of 224 by 224 pixels in RGB, the median of the rounds, because draws differ. All
contenders alternate. torchvision mixes a batch of 32 with itself, with one share for all, and reads no partner.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

import seedsafe as ss
from benchmarks.clips import torchvision
from benchmarks.timing import medians
from seedsafe.reading import KeyedReader

__all__ = ["measure"]

BATCH = 32
IMAGES = np.random.default_rng(0).integers(0, 256, (BATCH, 224, 224, 3), np.uint8)
OBJECT = np.zeros((224, 224), np.uint8)
OBJECT[60:160, 50:170] = 1


def ours() -> dict[str, Callable[[int], Any]]:
    """Return a function for each transform that reads a sample."""
    labelled = [(image, number % 10) for number, image in enumerate(IMAGES)]
    objects = [{"image": image, "masks": [OBJECT]} for image in IMAGES]
    cases = {
        "reading alone": (labelled, []),
        "MixUp": (labelled, [ss.MixUp(classes=10, p=1)]),
        "CutMix": (labelled, [ss.CutMix(classes=10, p=1)]),
        "Mosaic": (labelled, [ss.Mosaic(224, classes=10, p=1)]),
        "reading objects alone": (objects, []),
        "CopyPaste": (objects, [ss.CopyPaste(p=1)]),
    }

    def read(base: Any, members: list[Any]) -> Callable[[int], Any]:
        reader = KeyedReader(base, ss.Compose(members), seed=42)
        return lambda number: reader.sample(ss.SampleIndex(number % BATCH, epoch=number // BATCH))

    return {name: read(*case) for name, case in cases.items()}


def theirs() -> dict[str, Callable[[int], Any]]:
    """Return torchvision's calls on a batch, or none if it is not installed."""
    if (both := torchvision()) is None:
        return {}
    torch, v2 = both
    images = torch.from_numpy(IMAGES).permute(0, 3, 1, 2).contiguous().float()
    labels = torch.arange(BATCH) % 10
    chains = {"MixUp": v2.MixUp(num_classes=10), "CutMix": v2.CutMix(num_classes=10)}

    def call(chain: Any) -> Callable[[int], Any]:
        return lambda number: chain(images, labels)

    return {name: call(chain) for name, chain in chains.items()}


def measure(rounds: int = 200) -> dict[str, dict[str, float]]:
    """Return microseconds for a sample, by transform and contender."""
    reads, batches = ours(), theirs()
    calls = {f"{name}, of a batch": call for name, call in batches.items()} | reads
    times = medians(calls, rounds)
    rows = {name: {"seedsafe": round(times[name], 1)} for name in reads}
    for name in batches:
        rows[name]["torchvision v2, of a batch"] = round(times[f"{name}, of a batch"] / BATCH, 1)
    return rows


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
