"""Where a sample stands in the run, for datasets that are read with a plain index.

An outermost dataset that is read with a SampleIndex enters its epoch here while it reads what is inside it, so
that the key survives a Subset or any other wrapper. The state belongs to the thread.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

from seedsafe import SampleIndex

__all__ = ["Moment", "current", "entered", "moment_of"]


class Moment(NamedTuple):
    """The part of a key that is not the index."""

    epoch: int
    occurrence: int = 0
    view: int = 0


class _State(threading.local):
    moment: Moment | None = None


_state = _State()


class entered:  # noqa: N801  # used as a with statement, several times cheaper than contextlib's
    """Make a moment the current one in this thread.

    Example:
        >>> with entered(Moment(epoch=3)):
        ...     current()
        Moment(epoch=3, occurrence=0, view=0)
    """

    __slots__ = ("_before", "_moment")

    def __init__(self, moment: Moment | None) -> None:
        self._moment = moment

    def __enter__(self) -> None:
        self._before = _state.moment
        _state.moment = self._moment

    def __exit__(self, *error: object) -> None:
        _state.moment = self._before


def current() -> Moment | None:
    """Return this thread's moment, or None outside of any."""
    return _state.moment


def moment_of(index: int) -> Moment | None:
    """Return the moment that an index carries, else this thread's, else None."""
    if isinstance(index, SampleIndex):
        return Moment(index.epoch, index.occurrence, index.view)
    return _state.moment
