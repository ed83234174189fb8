"""Slots of a ring: their states, for the two processes that share them, and what a fork means for those in use.

A child inherits the arrays that its parent has over slots, and the memory under them is shared. So before a fork each
slot in use is locked for the child: as long as it, or a child of its own, lives, no writer uses that slot again. Fork is
not known on Windows, where none of this is asked for.
"""

from __future__ import annotations

import mmap
import os
import threading
from typing import Any, Final

from seedsafe.ring.memory import give_back, is_locked, locked, mapped

__all__ = ["ABSENT", "FREE", "HEADER", "HELD", "SENT", "TOKEN", "Header", "Slot", "lock"]

ABSENT, FREE, SENT, HELD = range(4)
TOKEN: Final = 16
_FLAGS: Final = 64
_SLOTS: Final = 1024
_NUMBERS: Final = _FLAGS + _SLOTS
_USED: Final = _NUMBERS + 8 * _SLOTS
HEADER: Final = -(-_USED // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY

lock = threading.RLock()
"""Held while a slot is taken, sent or opened, and while the process forks; never asked for when an array dies."""


class Header:
    """The first pages of a ring's file: whose it is, and the state of each slot.

    `token` is the random name of the ring, and `reader` that of the process that reads it: zeros until one has mapped it.

    Args:
        file: the descriptor of the ring's memory file, at least HEADER bytes long.
    """

    def __init__(self, file: int) -> None:
        view = memoryview(mapped(file, HEADER)).cast("B")
        self.token = view[:TOKEN]
        self.reader = view[TOKEN : 2 * TOKEN]
        self._spare = view[2 * TOKEN : 2 * TOKEN + 8].cast("Q")
        self.states = view[_FLAGS:_NUMBERS]
        self.numbers = view[_NUMBERS:_USED].cast("Q")

    @property
    def is_read(self) -> bool:
        """Whether a process has mapped the ring, so that slots can be sent."""
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
    """A slot, as the process that writes it (W) or the one that reads it (R) has it.

        make (W)            send (W)            open (R)
    ABSENT ─────────▶ FREE ──────────▶ SENT ──────────▶ HELD
       ▲               │▲               │                │
       └─ retire (W) ──┘└── leave (W) ──┘                │
                        └────────── free (R) ────────────┘

    Each state has one process that may end it, so that a byte of the header is enough and nobody waits for the other; the
    reader ends SENT, and the writer where it is known that nobody reads. `is_used` is another matter: an array of this
    process lies over the slot. What the writer fills is FREE and used.

    Args:
        header: of the ring.
        file: the ring's descriptor in this process.
        number: of the slot.
        offset: of the slot in the file.
        size: of the slot, in bytes.
    """

    __slots__ = ("_header", "file", "is_spoiled", "last_use", "memory", "number", "offset", "size")

    def __init__(self, header: Header, file: int, number: int, offset: int, size: int) -> None:
        self._header = header
        self.file, self.number, self.offset, self.size = file, number, offset, size
        self.memory: Any = None
        self.is_spoiled = False  # for ever: a child that could not lock it holds it
        self.last_use = 0

    @property
    def state(self) -> int:
        """What the header says of the slot."""
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
        """Note that none does any more."""
        _used.pop(id(self), None)

    def map(self) -> None:
        """Map the slot's memory into this process, if it is not."""
        if self.memory is None:
            self.memory = mapped(self.file, self.size, self.offset)

    def make(self) -> None:
        """ABSENT to FREE, as the writer."""
        self.map()
        self._header.states[self.number] = FREE

    def retire(self) -> None:
        """FREE to ABSENT, as the writer."""
        give_back(self.memory)
        self._header.states[self.number] = ABSENT

    def send(self) -> int:
        """FREE to SENT, as the writer, and return the number of this use of the slot, which the reader asks for."""
        number = self._header.numbers[self.number] = self._header.numbers[self.number] + 1
        self._header.states[self.number] = SENT
        return number

    def leave(self, *, unopened: bool) -> None:
        """Hand back the memory of a slot that is FREE, or SENT and `unopened` for ever, as the writer that ends."""
        if self.state == FREE or (self.state == SENT and unopened):
            self._header.states[self.number] = FREE
            if not is_locked(self.file, self.number):
                give_back(self.memory)

    def open(self, number: int) -> None:
        """SENT to HELD, as the reader.

        Raises:
            RuntimeError: it was done before.
        """
        if self.state != SENT or self._header.numbers[self.number] != number:
            raise RuntimeError(
                "this batch's message was opened before, and can be opened only once: pickle the batch itself to keep or "
                "share it"
            )
        self._header.states[self.number] = HELD

    def free(self) -> None:
        """HELD to FREE, as the reader; the memory is handed back where enough slots are free."""
        if self.is_spoiled:
            return
        full = self.memory is not None and self._header.count(FREE) >= self._header.spare
        if full and not is_locked(self.file, self.number):
            give_back(self.memory)
        self._header.states[self.number] = FREE


_used: Final[dict[int, Slot]] = {}
_locks: Final[list[Any]] = []
_inherited: Final[list[Any]] = []
"""Locks on slots that this process's parent held when it forked, until this process ends."""


def _before() -> None:
    lock.acquire()
    files: dict[int, list[Slot]] = {}
    for slot in list(_used.values()):
        files.setdefault(slot.file, []).append(slot)
    for file, slots in files.items():
        try:
            _locks.append(locked(file, [slot.number for slot in slots]))
        except OSError:
            for slot in slots:
                slot.is_spoiled = True


def _after_in_parent() -> None:
    _locks.clear()
    lock.release()


def _after_in_child() -> None:
    global lock
    lock = threading.RLock()  # the old one may be held: by a fork that a signal handler asks for, say
    _inherited.extend(_locks)
    _locks.clear()
    _used.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
