"""Two samples of one pass that would have one key, by no sampler's doing: refused where torch's own wrappers tell of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from torch.utils.data import ConcatDataset, Subset

from seedsafe.reading import outermost, parts, walk
from seedsafe_torch.dataset import AugmentedDataset

__all__ = ["check_distinct"]


def check_distinct(dataset: Any) -> None:
    """Raise an error if one pass would read a key twice, by no sampler's doing."""
    for one in walk(dataset):
        _check_one(one)


def _check_one(dataset: Any) -> None:
    if isinstance(dataset, ConcatDataset):
        taken: list[tuple[int, Any]] = []
        for one, indices in (read for part in dataset.datasets for read in _keyed_on(part)):
            if any(seed == one.seed and _meet(indices, others) for seed, others in taken):
                raise ValueError(
                    f"concatenated datasets share the seed {one.seed} and indices, so their samples would "
                    "be augmented alike: pass index_offset=, the sum of the lengths before, or another seed"
                )
            taken.append((one.seed, indices))
    elif isinstance(dataset, Subset) and any(one.augment or one.bridged for one in outermost(dataset)):
        positions = np.asarray(dataset.indices)
        if len(np.unique(positions)) < len(positions):
            raise ValueError(
                "a Subset has an index more than once, and its samples would be augmented alike: leave the Subset out and "
                "pass its indices as sampler="
            )


def _keyed_on(part: Any, chosen: Any = None) -> Iterator[tuple[AugmentedDataset, Any]]:
    """Yield the outermost AugmentedDatasets of a dataset, each with the indices of the keys that are read of it."""
    if isinstance(part, AugmentedDataset):
        if part.ids is not None:
            yield part, part.ids if chosen is None else part.ids[chosen]
        elif chosen is None:
            yield part, range(part.index_offset, part.index_offset + len(part))
        else:
            yield part, chosen + part.index_offset
    elif isinstance(part, Subset):
        positions = np.asarray(part.indices)
        yield from _keyed_on(part.dataset, positions if chosen is None else positions[chosen])
    else:
        for one in parts(part):
            yield from _keyed_on(one)


def _meet(one: Any, other: Any) -> bool:
    """Return whether two ranges or arrays of indices have one in common."""
    if isinstance(one, range) and isinstance(other, range):
        return max(one.start, other.start) < min(one.stop, other.stop)
    if isinstance(one, range):
        one, other = other, one
    if isinstance(other, range):
        return bool(((one >= other.start) & (one < other.stop)).any())
    return bool(np.intersect1d(one, other, assume_unique=True).size)
