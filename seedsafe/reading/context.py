"""Whose base this thread is reading, and at which moment: what is read inside finds it here, and reports its key.

A dataset that is read with a SampleIndex enters its moment here while it reads what is inside it, so that the key survives
a Subset or any other wrapper. The state belongs to the thread.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

from seedsafe.key import SampleIndex, SampleKey
from seedsafe.reading.repeats import Repeats, shared_seed

__all__ = ["Moment", "current", "entered", "moment_of", "run_under_way"]


class Moment(NamedTuple):
    """The part of a key that is not the index."""

    epoch: int
    occurrence: int = 0
    view: int = 0


class _State(threading.local):
    run: entered | None = None


_state = _State()


class entered:  # noqa: N801  # used as a with statement, several times cheaper than contextlib's
    """One run of a base: make its moment the current one in this thread.

    Args:
        moment: of what is read.
        repeats: of the object that reads, which notices a key that is served twice; None for none.
        index: of the sample that is read.
        counts: False where what is read takes the place of another sample.

    Example:
        >>> with entered(Moment(epoch=3)):
        ...     current()
        Moment(epoch=3, occurrence=0, view=0)
    """

    __slots__ = ("_counts", "_index", "_outer", "_repeats", "_served", "moment")

    def __init__(
        self, moment: Moment | None, repeats: Repeats | None = None, index: int = 0, counts: bool = True
    ) -> None:
        self.moment = moment
        self._repeats = repeats
        self._index = index
        self._counts = counts
        self._served: set[tuple[int, ...]] | None = None

    def __enter__(self) -> None:
        self._outer = _state.run
        _state.run = self

    def __exit__(self, *error: object) -> None:
        _state.run = self._outer

    def report(self, reader: Repeats, key: SampleKey, random: bool) -> None:
        """Note that a dataset inside serves a key, and warn if it has served it before.

        Args:
            reader: the dataset's.
            key: of the sample.
            random: whether the key decides anything; else it may be served as often as one likes.

        Raises:
            ValueError: a dataset that is reading has the same seed.
        """
        outermost = self
        counts = self._counts
        run: entered | None = self
        while run is not None:
            if run._repeats is not None and run._repeats.seed == key.seed:
                raise shared_seed(key.seed)
            counts = counts and run._counts
            outermost, run = run, run._outer
        if not (counts and random) or self._repeats is None or outermost._repeats is None:
            return
        place = (id(reader), key.epoch, key.index, key.occurrence, key.view)
        served = self._served = self._served or set()
        if place in served:
            reader.warn_within_one(key, self._repeats.wrapper)
        served.add(place)
        before = outermost._repeats.served_for((key.seed, *place[1:]), outermost._index)
        if before is not None:
            reader.warn_for_two(key, self._repeats.wrapper, before, outermost._index)


def run_under_way() -> entered | None:
    """Return the innermost run of a base in this thread, or None outside of any."""
    return _state.run


def current() -> Moment | None:
    """Return this thread's moment, or None outside of any."""
    run = _state.run
    return None if run is None else run.moment


def moment_of(index: int) -> Moment | None:
    """Return the moment that an index carries, else this thread's, else None."""
    if isinstance(index, SampleIndex):
        return Moment(index.epoch, index.occurrence, index.view)
    run = _state.run
    return None if run is None else run.moment
