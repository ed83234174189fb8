"""The first pages of a ring's file: whose it is, and the state of each slot, for the two processes that share it."""

from __future__ import annotations

import mmap
from typing import Final

from seedsafe.ring.mapping import mapped

__all__ = ["ABSENT", "FREE", "HEADER", "HELD", "SENT", "SLOTS", "TOKEN", "Header"]

ABSENT, FREE, SENT, HELD = range(4)
"""A slot's states. The writer makes and sends it, the reader holds it and frees it."""
SLOTS: Final = 1024
TOKEN: Final = 16
_FLAGS: Final = 64
_NUMBERS: Final = _FLAGS + SLOTS
_USED: Final = _NUMBERS + 8 * SLOTS
HEADER: Final = -(-_USED // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY


class Header:
    """The header of a ring, mapped.

    Args:
        file: the descriptor of the ring's memory file, at least HEADER bytes long.
    """

    def __init__(self, file: int) -> None:
        view = memoryview(mapped(file, HEADER)).cast("B")
        self._token = view[:TOKEN]
        self._reader = view[TOKEN : 2 * TOKEN]
        self._spare = view[2 * TOKEN : 2 * TOKEN + 8].cast("Q")
        self.flags = view[_FLAGS:_NUMBERS]
        self.numbers = view[_NUMBERS:_USED].cast("Q")

    @property
    def token(self) -> bytes:
        """The random name of the ring."""
        return bytes(self._token)

    @token.setter
    def token(self, token: bytes) -> None:
        self._token[:] = token

    @property
    def reader(self) -> bytes:
        """The random name of the process that reads the ring; zeros until one has mapped it."""
        return bytes(self._reader)

    @reader.setter
    def reader(self, reader: bytes) -> None:
        self._reader[:] = reader

    @property
    def is_read(self) -> bool:
        """Whether a process has mapped the ring, so that slots can be sent."""
        return any(self._reader)

    @property
    def spare(self) -> int:
        """How many free slots keep their memory."""
        return self._spare[0]

    @spare.setter
    def spare(self, spare: int) -> None:
        self._spare[0] = spare

    def count(self, state: int) -> int:
        """Return how many slots are in a state."""
        return bytes(self.flags).count(state)
