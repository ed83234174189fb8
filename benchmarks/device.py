"""The cost of a batch's numbers as tensors, and of a pipeline's tail, on one core of the CPU or on another device.

Prints JSON: the microseconds of torch's own generator, of `seedsafe_torch.draws` plain and compiled, and of a loop; and those of a batch
in `OnDevice`, plain and compiled, in `Compose.batch`, and sample by sample. ``python -m benchmarks.device cuda`` measures on a GPU: each
call is waited for, and a batch begins in the CPU's memory and ends in the GPU's.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
import torch

import seedsafe as ss
from benchmarks.timing import minima
from seedsafe_torch import OnDevice, draws
from seedsafe_torch.key_tensor import key_tensor

__all__ = ["main", "measure", "measure_tails"]

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


def measure(device: str, rounds: int = 100) -> dict[str, dict[str, float]]:
    """Return the microseconds of each way to draw, by the shape of a sample's numbers."""
    return {str(shape): _of_shape(shape, device, rounds) for shape in SHAPES}


def _of_shape(shape: tuple[int, ...], device: str, rounds: int) -> dict[str, float]:
    keys = [ss.SampleKey(42, 3, index) for index in range(COUNT)]
    table = key_tensor(keys).to(device)

    def uniform(keys: Any) -> Any:
        return draws(keys, op="noise").uniform(0, 1, shape)

    def normal(keys: Any) -> Any:
        return draws(keys, op="noise").normal(shape)

    fast_uniform, fast_normal = torch.compile(uniform), torch.compile(normal)
    ways: dict[str, Any] = {
        "torch.rand": lambda: torch.rand(COUNT, *shape, device=device),
        "torch.randn": lambda: torch.randn(COUNT, *shape, device=device),
        "uniform": lambda: uniform(table),
        "uniform, compiled": lambda: fast_uniform(table),
        "normal": lambda: normal(table),
        "normal, compiled": lambda: fast_normal(table),
        "generators": lambda: [ss.generator(key).random(shape) for key in keys],
    }
    return _minima(ways, device, rounds)


def measure_tails(device: str, rounds: int = 30) -> dict[str, dict[str, float]]:
    """Return the microseconds of each way to run a tail on a batch of bytes."""
    return {
        f"{name}, {count} of {side} x {side}": _of_tail(ss.Compose(tail), count, side, device, rounds)
        for name, tail in TAILS.items()
        for count, side in BATCHES
    }


def _of_tail(tail: ss.Compose, count: int, side: int, device: str, rounds: int) -> dict[str, float]:
    images = np.random.default_rng(0).integers(0, 256, (count, side, side, 3), np.uint8)
    keys = [ss.SampleKey(42, 3, index) for index in range(count)]
    module, batch, table = OnDevice(tail), torch.from_numpy(images), key_tensor(keys)
    torch.compiler.reset()
    compiled = torch.compile(module)
    ways: dict[str, Any] = {
        "OnDevice": lambda: module(batch.to(device), table),
        "OnDevice, compiled": lambda: compiled(batch.to(device), table),
        "Compose.batch": lambda: torch.from_numpy(tail.batch(images, keys)).to(device),
        "one by one": lambda: torch.from_numpy(
            np.stack([tail(image, key=key) for image, key in zip(images, keys, strict=True)])
        ).to(device),
    }
    return _minima(ways, device, rounds)


def _minima(ways: dict[str, Any], device: str, rounds: int) -> dict[str, float]:
    """Return the microseconds of each way, until the device has done its work."""
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    return minima({name: lambda way=way: (way(), wait()) for name, way in ways.items()}, rounds)


def main() -> None:
    """Measure, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("device", nargs="?", default="cpu", help="a device of torch")
    parser.add_argument("--tails", action="store_true", help="measure tails alone")
    options = parser.parse_args()
    torch.set_num_threads(1)
    numbers = {} if options.tails else measure(options.device)
    print(json.dumps(numbers | measure_tails(options.device), indent=1))


if __name__ == "__main__":
    main()
