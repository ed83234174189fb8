"""Refuses datasets that serve one key twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from torch.utils.data import ConcatDataset, Subset

from seedsafe.reading import outermost, parts, walk
from seedsafe_torch.dataset import AugmentedDataset

__all__ = ["check_distinct"]


def check_distinct(dataset: Any) -> None:
    """Raise a ValueError if torch's own wrappers would serve one key twice in a pass, whatever the sampler."""
    for inside in walk(dataset):
        _check_one(inside)


def _check_one(dataset: Any) -> None:
    if isinstance(dataset, ConcatDataset):
        before: list[tuple[int, Any]] = []
        for keyed, indices in (keys for part in dataset.datasets for keys in _key_indices(part)):
            if any(
                seed == keyed.seed and _overlap(indices, indices_before) for seed, indices_before in before
            ):
                raise ValueError(
                    f"concatenated datasets share the seed {keyed.seed} and indices, so their samples would "
                    "be augmented alike: pass index_offset=, the sum of the lengths before, or another seed"
                )
            before.append((keyed.seed, indices))
    elif isinstance(dataset, Subset) and any(keyed.augment or keyed.bridged for keyed in outermost(dataset)):
        positions = np.asarray(dataset.indices)
        if len(np.unique(positions)) < len(positions):
            raise ValueError(
                "a Subset has an index more than once, so its samples would be augmented alike: leave the Subset out and "
                "pass its indices as sampler="
            )


def _key_indices(part: Any, subset: Any = None) -> Iterator[tuple[AugmentedDataset, Any]]:
    """Yield the outermost AugmentedDatasets of a dataset, each with the indices of its keys that are read."""
    if isinstance(part, AugmentedDataset):
        if part.ids is not None:
            yield part, part.ids if subset is None else part.ids[subset]
        elif subset is None:
            yield part, range(part.index_offset, part.index_offset + len(part))
        else:
            yield part, subset + part.index_offset
    elif isinstance(part, Subset):
        positions = np.asarray(part.indices)
        yield from _key_indices(part.dataset, positions if subset is None else positions[subset])
    else:
        for inside in parts(part):
            yield from _key_indices(inside)


def _overlap(first: Any, second: Any) -> bool:
    """Return whether two ranges or arrays of indices have an index in common."""
    if isinstance(first, range) and isinstance(second, range):
        return max(first.start, second.start) < min(first.stop, second.stop)
    if isinstance(first, range):
        first, second = second, first
    if isinstance(second, range):
        return bool(((first >= second.start) & (first < second.stop)).any())
    return bool(np.intersect1d(first, second, assume_unique=True).size)
