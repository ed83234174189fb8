"""Rows a second of Ray Data: seedsafe_ray.augment beside Ray's own map with the same function, in turn.

By hand, in the environment of `make test-scale`: .venvs/scale/bin/python -m benchmarks.ray_rows
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import ray

import seedsafe as ss
from seedsafe_ray import augment

ROWS, ROUNDS = 4000, 4
AUGMENT = ss.Compose([ss.RandomCrop(48), ss.HorizontalFlip(), ss.GaussianNoise(std=5)])


def plain(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"image": AUGMENT(row["image"], key=ss.SampleKey(42, 0, int(row["id"])))}


def seconds(run: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def main() -> None:
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    images = np.random.Generator(np.random.Philox(3)).integers(0, 256, (ROWS, 64, 64, 3), np.uint8)
    rows = ray.data.from_items([{"id": n, "image": images[n]} for n in range(ROWS)]).materialize()
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(seconds(lambda: augment(rows, AUGMENT, seed=42, epoch=0).materialize()))
        theirs.append(seconds(lambda: rows.map(plain).materialize()))
    print(
        f"Python {platform.python_version()}, Ray {ray.__version__}, {platform.processor() or platform.machine()}"
    )
    print(f"rows a second: seedsafe_ray {ROWS / min(ours):.0f}, Ray's map {ROWS / min(theirs):.0f}")
    print(f"ratio {min(theirs) / min(ours):.2f} (goal 0.95)")


if __name__ == "__main__":
    main()
