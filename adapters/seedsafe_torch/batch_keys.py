"""A batch's keys, delivered with it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.utils.data import ConcatDataset, Subset

from seedsafe import SampleIndex, SampleKey
from seedsafe.reading import Skipped
from seedsafe_torch.dataset import AugmentedDataset, Envelope
from seedsafe_torch.faults import has_failed
from seedsafe_torch.fetching import fetch_above
from seedsafe_torch.key_tensor import key_tensor

__all__ = ["collate_with_keys", "key_of"]


def collate_with_keys(samples: Any, collate: Callable[[Any], Any], seed: int) -> Any:
    """Collate samples, and add their keys as the batch's last entry: int64, shape (N, 4); see `seedsafe_torch.draws`.

    Args:
        samples: the samples of a batch.
        collate: returns the batch, or the mark of a batch whose samples all failed.
        seed: the seed of keys that no dataset inside has.

    Raises:
        RuntimeError: the caller is not a DataLoader with a KeyedSampler.
        TypeError: the batch already has an entry "keys".
    """
    fetch = fetch_above()
    asked = [] if fetch is None else fetch.asked
    if fetch is None or not all(isinstance(index, SampleIndex) for index in asked):
        raise RuntimeError(
            "keys=True needs the indices of a KeyedSampler: make the DataLoader with seedsafe_torch.loader"
        )
    batch = collate(samples)
    if type(batch) is Skipped:
        return batch
    kept = [index for index, sample in zip(asked, samples, strict=True) if not has_failed(sample)]
    return _with_keys(batch, key_tensor([key_of(fetch.dataset, index, seed) for index in kept]))


def _with_keys(batch: Any, keys: Tensor) -> Any:
    """Return a batch with its keys as the last entry, which a dict has under "keys"."""
    if isinstance(batch, dict):
        if "keys" in batch:
            raise TypeError(
                'keys=True adds an entry "keys" to a batch that is a dict, which has one already: rename the samples\' entry'
            )
        return {**batch, "keys": keys}
    return [*batch, keys] if isinstance(batch, list | tuple) else [batch, keys]


def key_of(dataset: Any, at: SampleIndex, seed: int) -> SampleKey:
    """Return the key of a loader's sample: that of the AugmentedDataset which reads it, through Subset and ConcatDataset.

    Inside other wrappers, and without an AugmentedDataset, its index is the position in the loader's dataset.

    Example:
        >>> import numpy as np
        >>> photos = AugmentedDataset(np.zeros((8, 4, 4)), seed=42)
        >>> key_of(Subset(photos, [3, 5]), SampleIndex(1, epoch=2), 7)
        SampleKey(seed=42, epoch=2, index=5, occurrence=0, view=0)
        >>> key_of([0, 1], SampleIndex(1, epoch=2), 7)
        SampleKey(seed=7, epoch=2, index=1, occurrence=0, view=0)
    """
    position = int(at)
    while not isinstance(dataset, AugmentedDataset):
        kind = type(dataset)
        if kind is Subset:
            position, dataset = dataset.indices[position], dataset.dataset
        elif kind is ConcatDataset:
            number = bisect_right(dataset.cumulative_sizes, position)
            position -= dataset.cumulative_sizes[number - 1] if number else 0
            dataset = dataset.datasets[number]
        elif kind is Envelope:
            dataset = dataset.dataset
        else:
            return SampleKey(seed, at.epoch, int(at), occurrence=at.occurrence, view=at.view)
    epoch = at.epoch if dataset.epoch is None else dataset.epoch
    reader = dataset.reader
    return reader.key(SampleIndex(reader.position(position), epoch, at.occurrence, at.view))
