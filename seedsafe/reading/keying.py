"""Step one of a read: the sample's key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from seedsafe.ground.info import Array
from seedsafe.keys.key import SampleIndex, SampleKey

__all__ = ["ById", "ByPosition", "Keying", "NoKeyYet", "OfViews"]


class Keying(Protocol):
    """Gives samples their keys."""

    def key(self, at: SampleIndex) -> SampleKey | None:
        """Return the key of a sample, or None if it is made only when the base asks for it."""
        ...


class ByPosition:
    """Keys whose index is the position in the dataset.

    Args:
        seed: the seed of the run.
        offset: a number to add to the position.

    Example:
        >>> ByPosition(42, 1000).key(SampleIndex(7, epoch=3))
        SampleKey(seed=42, epoch=3, index=1007, occurrence=0, view=0)
    """

    def __init__(self, seed: int, offset: int) -> None:
        self.seed, self._offset = seed, offset

    def key(self, at: SampleIndex) -> SampleKey:
        """Return the key of a sample."""
        return SampleKey(self.seed, at.epoch, int(at) + self._offset, occurrence=at.occurrence, view=at.view)

    def indices(self, ats: Sequence[SampleIndex]) -> list[int]:
        """Return the indices in the keys of several samples."""
        return [int(at) + self._offset for at in ats]


class ById:
    """Keys whose index is the sample's id, instead of its position.

    Example:
        >>> import numpy as np
        >>> ById(42, np.array([5, 99])).key(SampleIndex(1, epoch=3))
        SampleKey(seed=42, epoch=3, index=99, occurrence=0, view=0)
    """

    def __init__(self, seed: int, ids: Array) -> None:
        self.seed, self._ids = seed, ids

    def key(self, at: SampleIndex) -> SampleKey:
        """Return the key of a sample."""
        index = self._ids.item(int(at))
        return SampleKey(self.seed, at.epoch, index, occurrence=at.occurrence, view=at.view)

    def indices(self, ats: Sequence[SampleIndex]) -> list[int]:
        """Return the indices in the keys of several samples."""
        return [self._ids.item(int(at)) for at in ats]


class OfViews:
    """Keys of datasets with views: each view of a sample has one, and the sample has that of its first view.

    Example:
        >>> keying = OfViews(ByPosition(42, 0), 2)
        >>> [key.view for key in keying.of_views(keying.key(SampleIndex(7, epoch=3, view=5)))]
        [10, 11]
    """

    def __init__(self, keying: ByPosition | ById, views: int) -> None:
        self._keying, self.count = keying, views

    def key(self, at: SampleIndex) -> SampleKey:
        """Return the key of the first view."""
        if at.view:
            at = SampleIndex(int(at), at.epoch, at.occurrence, at.view * self.count)
        return self._keying.key(at)

    def of_views(self, first: SampleKey) -> list[SampleKey]:
        """Return the keys of all views, from that of the first."""
        seed, epoch, index, occurrence = first.seed, first.epoch, first.index, first.occurrence
        views = range(first.view + 1, first.view + self.count)
        others = [SampleKey(seed, epoch, index, occurrence=occurrence, view=view) for view in views]
        return [first, *others]


class NoKeyYet:
    """No key yet: nothing needs one, unless the base asks for it while it is read."""

    def key(self, at: SampleIndex) -> None:
        """Return None."""
