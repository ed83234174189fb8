"""The original post's three numbers as a Keras Sequence, apart so that torch's spawned workers import no Keras."""

from __future__ import annotations

import multiprocessing
import os
from typing import Any

import keras
import numpy as np


class ThreeNumbersSequence(keras.utils.PyDataset):
    """The same three numbers as a Keras Sequence."""

    def __init__(self, rng: Any, **options: Any) -> None:
        super().__init__(**options)
        self.rng = rng

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        _meet()
        source = np.random if self.rng is None else self.rng
        numbers = np.array([[source.random() for _ in range(3)] for _ in range(2)], np.float64)
        return numbers, numbers


KERAS_WORKERS = 4
_all_here = multiprocessing.Barrier(KERAS_WORKERS)
_met: set[int] = set()


def _meet() -> None:
    """Let no worker take a second batch before each has taken its first: on a busy machine one could take all."""
    if multiprocessing.parent_process() is not None and os.getpid() not in _met:
        _met.add(os.getpid())
        _all_here.wait(timeout=120)
