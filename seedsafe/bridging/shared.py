"""Shared: what the workers of a run have seen of one object, counted over all of its processes."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["DRAWN", "UNSEEN", "Shared"]

DRAWN: Final = 1
"""A keyed generator was drawn from."""

UNSEEN: Final = 2
"""A sample held what cannot be compared."""


class Shared:
    """How many calls there were, and what was seen in them, in memory that workers share with the process that starts them.

    Two processes that count at once may give one number twice, and leave none out. A copy that is not sent to a worker at its
    start begins anew.

    Example:
        >>> shared = Shared()
        >>> shared.count(), shared.count()
        (1, 2)
    """

    def __init__(self, memory: Any = None) -> None:
        from multiprocessing.sharedctypes import RawArray  # not needed to import a bridge

        self._memory: Any = RawArray("Q", 2) if memory is None else memory
        self._view = memoryview(self._memory).cast("B").cast("Q")

    def count(self) -> int:
        """Return the number of a call, from 1."""
        number = self._view[0] + 1
        self._view[0] = number
        return number

    def note(self, flags: int) -> None:
        """Remember DRAWN or UNSEEN."""
        self._view[1] |= flags

    @property
    def flags(self) -> int:
        """What was noted."""
        return self._view[1]

    @property
    def verdict(self) -> str:
        """Return "verified" where something was drawn and all could be compared, else "unverified"."""
        return "verified" if self.flags == DRAWN else "unverified"

    def __reduce__(self) -> tuple[Any, ...]:
        from multiprocessing.context import get_spawning_popen

        return Shared, (self._memory,) if get_spawning_popen() is not None else ()
