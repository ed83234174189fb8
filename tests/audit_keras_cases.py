"""Keras Sequences for the audit, at module level so that spawned workers find them."""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np

import seedsafe as ss
from seedsafe_keras import AugmentedSequence

FRAMEWORK = os.environ.get("SEEDSAFE_TEST_FRAMEWORK", "keras")
IMAGES = np.random.default_rng(1).integers(0, 200, (48, 8, 8, 3), dtype=np.uint8)


class Noisy(importlib.import_module(f"{FRAMEWORK}.utils").Sequence):  # type: ignore[misc]
    """The post's Sequence: batches with noise from a stored generator, or from NumPy's global one."""

    def __init__(self, rng: Any) -> None:
        super().__init__()
        self.rng = rng

    def __len__(self) -> int:
        return 12

    def __getitem__(self, batch: int) -> Any:
        source = np.random if self.rng is None else self.rng
        images = IMAGES[4 * batch : 4 * batch + 4]
        return images + (source.random(images.shape) * 50).astype(np.uint8), np.arange(len(images))


def stored() -> Any:
    return Noisy(np.random.default_rng(0))


def globally() -> Any:
    return Noisy(None)


def keyed() -> Any:
    augment = ss.Compose([ss.RandomCrop(4)])
    return AugmentedSequence(IMAGES, augment, seed=1, batch_size=4, framework=FRAMEWORK)
