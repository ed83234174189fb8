"""The cost of a batch's numbers as tensors, and of a pipeline's tail, on one core of the CPU.

Prints JSON: the microseconds of torch's own generator, of `seedsafe_torch.draws` plain and compiled, and of a loop; and those of a batch
in `OnDevice`, in `Compose.batch`, and sample by sample. With the argument "tail" the latter alone.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import torch

import seedsafe as ss
from benchmarks.timing import minima
from seedsafe_torch import OnDevice, draws
from seedsafe_torch.key_tensor import key_tensor

__all__ = ["measure", "measure_tails"]

COUNT = 256
SHAPES = ((8,), (3, 32, 32))
BATCHES = ((256, 32), (32, 224))
"""Numbers of images, and their sides."""
TAILS = {
    "moves": [ss.HorizontalFlip(), ss.ToFloat(), ss.Normalize(0.5, 0.25), ss.RandomErasing(), ss.ToCHW()],
    "colours": [
        ss.HorizontalFlip(),
        ss.ToFloat(),
        ss.ColorJitter(0.4, 0.4, 0.4),
        ss.Normalize(0.5, 0.25),
        ss.ToCHW(),
    ],
    "noise": [ss.ToFloat(), ss.GaussianNoise(std=0.1), ss.ToCHW()],
}


def measure(rounds: int = 100) -> dict[str, dict[str, float]]:
    """Return the microseconds of each way to draw, by the shape of a sample's numbers."""
    torch.set_num_threads(1)
    return {str(shape): _of_shape(shape, rounds) for shape in SHAPES}


def _of_shape(shape: tuple[int, ...], rounds: int) -> dict[str, float]:
    keys = [ss.SampleKey(42, 3, index) for index in range(COUNT)]
    table = key_tensor(keys)

    def uniform(keys: Any) -> Any:
        return draws(keys, op="noise").uniform(0, 1, shape)

    def normal(keys: Any) -> Any:
        return draws(keys, op="noise").normal(shape)

    fast_uniform, fast_normal = torch.compile(uniform), torch.compile(normal)
    ways: dict[str, Any] = {
        "torch.rand": lambda: torch.rand(COUNT, *shape),
        "torch.randn": lambda: torch.randn(COUNT, *shape),
        "uniform": lambda: uniform(table),
        "uniform, compiled": lambda: fast_uniform(table),
        "normal": lambda: normal(table),
        "normal, compiled": lambda: fast_normal(table),
        "generators": lambda: [ss.generator(key).random(shape) for key in keys],
    }
    for way in ways.values():
        way()
    return minima(ways, rounds)


def measure_tails(rounds: int = 30) -> dict[str, dict[str, float]]:
    """Return the microseconds of each way to run a tail on a batch of bytes."""
    torch.set_num_threads(1)
    return {
        f"{name}, {count} of {side} x {side}": _of_tail(ss.Compose(tail), count, side, rounds)
        for name, tail in TAILS.items()
        for count, side in BATCHES
    }


def _of_tail(tail: ss.Compose, count: int, side: int, rounds: int) -> dict[str, float]:
    images = np.random.default_rng(0).integers(0, 256, (count, side, side, 3), np.uint8)
    keys = [ss.SampleKey(42, 3, index) for index in range(count)]
    module, batch, table = OnDevice(tail), torch.from_numpy(images), key_tensor(keys)
    ways: dict[str, Any] = {
        "OnDevice": lambda: module(batch, table),
        "Compose.batch": lambda: tail.batch(images, keys),
        "one by one": lambda: np.stack(
            [tail(image, key=key) for image, key in zip(images, keys, strict=True)]
        ),
    }
    for way in ways.values():
        way()
    return minima(ways, rounds)


if __name__ == "__main__":
    print(json.dumps(measure_tails() if "tail" in sys.argv[1:] else measure() | measure_tails()))
