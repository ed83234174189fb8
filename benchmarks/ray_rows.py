"""seedsafe_ray.augment against Ray's own map.

The two take turns with the same function. Run it by hand, in the environment of `make test-scale`: .venvs/scale/bin/python -m
benchmarks.ray_rows
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

ROWS, ROUNDS = 4000, 6
BLOCKS = (200, 8)
"""The number of blocks that Ray chooses for these rows, and a number that keeps two processors busy."""

AUGMENT = ss.Compose([ss.RandomCrop(48), ss.HorizontalFlip(), ss.GaussianNoise(std=5)])


def plain(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"image": AUGMENT(row["image"], key=ss.SampleKey(42, 0, int(row["id"])))}


def seconds(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main() -> None:
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    images = np.random.Generator(np.random.Philox(3)).integers(0, 256, (ROWS, 64, 64, 3), np.uint8)
    items = [{"id": n, "image": images[n]} for n in range(ROWS)]
    print(
        f"Python {platform.python_version()}, Ray {ray.__version__}, {platform.processor() or platform.machine()}"
    )
    for blocks in BLOCKS:
        rows = ray.data.from_items(items, override_num_blocks=blocks).materialize()
        runs = {
            "seedsafe_ray": lambda rows=rows: augment(rows, AUGMENT, seed=42, epoch=0).materialize(),
            "Ray's map": lambda rows=rows: rows.map(plain).materialize(),
        }
        times: dict[str, list[float]] = {name: [] for name in runs}
        for turn in range(ROUNDS):
            for name in sorted(runs, reverse=bool(turn % 2)):
                times[name].append(seconds(runs[name]))
        ours, theirs = (min(times[name]) for name in runs)
        print(
            f"{blocks} blocks, rows a second: seedsafe_ray {ROWS / ours:.0f}, Ray's map {ROWS / theirs:.0f}"
        )
        print(f"ratio {theirs / ours:.2f} (goal 0.95)")


if __name__ == "__main__":
    main()
