"""Ring: the memory file of a process that makes batches, in slots that its reader gives back."""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from seedsafe.ring import forks
from seedsafe.ring.header import ABSENT, FREE, HEADER, SENT, TOKEN, Header
from seedsafe.ring.mapping import NAME, close, give_back, is_held, mapped

__all__ = ["PATIENCE", "Address", "Held", "Lease", "Place", "Ring"]

PATIENCE: Final = 16
"""So many parts are sent by value before a ring that nobody maps is given up."""
_IDLE: Final = 64
_PAGE: Final = mmap.ALLOCATIONGRANULARITY


class Address(NamedTuple):
    """Where a ring is: the process and the descriptor to open it by, and the random token that it is known by."""

    process: int
    file: int
    token: bytes


class Place(NamedTuple):
    """Where a part was written: the slot, the number of this use of it, and the bytes of the file."""

    ring: Address
    slot: int
    number: int
    offset: int
    size: int
    room: int


class _Slot:
    __slots__ = ("memory", "number", "offset", "size", "taken", "used")

    def __init__(self, number: int, offset: int, memory: Any, size: int) -> None:
        self.number, self.offset, self.memory, self.size = number, offset, memory, size
        self.taken = False  # by an array of this process
        self.used = 0

    def untake(self) -> None:
        self.taken = False


class Lease:
    """A slot for one part of a batch, until the arrays over it die here and in the process that it is sent to.

    Args:
        ring: whose it is.
        slot: of the ring.
    """

    __slots__ = ("_ring", "_slot")

    def __init__(self, ring: Ring, slot: _Slot) -> None:
        self._ring, self._slot = ring, slot

    def send(self, nbytes: int) -> Place | None:
        """Return the place of its first bytes for one message to the reader; None if they have to go by value."""
        return self._ring.send(self._slot, nbytes)

    @property
    def address(self) -> Address:
        """Where the ring is."""
        return self._ring.address


class Held(NamedTuple):
    """Memory for a part of a batch, held as long as an array over it lives; with a lease it travels."""

    memory: npt.NDArray[np.uint8]
    lease: Lease | None = None


class Ring:
    """Slots of memory for batches, in a file without a name, for one process to write and one to read.

    A slot is used again when no array over it is left, here or at the reader. Where none is free and large enough
    another is made, so that nothing waits and nothing that is held is overwritten.

    Args:
        trusting: parts are sent by place from the first on. Otherwise they go by value until the reader has mapped the
            ring, so that a reader that cannot map it misses nothing.

    Example:
        >>> ring = Ring()
        >>> memory, lease = ring.take(1000)
        >>> memory.size, lease.send(1000) is None  # nobody has mapped the ring yet
        (1000, True)
    """

    def __init__(self, *, trusting: bool = False) -> None:
        self.process = os.getpid()
        self.trusting = trusting
        self.file = os.memfd_create(NAME, os.MFD_CLOEXEC)
        weakref.finalize(self, close, self.file).atexit = False
        os.ftruncate(self.file, HEADER)
        self.header = Header(self.file)
        self.header.token = os.urandom(TOKEN)
        self.address = Address(self.process, self.file, self.header.token)
        self.unanswered = 0
        self._slots: list[_Slot] = []
        self._takes = 0
        self._end = HEADER
        forks.watch(self)

    def take(self, nbytes: int) -> Held | None:
        """Return a slot for a part of a batch, the rest of a larger one unused; None if there is no more room."""
        with forks.lock:
            self._takes += 1
            free = [slot for slot in self._slots if self._is_free(slot)]
            fitting = [slot for slot in free if slot.size >= nbytes]
            if fitting:
                slot = min(fitting, key=lambda slot: (slot.size, -slot.used))
            else:
                made = self._made(nbytes)
                if made is None:
                    return None
                slot = made
            slot.taken, slot.used = True, self._takes
            for idle in free:
                if idle.used < self._takes - _IDLE:
                    self._retire(idle)
            self.header.spare = max(self.header.spare, 2 + 2 * sum(slot.taken for slot in self._slots))
        memory: npt.NDArray[np.uint8] = np.frombuffer(slot.memory, np.uint8, nbytes)
        weakref.finalize(memory, slot.untake).atexit = False
        return Held(memory, Lease(self, slot))

    def send(self, slot: _Slot, nbytes: int) -> Place | None:
        """Mark a slot as on its way to the reader, and return its place; None if it has to go by value."""
        if os.getpid() != self.process or self.header.flags[slot.number] != FREE:  # inherited, or sent before
            return None
        if not self.trusting and not self.header.is_read:
            self.unanswered += 1
            return None
        number = self.header.numbers[slot.number] + 1
        self.header.numbers[slot.number] = number
        self.header.flags[slot.number] = SENT
        return Place(self.address, slot.number, number, slot.offset, nbytes, slot.size)

    def leave(self, *, unopened: bool = False) -> None:
        """Hand back the memory of the slots that are free, at the end of this process.

        Args:
            unopened: also of those that were sent and not opened, where it is known that nobody will.
        """
        with forks.lock:
            for slot in self._slots:
                state = self.header.flags[slot.number]
                if (state == FREE or (state == SENT and unopened)) and not is_held(self.file, slot.number):
                    self.header.flags[slot.number] = FREE
                    give_back(slot.memory)

    def held(self) -> Iterable[int]:
        """Return the numbers of the slots that this process holds arrays over."""
        return [slot.number for slot in self._slots if slot.taken]

    def spoil(self, number: int) -> None:
        """Never use a slot again."""
        self._slots = [slot for slot in self._slots if slot.number != number]

    def _is_free(self, slot: _Slot) -> bool:
        free = not slot.taken and self.header.flags[slot.number] == FREE
        return free and not is_held(self.file, slot.number)

    def _made(self, nbytes: int) -> _Slot | None:
        number = bytes(self.header.flags).find(ABSENT)
        if number < 0:
            return None
        size = -(-nbytes // _PAGE) * _PAGE
        try:
            os.ftruncate(self.file, self._end + size)
            slot = _Slot(number, self._end, mapped(self.file, size, self._end), size)
        except OSError:
            return None
        self._end += size  # its place in the file is never used again, whatever becomes of its memory
        self.header.flags[number] = FREE
        self._slots.append(slot)
        return slot

    def _retire(self, slot: _Slot) -> None:
        give_back(slot.memory)
        self.header.flags[slot.number] = ABSENT
        self._slots.remove(slot)
