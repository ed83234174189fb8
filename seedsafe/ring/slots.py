"""Slots of a ring, shared by two processes.

A forked child inherits the arrays that its parent has over slots, and shares the memory under them. So each slot in use is
locked for the child before a fork: as long as the child, or a child of the child, lives, no writer uses that slot again.
Windows has no fork, and needs none of this.
"""

from __future__ import annotations

import mmap
import os
import threading
from typing import Any, Final

from seedsafe.ring.memory import give_back, is_locked, lock_slots, map_file

__all__ = ["ABSENT", "FREE", "HEADER", "HELD", "SENT", "TOKEN", "Header", "Slot", "lock"]

ABSENT, FREE, SENT, HELD = range(4)
TOKEN: Final = 16
_FLAGS: Final = 64
_SLOTS: Final = 1024
_NUMBERS: Final = _FLAGS + _SLOTS
_USED: Final = _NUMBERS + 8 * _SLOTS
HEADER: Final = -(-_USED // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY

lock = threading.RLock()
"""Taken to choose, send or open a slot, and to fork. The death of an array never takes it."""


class Header:
    """The first pages of a ring's file, with its owner and the state of each slot.

    `token` is the random name of the ring. `reader` is the name of the process that reads it, zeros until one has mapped it.

    Args:
        file: the descriptor of the ring's memory file, at least HEADER bytes long.
    """

    def __init__(self, file: int) -> None:
        view = memoryview(map_file(file, HEADER)).cast("B")
        self.token = view[:TOKEN]
        self.reader = view[TOKEN : 2 * TOKEN]
        self._spare = view[2 * TOKEN : 2 * TOKEN + 8].cast("Q")
        self.states = view[_FLAGS:_NUMBERS]
        self.numbers = view[_NUMBERS:_USED].cast("Q")

    @property
    def is_read(self) -> bool:
        """Whether a process has mapped the ring, and slots can be sent to it."""
        return any(self.reader)

    @property
    def spare(self) -> int:
        """How many free slots keep their memory."""
        return self._spare[0]

    @spare.setter
    def spare(self, spare: int) -> None:
        self._spare[0] = spare

    def count(self, state: int) -> int:
        """Return how many slots are in a state."""
        return bytes(self.states).count(state)


class Slot:
    """A slot, in the process that writes it (W) or in the one that reads it (R).

        make (W)            send (W)            open (R)
    ABSENT ─────────▶ FREE ──────────▶ SENT ──────────▶ HELD
       ▲               │▲               │                │
       └─ retire (W) ──┘└── leave (W) ──┘                │
                        └────────── free (R) ────────────┘

    Each state has one process that may end it. So one byte of the header is enough, and neither process waits for the
    other. The reader ends SENT, or the writer if nobody reads any more. `is_used` is independent of the state: an array of
    this process lies over the slot. The slot that the writer fills is FREE and used.

    Args:
        header: the header of the ring.
        file: the ring's descriptor in this process.
        number: the slot's position in the header.
        offset: its offset in the file, in bytes.
        size: its size, in bytes.
    """

    __slots__ = ("_header", "file", "is_spoiled", "last_use", "memory", "number", "offset", "size")

    def __init__(self, header: Header, file: int, number: int, offset: int, size: int) -> None:
        self._header = header
        self.file, self.number, self.offset, self.size = file, number, offset, size
        self.memory: Any = None
        self.is_spoiled = False  # once True, it stays so: a child holds the slot without a lock
        self.last_use = 0

    @property
    def state(self) -> int:
        """The slot's state in the header."""
        return self._header.states[self.number]

    @property
    def is_used(self) -> bool:
        """Whether an array of this process lies over the slot."""
        return id(self) in _used

    @property
    def can_be_used(self) -> bool:
        """Whether nobody has an array over the slot: not this process, the reader, or a forked child."""
        return self.state == FREE and not (
            self.is_used or self.is_spoiled or is_locked(self.file, self.number)
        )

    def use(self) -> None:
        """Note that an array of this process lies over the slot."""
        _used[id(self)] = self

    def drop(self) -> None:
        """Note that no array of this process lies over the slot any more."""
        _used.pop(id(self), None)

    def map(self) -> None:
        """Map the slot's memory into this process, unless it is mapped already."""
        if self.memory is None:
            self.memory = map_file(self.file, self.size, self.offset)

    def make(self) -> None:
        """Go from ABSENT to FREE, as the writer."""
        self.map()
        self._header.states[self.number] = FREE

    def retire(self) -> None:
        """Go from FREE to ABSENT, as the writer."""
        give_back(self.memory)
        self._header.states[self.number] = ABSENT

    def send(self) -> int:
        """Go from FREE to SENT, as the writer, and return the number of this use, which the reader checks."""
        number = self._header.numbers[self.number] = self._header.numbers[self.number] + 1
        self._header.states[self.number] = SENT
        return number

    def leave(self, *, unopened: bool) -> None:
        """Hand back the memory of a FREE slot, or of a SENT one if it stays `unopened`, as a writer that ends."""
        if self.state == FREE or (self.state == SENT and unopened):
            self._header.states[self.number] = FREE
            if not is_locked(self.file, self.number):
                give_back(self.memory)

    def open(self, number: int) -> None:
        """Go from SENT to HELD, as the reader.

        Raises:
            RuntimeError: this use of the slot was opened before.
        """
        if self.state != SENT or self._header.numbers[self.number] != number:
            raise RuntimeError(
                "this batch's message was opened before, and can be opened only once: to keep or share the batch, pickle "
                "the batch itself"
            )
        self._header.states[self.number] = HELD

    def free(self) -> None:
        """Go from HELD to FREE, as the reader, and hand the memory back if enough slots are free."""
        if self.is_spoiled:
            return
        full = self.memory is not None and self._header.count(FREE) >= self._header.spare
        if full and not is_locked(self.file, self.number):
            give_back(self.memory)
        self._header.states[self.number] = FREE


_used: Final[dict[int, Slot]] = {}
_locks: Final[list[Any]] = []
_inherited: Final[list[Any]] = []
"""Locks, until this process ends, on the slots that its parent used when it forked."""


def _before() -> None:
    lock.acquire()
    files: dict[int, list[Slot]] = {}
    for slot in list(_used.values()):
        files.setdefault(slot.file, []).append(slot)
    for file, slots in files.items():
        try:
            _locks.append(lock_slots(file, [slot.number for slot in slots]))
        except OSError:
            for slot in slots:
                slot.is_spoiled = True


def _after_in_parent() -> None:
    _locks.clear()
    lock.release()


def _after_in_child() -> None:
    global lock
    lock = threading.RLock()  # a thread may hold the old one, for instance if a signal handler forks
    _inherited.extend(_locks)
    _locks.clear()
    _used.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
