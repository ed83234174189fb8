"""Bases that Keras's workers can import, whichever way they are started."""

from __future__ import annotations

import importlib
import math
import os
from typing import Any

import numpy as np
from keras_data import pixels

FRAMEWORK = os.environ.get("SEEDSAFE_TEST_FRAMEWORK", "keras")
"""Which Keras this process tests; its workers inherit it."""

utils = importlib.import_module(f"{FRAMEWORK}.utils")


class Samples:
    """Pairs of an image and its own index."""

    def __init__(self, count: int) -> None:
        self.images = pixels(count)

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[np.ndarray, float]:
        return self.images[index], float(index)


class Batches(utils.Sequence):
    """Ready batches of the same pairs."""

    def __init__(self, count: int, batch_size: int) -> None:
        super().__init__()
        self.images = pixels(count)
        self.batch_size = batch_size

    def __len__(self) -> int:
        return math.ceil(len(self.images) / self.batch_size)

    def __getitem__(self, batch: int) -> tuple[np.ndarray, np.ndarray]:
        rows = slice(batch * self.batch_size, (batch + 1) * self.batch_size)
        images = self.images[rows]
        return images, np.arange(rows.start, rows.start + len(images), dtype=np.float32)


class Numbered(utils.Sequence):
    """A Sequence of its users' kind, without this library: each batch tells its number and an attribute."""

    def __init__(self, length: int | None, **options: Any) -> None:
        super().__init__(**options)
        self.length = length
        self.mark = -1
        self.log: list[str] = []

    def __len__(self) -> int:
        return self.length or 0

    @property
    def num_batches(self) -> int | None:
        return self.length

    def __getitem__(self, batch: int) -> tuple[np.ndarray, np.ndarray]:
        self.log.append(f"read {batch}")
        return np.full((1, 1), batch, np.float32), np.full((1, 1), self.mark, np.float32)

    def on_epoch_begin(self) -> None:
        self.log.append("dataset begin")

    def on_epoch_end(self) -> None:
        self.log.append("dataset end")


def base(kind: str, count: int, batch_size: int) -> Any:
    return Samples(count) if kind == "samples" else Batches(count, batch_size)
