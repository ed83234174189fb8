"""Envelope: the outermost dataset of a loader, which hands the moment on to the datasets inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch.utils.data import Dataset

from seedsafe.reading import Repeats, entered, moment_of

__all__ = ["Envelope"]


class Envelope(Dataset[Any]):
    """The outermost dataset of a loader: it takes the epoch off the index and puts it where the inner ones find it.

    `loader` adds one by itself. A DataLoader of your own, or of a trainer, with a KeyedSampler needs one where the
    AugmentedDataset is inside a wrapper that maps indices: ``DataLoader(Envelope(subset), sampler=keyed)``.

    Args:
        dataset: any map-style dataset that has an AugmentedDataset somewhere inside: a Subset, a StackDataset …

    Example:
        >>> import numpy as np
        >>> from torch.utils.data import DataLoader, Subset
        >>> import seedsafe as ss
        >>> from seedsafe_torch import AugmentedDataset, KeyedSampler
        >>> photos = AugmentedDataset(np.zeros((4, 8, 8), np.uint8), ss.RandomCrop(2), seed=42)
        >>> chosen = Envelope(Subset(photos, [1, 3]))
        >>> loading = DataLoader(chosen, batch_size=2, sampler=KeyedSampler(range(2), seed=42))
        >>> [tuple(batch.shape) for batch in loading]
        [(2, 2, 2)]
    """

    def __init__(self, dataset: Any) -> None:
        if not hasattr(dataset, "__getitem__"):
            raise TypeError(
                f"dataset must be a map-style dataset with __getitem__, got {type(dataset).__qualname__}"
            )
        self.dataset = dataset
        self._repeats = Repeats(dataset)

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int) -> Any:
        plain = int(index)
        with entered(moment_of(index), None, self._repeats, plain):
            return self.dataset[plain]

    def __getitems__(self, indices: Sequence[int]) -> list[Any]:
        return [self[index] for index in indices]
