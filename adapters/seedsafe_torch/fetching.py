"""A DataLoader's fetch under way, for wrapped datasets."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import islice
from multiprocessing.reduction import ForkingPickler
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
from torch.utils.data import Subset, get_worker_info

from seedsafe import SampleIndex, SampleKey
from seedsafe.reading import KeyedReader, Repeats, current, entered
from seedsafe_torch import frames

__all__ = [
    "Fetch",
    "fetch_above",
    "first_asked",
    "restamped",
    "tell_worker",
    "through",
    "users",
]

_noted: Final[deque[SampleIndex]] = deque(maxlen=2**14)
"""The stamped indices that a worker got last: those of its batch."""
_repeats: WeakKeyDictionary[Any, Repeats] = WeakKeyDictionary()
_looked_at: WeakSet[Any] = WeakSet()
_last = threading.local()
"""Its `read` is the stamped index that this thread read last, and the context of that read."""


class Fetch(NamedTuple):
    """A call of a DataLoader's fetch: the indices asked for, the one being read, and the dataset."""

    asked: Any
    index: Any
    dataset: Any

    def stamp(self) -> SampleIndex | None:
        """Return an index with the epoch, occurrence and view of this read, or None if none is stamped.

        A wrapper that maps indices passes on plain integers. If torch reads sample by sample, the stamped index is known. A
        wrapper that reads whole batches, such as a Subset, may read in any order, so all stamps must be equal.

        Raises:
            RuntimeError: the stamps of the batch differ, as with a sampler that repeats indices.
        """
        if isinstance(self.index, SampleIndex):
            return self.index
        batch = self.asked if isinstance(self.asked, list | tuple) else (self.asked,)
        stamped = (index for index in batch if isinstance(index, SampleIndex))
        stamps = {(index.epoch, index.occurrence, index.view): index for index in stamped}
        if len(stamps) > 1:
            raise RuntimeError(
                f"{type(self.dataset).__qualname__} reads the dataset inside by plain indices, which lose the occurrences that "
                "the sampler gave them: make the DataLoader with seedsafe_torch.loader, or wrap the dataset in "
                "seedsafe_torch.Envelope"
            )
        return next(iter(stamps.values()), None)

    def enter(self, stamp: SampleIndex, reader: KeyedReader) -> entered:
        """Return the context of this read by the outermost dataset."""
        if not isinstance(self.index, SampleIndex):
            return entered(stamp)
        last: tuple[SampleIndex, entered] | None = getattr(_last, "read", None)
        if last is None or last[0] is not self.index:
            repeats = _repeats.get(self.dataset)
            if repeats is None:
                repeats = _repeats[self.dataset] = Repeats(self.dataset)
            last = _last.read = self.index, entered(stamp, repeats, int(self.index))
        return last[1]


def _noting(*fields: int) -> SampleIndex:
    index = SampleIndex(*fields)
    _noted.append(index)
    return index


ForkingPickler.register(
    SampleIndex, lambda index: (_noting, (int(index), index.epoch, index.occurrence, index.view))
)


def restamped(indices: Sequence[Any], inside: Any) -> Sequence[Any]:
    """Return a batch of indices with the stamps that a wrapper took off, or as they are if they have stamps or there are none.

    A Subset, or several, passes on the indices that it lists, which are compared with the batch. In a worker, the stamps are the latest to
    arrive. Once, the Subset is searched for an index that it lists twice.

    Raises:
        RuntimeError: another wrapper passes on a batch whose stamps differ; see `Fetch.stamp`.
    """
    if current() is not None or any(isinstance(index, SampleIndex) for index in indices):
        return indices
    info = get_worker_info()
    stamps: list[Any] = list(islice(reversed(_noted), len(indices)))[::-1]
    if info is None or not _lists(info.dataset, stamps, inside, indices):
        fetch = fetch_above()
        if fetch is None or isinstance(fetch.index, SampleIndex) or not isinstance(fetch.asked, list):
            return indices
        stamps = fetch.asked
        if not _lists(fetch.dataset, stamps, inside, indices):
            stamp = fetch.stamp()
            if stamp is None:
                return indices
            stamps = [stamp] * len(indices)
    pairs = zip(indices, stamps, strict=True)
    return [SampleIndex(index, stamp.epoch, stamp.occurrence, stamp.view) for index, stamp in pairs]


def _lists(dataset: Any, asked: list[Any], inside: Any, indices: Any) -> bool:
    """Return whether a Subset, or several, around a dataset lists some indices for those that are asked for, all of them stamped."""
    stamped = all(isinstance(index, SampleIndex) for index in asked)
    if type(dataset) is not Subset or not stamped:
        return False
    reached, listed = through(dataset, asked)
    if reached is not inside or listed != list(indices):
        return False
    reader = inside.reader
    if dataset not in _looked_at and (reader.augment or reader.bridged):
        _looked_at.add(dataset)
        every = np.asarray(through(dataset, range(len(dataset)))[1])
        order = np.argsort(every, kind="stable")
        for place in np.flatnonzero(np.diff(every[order]) == 0)[:1]:
            first, second = order[place : place + 2].tolist()
            key = SampleKey(reader.seed, asked[0].epoch, every[first])
            Repeats(dataset).warn_for_two(key, first, second)
    return True


def through(dataset: Any, positions: Iterable[int] = ()) -> tuple[Any, list[int]]:
    """Return the dataset inside wrappers of ours and Subsets, none of which keeps a sample, and its positions for some of theirs."""
    listed = list(map(int, positions))
    while type(dataset) is Subset or getattr(type(dataset), "passes_on", False):
        listed = [dataset.indices[index] for index in listed] if type(dataset) is Subset else listed
        dataset = dataset.dataset
    return dataset, listed


def first_asked() -> SampleIndex | None:
    """Return the first index of the batch under way, or None if no KeyedSampler stamped it."""
    fetch = fetch_above()
    asked = [] if fetch is None else fetch.asked
    first = asked[0] if isinstance(asked, list | tuple) and asked else asked
    return first if isinstance(first, SampleIndex) else None


def fetch_above() -> Fetch | None:
    """Return the DataLoader's fetch that this read or collate function is for, or None."""
    found = frames.fetch_under_way()
    return None if found is None else Fetch(*found[:2], users(found[2]))


def users(dataset: Any) -> Any:
    """Return the user's own dataset, in place of what a KeyedLoader has put around it to carry stamps and rows."""
    return getattr(dataset, "_users", dataset)


def tell_worker(**fields: Any) -> None:
    """Set fields of what ``get_worker_info()`` returns in this worker, which is frozen."""
    for name, value in fields.items():
        object.__setattr__(get_worker_info(), name, value)
