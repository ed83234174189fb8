"""How many calls a bridge has run."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["COPIED", "DRAWN", "HEARD", "MOVED", "TOLD", "UNSEEN", "CallCount"]

DRAWN: Final = 1
"""A call drew from a keyed generator."""

UNSEEN: Final = 2
"""A result has a part that cannot be compared."""

TOLD: Final = 4
"""The user was told that nothing draws."""

HEARD: Final = 8
"""The process that starts the workers asks for these flags after each pass."""

MOVED: Final = {
    "random": 16,
    "numpy.random": 32,
    "torch": 64,
    "cv2": 128,
    "tensorflow": 256,
    "torch.cuda": 512,
}
"""A generator of the process drew."""

COPIED: Final = 1024
"""A call read the state of a generator that it did not move, so all are keyed for each call."""


class CallCount:
    """The number of calls and their flags, in memory that workers share with the process that starts them.

    Two processes that count at once may return a number twice, but leave none out. A copy starts from zero, unless it goes
    to a worker at its start.

    Example:
        >>> calls = CallCount()
        >>> calls.count(), calls.count()
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
        """Set flags, for all processes."""
        self._view[1] |= flags

    @property
    def number(self) -> int:
        """The number of calls so far."""
        return self._view[0]

    @property
    def flags(self) -> int:
        """The flags so far."""
        return self._view[1]

    @property
    def verdict(self) -> str:
        """Return "verified" if a call drew and all results could be compared, else "unverified"."""
        return "verified" if self.flags & (DRAWN | UNSEEN) == DRAWN else "unverified"

    def __reduce__(self) -> tuple[Any, ...]:
        from multiprocessing.context import get_spawning_popen

        return CallCount, (self._memory,) if get_spawning_popen() is not None else ()
