"""The ring of a process that makes batches."""

from __future__ import annotations

import mmap
import os
import weakref
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from seedsafe.ring import slots
from seedsafe.ring.memory import close, new_file, watch
from seedsafe.ring.slots import ABSENT, FREE, HEADER, TOKEN, Header, Slot

__all__ = ["PATIENCE", "Handle", "Lease", "Message", "Ring", "spare"]

PATIENCE: Final = 16
"""How many parts are sent by value before a ring that nobody maps is given up."""
_IDLE: Final = 64
"""A free slot is dropped after this number of parts for which it was not used."""
_PAGE: Final = mmap.ALLOCATIONGRANULARITY


class Handle(NamedTuple):
    """The process and the descriptor by which to open a ring, and the random token that names it."""

    process: int
    file: int
    token: bytes


class Message(NamedTuple):
    """Travels instead of a part of a batch: its slot, the number of this use, and its bytes in the file."""

    ring: Handle
    slot: int
    number: int
    offset: int
    size: int
    room: int


class Lease(NamedTuple):
    """A slot for one part of a batch, until the arrays over it die here and in the reader."""

    ring: Ring
    slot: Slot

    def send(self, nbytes: int) -> Message | None:
        """Return the message to the reader for the first bytes, or None if they must go by value."""
        return self.ring.send(self.slot, nbytes)


def spare(parts: int) -> int:
    """Return the number of unused parts to keep: those of two to four batches, each of `parts`."""
    return 2 + 2 * parts


class Ring:
    """Slots of memory for batches, in a file without a name, for one process to write and one to read.

    A slot is used again when no array over it is left, here or in the reader. If none is free and large enough, the ring
    makes another, so nothing waits and no memory in use is overwritten.

    Args:
        trusting: whether parts go by slot from the first on. Otherwise they go by value until the reader has mapped the
            ring, so that a reader that cannot map it loses nothing.

    Example:
        >>> ring = Ring()
        >>> memory, lease = ring.take(1000)
        >>> memory.size, lease.send(1000) is None  # nobody has mapped the ring yet
        (1000, True)
    """

    def __init__(self, *, trusting: bool = False) -> None:
        self.process = os.getpid()
        self.trusting = trusting
        self.file = new_file(HEADER)
        weakref.finalize(self, close, self.file).atexit = False
        self.header = Header(self.file)
        token = self.header.token[:] = os.urandom(TOKEN)
        self.handle = Handle(self.process, self.file, token)
        self.unanswered = 0
        self.slots: list[Slot] = []
        self._takes = 0
        self._end = HEADER
        self._is_busy = False

    def take(self, nbytes: int, parts: int = 1) -> tuple[npt.NDArray[np.uint8], Lease] | None:
        """Return memory and a lease for one of the `parts` of a batch, or None if no room is left."""
        with slots.lock:
            if self._is_busy:  # a signal handler or a finalizer makes a batch while this thread makes one
                return None
            try:
                self._is_busy = True
                slot = self._choose(nbytes)
                self.header.spare = max(self.header.spare, spare(parts))
            finally:
                self._is_busy = False
        if slot is None:
            return None
        return watch(slot.memory, nbytes, self._release, slot), Lease(self, slot)

    def send(self, slot: Slot, nbytes: int) -> Message | None:
        """Mark a slot as sent to the reader, and return the message, or None if the part must go by value."""
        with slots.lock:
            if os.getpid() != self.process or slot.state != FREE:  # inherited, or sent before
                return None
            if not self.trusting and not self.header.is_read:
                self.unanswered += 1
                return None
            return Message(self.handle, slot.number, slot.send(), slot.offset, nbytes, slot.size)

    def leave(self, *, unopened: bool = False) -> None:
        """Hand back the memory of the free slots, at the end of this process.

        Args:
            unopened: whether to do the same for slots that were sent but not opened, because nobody will open them.
        """
        with slots.lock:
            for slot in self.slots:
                slot.leave(unopened=unopened)

    def _release(self, slot: Slot) -> None:
        slot.drop()

    def _choose(self, nbytes: int) -> Slot | None:
        self._takes += 1
        free = [slot for slot in self.slots if slot.can_be_used]
        fitting = [slot for slot in free if slot.size >= nbytes]
        best = min(fitting, key=lambda slot: (slot.size, -slot.last_use), default=None)
        slot = best or self._new_slot(nbytes)
        if slot is None:
            return None
        slot.use()
        slot.last_use = self._takes
        for idle in free:
            if idle.last_use < self._takes - _IDLE:
                idle.retire()
                self.slots.remove(idle)
        return slot

    def _new_slot(self, nbytes: int) -> Slot | None:
        number = bytes(self.header.states).find(ABSENT)
        if number < 0:
            return None
        size = -(-nbytes // _PAGE) * _PAGE
        slot = Slot(self.header, self.file, number, self._end, size)
        try:
            os.ftruncate(self.file, self._end + size)
            slot.make()
        except OSError:
            return None
        self._end += size  # its bytes of the file are never used again, even when their memory is handed back
        self.slots.append(slot)
        return slot
