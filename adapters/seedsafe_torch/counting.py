"""Records that a stream's subclass takes and yields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from itertools import repeat
from typing import Any, Final

from seedsafe_torch.stream_state import Start

__all__ = ["NOTHING", "Counted", "Own"]

NOTHING: Final = "seedsafe: no record"
"""Stands for a record that is left out."""


class Own:
    """How many records the own ``__iter__`` of a subclass has taken in a pass, and whether it keeps none back.

    A state counts the records taken. So a subclass may leave records out, or change each, but not hold some for later.
    """

    def __init__(self) -> None:
        self.taken = 0
        self.told = 0
        """How many of them a loader has heard of."""
        self.is_exact = True
        """Whether all records taken were yielded once or left out."""
        self._yielded = 0
        self._taken_before = -1
        """The number taken when it last yielded."""
        self._last: Any = None

    def take(self, record: Any) -> int:
        """Note a record that the subclass gets, and return their number."""
        self.taken += 1
        self._last = record
        return self.taken

    def give(self, record: Any) -> None:
        """Note a record that it yields."""
        self._yielded += 1
        is_second = self.taken == self._taken_before
        self._taken_before = self.taken
        may_go_on = not is_second and (record is self._last or self.taken == self._yielded)
        self.is_exact = self.is_exact and may_go_on

    def end(self) -> None:
        """Note that it has yielded all of its records."""
        self.is_exact, self._last = True, None

    def untold(self) -> int:
        """Return how many records were taken since the last call."""
        count, self.told = self.taken - self.told, self.taken
        return count


class Counted:
    """A stream whose subclasses may have an ``__iter__`` of their own, whose records are counted."""

    _own = Own()  # a pass has its own
    _yielded = 0  # records since the start of the pass
    _order = 0  # a checksum of the ids of the records yielded in the pass, in their order
    _resumed = False  # whether this stream has loaded a state into its source
    _begun: tuple[Start, int] | None = None  # by a subclass
    _plain: Any = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        iterate: Any = cls.__iter__  # type: ignore[attr-defined]
        if cls._plain is None:
            cls._plain = iterate
        elif iterate is not cls._plain:
            cls.__iter__ = _counting(iterate)  # type: ignore[attr-defined]

    def _begin(self) -> tuple[Start, int]:
        """Return the start of a pass, and the number of records in a batch."""
        raise NotImplementedError

    def has_own_iter(self) -> bool:
        """Return whether it is a subclass with an ``__iter__`` of its own."""
        return type(self).__iter__ is not type(self)._plain  # type: ignore[attr-defined]

    def unknown(self) -> dict[str, Any]:
        """Return what a state has besides if it cannot be resumed."""
        return {} if self._own.is_exact else {"unknown": type(self).__qualname__}


def _counting(iterate: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    """Return the ``__iter__`` of a subclass, with its records counted, and before them the marks for which its worker waits."""

    @wraps(iterate)
    def counting(self: Any) -> Iterator[Any]:
        if type(self).__iter__ is not counting:  # a subclass of it counts
            yield from iterate(self)
            return
        self._begun = self._begin()
        yield from repeat(NOTHING, self._begun[0].waits)
        for record in iterate(self):
            self._own.give(record)
            yield record
        self._own.end()

    return counting
