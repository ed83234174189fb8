"""Whose base this thread is reading, and at which moment: what is read inside finds it here, and reports its key.

A dataset that is read with a SampleIndex enters its moment here while it reads what is inside it, so that the key survives
a Subset or any other wrapper. The state belongs to the thread.
"""

from __future__ import annotations

from typing import NamedTuple

from seedsafe.keys.ambient import Read, state
from seedsafe.keys.key import Address, SampleIndex, SampleKey
from seedsafe.reading.repeats import Repeats, shared_seed

__all__ = ["Moment", "current", "entered", "moment_of", "moved"]


class Moment(NamedTuple):
    """The part of a key that is not the index."""

    epoch: int
    occurrence: int = 0
    view: int = 0


class entered(Read):  # noqa: N801  # used as a with statement, several times cheaper than contextlib's
    """One run of a base: make its moment, and its key, the current ones in this thread.

    Args:
        moment: of what is read.
        key: of the sample, which calls without a key take; None where they are refused.
        repeats: of the object that reads, which notices a key that is served twice; None for none.
        index: of the sample that is read.
        counts: False where what is read takes the place of another sample.

    Example:
        >>> with entered(Moment(epoch=3)):
        ...     current()
        Moment(epoch=3, occurrence=0, view=0)
    """

    __slots__ = ("_counts", "_index", "_repeats", "_served", "moment", "outer")

    def __init__(
        self,
        moment: Moment | None,
        key: SampleKey | None = None,
        repeats: Repeats | None = None,
        index: int = 0,
        counts: bool = True,
    ) -> None:
        self.key = key
        self.numbers = {}
        self.moment = moment
        self._repeats = repeats
        self._index = index
        self._counts = counts
        self._served: tuple[tuple[Repeats, tuple[int, ...]], ...] = ()

    def __enter__(self) -> None:
        self.outer = state.read
        state.read = self

    def __exit__(self, *error: object) -> None:
        state.read = self.outer

    def report(self, reader: Repeats, key: SampleKey, random: bool) -> None:
        """Note that a dataset inside serves a key, and warn if it has served it before.

        Args:
            reader: the dataset's.
            key: of the sample.
            random: whether the key decides anything; else it may be served as often as one likes.

        Raises:
            ValueError: a dataset that is reading has the same seed.
        """
        outermost: entered = self
        counts, seed = random, key.seed
        run: Read | None = self
        while isinstance(run, entered):
            if run._repeats is not None and run._repeats.seed == seed:
                raise shared_seed(seed)
            counts = counts and run._counts
            outermost, run = run, run.outer
        repeats = outermost._repeats
        if not counts or self._repeats is None or repeats is None:
            return
        place = (seed, key.epoch, key.index, key.occurrence, key.view)
        if (reader, place) in self._served:
            repeats.warn_within_one(key)
        self._served += ((reader, place),)
        before = repeats.served_for(place, outermost._index)
        if before is not None:
            repeats.warn_for_two(key, before, outermost._index)


def current() -> Moment | None:
    """Return this thread's moment, or None outside any."""
    read = state.read
    return read.moment if isinstance(read, entered) else None


def moment_of(index: int) -> Moment | None:
    """Return the moment that an index carries, else this thread's, else None."""
    if type(index) is SampleIndex or isinstance(index, SampleIndex):
        return Moment(index.epoch, index.occurrence, index.view)
    return current()


def moved(key: SampleKey, at: Address) -> SampleKey:
    """Return the key at an address: of another index where a bridge looks at what another sample draws."""
    if at.index == key.index:
        return key
    return SampleKey(key.seed, key.epoch, at.index, occurrence=key.occurrence, view=key.view)
