"""A DataLoader's fetch under way, for wrapped datasets."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
from torch.utils.data import Subset

from seedsafe import SampleIndex, SampleKey
from seedsafe.reading import KeyedCollate, KeyedReader, Repeats, entered
from seedsafe_torch import frames

__all__ = ["Fetch", "collate_keyed", "fetch_above", "first_asked"]

_repeats: WeakKeyDictionary[Any, Repeats] = WeakKeyDictionary()
_looked_at: WeakSet[Any] = WeakSet()


class _Last(threading.local):
    read: tuple[SampleIndex, entered] | None = None


_last = _Last()


class Fetch(NamedTuple):
    """A call of a DataLoader's fetch: the indices asked for, the one being read, and the dataset."""

    asked: Any
    index: Any
    dataset: Any

    def stamp(self) -> SampleIndex | None:
        """Return an index with the epoch, occurrence and view of this read, or None if no index is stamped.

        A wrapper that maps indices passes on plain integers. If torch reads sample by sample, the stamped index is known. A
        wrapper that reads whole batches, such as a Subset, may read in any order, so all stamps must be equal.

        Raises:
            RuntimeError: the stamps of the batch differ, as with a sampler that repeats indices.
        """
        if isinstance(self.index, SampleIndex):
            return self.index
        batch = self.asked if isinstance(self.asked, list | tuple) else (self.asked,)
        stamps = {
            (index.epoch, index.occurrence, index.view): index
            for index in batch
            if isinstance(index, SampleIndex)
        }
        if len(stamps) > 1:
            raise RuntimeError(
                f"{type(self.dataset).__qualname__} reads the dataset inside by plain indices, which lose the occurrences that "
                "the sampler gave them: make the DataLoader with seedsafe_torch.loader, or wrap the dataset in "
                "seedsafe_torch.Envelope"
            )
        return next(iter(stamps.values()), None)

    def enter(self, stamp: SampleIndex, reader: KeyedReader) -> entered:
        """Return the context of this read by the outermost dataset.

        A Subset reads whole batches, so it is searched, once, for an index that it lists twice.
        """
        if not isinstance(self.index, SampleIndex):
            if type(self.dataset) is Subset and self.dataset not in _looked_at:
                _looked_at.add(self.dataset)
                twice = _listed_twice(self.dataset)
                if twice is not None and (reader.augment or reader.bridged):
                    index, first, second = twice
                    reader.repeats.warn_for_two(SampleKey(reader.seed, stamp.epoch, index), first, second)
            return entered(stamp)
        last = _last.read
        if last is None or last[0] is not self.index:
            repeats = _repeats.setdefault(self.dataset, Repeats(self.dataset))
            last = _last.read = self.index, entered(stamp, repeats, int(self.index))
        return last[1]


def _listed_twice(dataset: Any) -> tuple[int, int, int] | None:
    """Return an index that nested Subsets list twice, with its two positions, or None."""
    listed = np.asarray(dataset.indices)
    while type(dataset.dataset) is Subset:
        dataset = dataset.dataset
        listed = np.asarray(dataset.indices)[listed]
    order = np.argsort(listed, kind="stable")
    repeated = np.flatnonzero(np.diff(listed[order]) == 0)
    if not repeated.size:
        return None
    first, second = order[repeated[0] : repeated[0] + 2].tolist()
    return int(listed[first]), first, second


def collate_keyed(samples: Any, collate: KeyedCollate) -> Any:
    """Collate samples while generators follow the key of the first index asked for, if it is stamped."""
    first = first_asked()
    return collate.collate(samples) if first is None else collate(samples, first)


def first_asked() -> SampleIndex | None:
    """Return the first index of the batch under way, or None if no KeyedSampler stamped it."""
    fetch = fetch_above()
    asked = [] if fetch is None else fetch.asked
    first = asked[0] if isinstance(asked, list | tuple) and asked else asked
    return first if isinstance(first, SampleIndex) else None


def fetch_above() -> Fetch | None:
    """Return the DataLoader's fetch that this read or collate function is for, or None."""
    found = frames.fetch_under_way()
    return None if found is None else Fetch(*found)
