"""A dataset whose samples say under which key they were made, for any trainer to train on."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader

from seedsafe_torch import AugmentedDataset, EpochOrder, KeyedSampler, loader

__all__ = [
    "BATCH",
    "COUNT",
    "SEED",
    "Batches",
    "dataset",
    "expected",
    "from_loader",
    "from_sampler",
    "record",
]

SEED, COUNT, BATCH = 42, 11, 3
"""Four batches an epoch, the last of two."""

Batches = list[list[list[int]]]
"""Of each batch, of each sample: index, epoch, occurrence."""


def record(sample: Any, *, key: Any) -> np.ndarray:
    """The augmentation: the sample becomes its key."""
    return np.array([key.index, key.epoch, key.occurrence])


def dataset() -> AugmentedDataset:
    return AugmentedDataset(np.zeros((COUNT, 1)), record, seed=SEED)


def from_loader(workers: int, **options: Any) -> Any:
    return loader(dataset(), **{"batch_size": BATCH, "shuffle": True, "num_workers": workers} | options)


def from_sampler(workers: int, **options: Any) -> DataLoader[Any]:
    keyed = KeyedSampler(EpochOrder(COUNT, seed=SEED), seed=SEED)
    return DataLoader(dataset(), batch_size=BATCH, sampler=keyed, num_workers=workers, **options)


def expected(epochs: int) -> Batches:
    """Return what a run over some epochs is, by the definition."""
    found: Batches = []
    for epoch in range(epochs):
        order = EpochOrder(COUNT, seed=SEED)
        order.set_epoch(epoch)
        indices = list(order)
        found += [
            [[index, epoch, 0] for index in indices[start : start + BATCH]]
            for start in range(0, COUNT, BATCH)
        ]
    return found


def listed(batch: torch.Tensor) -> list[list[int]]:
    rows: list[list[int]] = batch.tolist()
    return rows
