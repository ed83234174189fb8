"""A file of slots, shared by two processes.

A forked child inherits the arrays that its parent has over slots, and shares the memory under them. So each slot in use is
locked for the child before a fork: as long as the child, or a child of the child, lives, no writer uses that slot again.
"""

from __future__ import annotations

import mmap
import os
import threading
import weakref
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from seedsafe.ring.memory import Handle, close, give_back, is_locked, lock_slot, map_file, watch

__all__ = [
    "ABSENT",
    "FREE",
    "HEADER",
    "HELD",
    "READ",
    "SENT",
    "SLOTS",
    "SPARE",
    "Arena",
    "Slot",
    "lock",
]

ABSENT, FREE, SENT, HELD = range(4)
READ, SPARE = range(2)
SLOTS: Final = 1024
"""More than the parts of the batches that a worker ever has under way."""
_NUMBERS: Final = 2 * SLOTS
_USED: Final = _NUMBERS + 8 * (SLOTS + 2)
# Slots begin after it, and the system maps a file only from multiples of this number on.
HEADER: Final = -(-_USED // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY

lock = threading.RLock()
"""Taken to choose, send or open a slot, and to fork. The death of an array never takes it."""


class Slot(NamedTuple):
    """The memory of one part of a batch, mapped into this process from an offset of its file."""

    file: int
    number: int
    offset: int
    memory: Any


class Arena:
    """A file of slots, in the process that writes them (W) or in the one that reads them (R).

        make (W)            send (W)            open (R)
    ABSENT ─────────▶ FREE ──────────▶ SENT ──────────▶ HELD
       ▲               │ ▲                               │
       ├─ retire (W) ──┘ └────────── free (R) ───────────┤
       └──────────────────────────── retire (R) ─────────┘

    Each state has one process that may end it. So one byte of the file is enough, and neither process waits for the other.
    A second byte says whether the writer has an array over the slot: while it fills it, and perhaps longer. The file's first
    pages have these bytes, the number of each slot's last use, the process that reads the file, and how many free slots keep
    their memory.

    Args:
        file: the descriptor of the file, which has at least HEADER bytes, in this process.
        handle: what others open it by.
    """

    def __init__(self, file: int, handle: Handle) -> None:
        self.handle, self.file, self.process = handle, file, os.getpid()
        weakref.finalize(self, close, file).atexit = False
        view = memoryview(map_file(file, HEADER)).cast("B")
        self.states, self.written = view[:SLOTS], view[SLOTS:_NUMBERS]
        words = view[_NUMBERS:_USED].cast("Q")
        self.uses, self.settings = words[:SLOTS], words[SLOTS:]
        self.slots: dict[int, Slot] = {}

    def count(self, state: int) -> int:
        """Return how many slots are in a state."""
        return bytes(self.states).count(state)

    def map(self, number: int, offset: int, size: int) -> Slot:
        """Return a slot, mapped into this process."""
        slot = self.slots.get(number)
        if slot is None or slot.offset != offset:
            # Their memory is gone, so these mappings would only use up the number that a process may have.
            for absent in [one for one in list(self.slots) if self.states[one] == ABSENT]:
                self.slots.pop(absent, None)
            slot = Slot(self.file, number, offset, map_file(self.file, size, offset))
            self.slots[number] = slot
        return slot

    def lend(self, slot: Slot, nbytes: int) -> npt.NDArray[np.uint8]:
        """Return an array over a slot's first bytes. The slot is dropped when the last view of it dies."""
        _used[id(slot)] = slot
        return watch(slot.memory, nbytes, self._drop, slot)

    def _drop(self, slot: Slot) -> None:
        # A child drops its parent's arrays, too, and a slot that could not be locked for a child is used no more.
        if os.getpid() == self.process and _used.pop(id(slot), None) is not None:
            self.drop(slot)

    def drop(self, slot: Slot) -> None:
        """Note that this process has no array over a slot any more."""
        raise NotImplementedError

    def is_used(self) -> bool:
        """Return whether this process has arrays over slots."""
        return any(slot.file == self.file for slot in list(_used.values()))

    def is_kept(self, number: int) -> bool:
        """Return whether the writer, or a child that somebody forked, has an array over a slot that is free."""
        return bool(self.written[number]) or is_locked(self.file, number)

    def retire(self, slot: Slot) -> None:
        """Hand the memory of a slot back and go to ABSENT, or to FREE if it is kept."""
        kept = self.is_kept(slot.number)
        if not kept:
            give_back(slot.memory)
        self.states[slot.number] = FREE if kept else ABSENT


_used: Final[dict[int, Slot]] = {}
"""The slots over which this process has arrays."""
_locks: Final[list[Any]] = []
_inherited: Final[list[Any]] = []
"""Locks, until this process ends, on the slots that its parent used when it forked."""


def before_fork() -> None:
    """Lock the slots that a child inherits. A slot that cannot be locked, for want of a descriptor, stays in use for good."""
    lock.acquire()  # until after the fork, so that no slot comes into use in between
    for slot in list(_used.values()):
        try:
            _locks.append(lock_slot(slot.file, slot.number))
        except OSError:
            _used.pop(id(slot), None)


def after_in_parent() -> None:
    """Leave the locks to the child."""
    _locks.clear()
    lock.release()


def after_in_child() -> None:
    """Leave the slots to the parent."""
    global lock
    lock = threading.RLock()  # a thread may hold the old one, for instance if a signal handler forks
    _inherited.extend(_locks)
    _locks.clear()
    _used.clear()
