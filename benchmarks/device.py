"""The cost of a batch's numbers as tensors, on one core of the CPU.

Prints JSON: the microseconds of torch's own generator, of `seedsafe_torch.draws` plain and compiled, and of a loop.
"""

from __future__ import annotations

import json
from typing import Any

import torch

import seedsafe as ss
from benchmarks.timing import minima
from seedsafe_torch import draws
from seedsafe_torch.draws import key_tensor

__all__ = ["measure"]

COUNT = 256
SHAPES = ((8,), (3, 32, 32))


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


if __name__ == "__main__":
    print(json.dumps(measure()))
