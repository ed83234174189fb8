"""Transforms that mix samples of a dataset, 224 by 224 pixels in RGB: against reading alone, and torchvision's of whole batches. Prints JSON.

Microseconds of the processor for a sample: the median of the rounds, in which all contenders alternate, since draws differ. torchvision
mixes a batch of 32 with itself: one share for all, and no partner is read.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

import seedsafe as ss
from seedsafe.reading import KeyedReader

__all__ = ["measure"]

BATCH = 32
IMAGES = np.random.default_rng(0).integers(0, 256, (BATCH, 224, 224, 3), np.uint8)
OBJECT = np.zeros((224, 224), np.uint8)
OBJECT[60:160, 50:170] = 1


def ours() -> dict[str, Callable[[int], Any]]:
    """Return what reads a sample, by the transform."""
    labelled = [(image, number % 10) for number, image in enumerate(IMAGES)]
    objects = [{"image": image, "masks": [OBJECT]} for image in IMAGES]
    made = {
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

    return {name: read(*one) for name, one in made.items()}


def theirs() -> dict[str, Callable[[int], Any]]:
    """Return torchvision's, on a batch; nothing where it is not installed."""
    try:
        torch: Any = import_module("torch")
        v2: Any = import_module("benchmarks.peers.torchvision").v2
    except ImportError:
        return {}
    torch.set_num_threads(1)
    images = torch.from_numpy(IMAGES).permute(0, 3, 1, 2).contiguous().float()
    labels = torch.arange(BATCH) % 10
    chains = {"MixUp": v2.MixUp(num_classes=10), "CutMix": v2.CutMix(num_classes=10)}

    def call(chain: Any) -> Callable[[int], Any]:
        return lambda number: chain(images, labels)

    return {name: call(chain) for name, chain in chains.items()}


def measure(rounds: int = 200) -> dict[str, dict[str, float]]:
    """Return microseconds for a sample, by transform and contender."""
    contenders = {(name, "seedsafe"): (call, 1) for name, call in ours().items()}
    contenders |= {(name, "torchvision v2, of a batch"): (call, BATCH) for name, call in theirs().items()}
    spent: dict[tuple[str, str], list[float]] = {which: [] for which in contenders}
    for number in range(rounds):
        for which, (call, samples) in contenders.items():
            start = time.process_time()
            call(number)
            spent[which].append((time.process_time() - start) * 1e6 / samples)
    found: dict[str, dict[str, float]] = {}
    for (name, whose), times in spent.items():
        found.setdefault(name, {})[whose] = round(float(np.median(times)), 1)
    return found


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
