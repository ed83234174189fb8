"""The cost of a key and of Compose.

Prints JSON: microseconds, for a key, a pipeline's bookkeeping and a small sample.
"""

from __future__ import annotations

import json
from itertools import count

import cv2
import numpy as np

import seedsafe as ss
from benchmarks.timing import minima
from seedsafe.keys.draws import PooledDraws
from seedsafe.keys.key import op_of

__all__ = ["measure"]

MANY = 16


def measure(rounds: int = 200) -> dict[str, float]:
    """Return microseconds, measured interleaved in this process."""
    cv2.setNumThreads(0)
    indices, draws, op = count(), PooledDraws(), op_of("RandomCrop")
    key = ss.SampleKey(42, 3, 1234)
    small = np.zeros((32, 32, 3), np.uint8)
    values = np.zeros((32, 32, 3), np.float32)
    crop_and_flip = ss.Compose([ss.RandomCrop(28), ss.HorizontalFlip(p=0.5)])
    one, many = (ss.Compose([ss.ToFloat()] * n) for n in (1, 1 + MANY))  # of float32, ToFloat does nothing
    coin, coins = (ss.Compose([ss.HorizontalFlip(p=0)] * n) for n in (1, 1 + MANY))

    def rekey_and_draw() -> None:
        draws.enter(key)
        draws.to_stream(op)
        draws.unit()
        draws.unit()
        draws.unit()

    times = minima(
        {
            "ss.generator(key)": lambda: ss.generator(key),
            "ss.generator(SampleKey(42, 3, i))": lambda: ss.generator(ss.SampleKey(42, 3, next(indices))),
            "default_rng((42, 3, i))": lambda: np.random.default_rng((42, 3, next(indices))),
            "SampleKey(42, 3, i)": lambda: ss.SampleKey(42, 3, next(indices)),
            "pooled re-key + 3 units": rekey_and_draw,
            "RandomCrop + HorizontalFlip, 32×32×3": lambda: crop_and_flip(
                small, key=ss.SampleKey(42, 3, next(indices))
            ),
            "one": lambda: one(values, key=key),
            "many": lambda: many(values, key=key),
            "coin": lambda: coin(small, key=key),
            "coins": lambda: coins(small, key=key),
        },
        rounds,
    )
    times["Compose, per transform that does nothing"] = (times.pop("many") - times.pop("one")) / MANY
    times["Compose, per transform that does not fire"] = (times.pop("coins") - times.pop("coin")) / MANY
    return times


if __name__ == "__main__":
    print(json.dumps(measure()))
