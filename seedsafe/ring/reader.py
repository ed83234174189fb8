"""The rings that this process reads."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

import numpy as np
import numpy.typing as npt

from seedsafe.ring import arena
from seedsafe.ring.arena import FREE, HELD, READ, SENT, SPARE, Arena, Slot
from seedsafe.ring.memory import Handle, is_open, open_file
from seedsafe.ring.writer import Message

__all__ = ["drop_dead", "map_ring", "open_part", "state"]

_LATE: Final = 8
"""How many rings of dead processes are kept for messages that may still come."""


class _RingReader(Arena):
    """A ring on the side of its reader: mapped once, opened slot by slot."""

    def __init__(self, handle: Handle) -> None:
        super().__init__(open_file(handle), handle)

    def open_part(self, message: Message, nbytes: int, *, copied: bool = False) -> npt.NDArray[np.uint8]:
        """Return the bytes that a message stands for. Their slot is freed when the last array over them dies."""
        number = message.slot
        if self.states[number] != SENT or self.uses[number] != message.use:
            raise RuntimeError(
                "this batch's message was opened before, and can be opened only once: to keep or share the batch, pickle "
                "the batch itself"
            )
        self.states[number] = HELD
        if not copied:
            with suppress(OSError):  # too many mappings, or too little memory: a copy needs no mapping
                return self.lend(self.map(number, message.offset, message.size), nbytes)
        array, done = np.empty(nbytes, np.uint8), 0
        while done < nbytes:
            done += os.preadv(self.file, [array.data[done:]], message.offset + done)
        self.states[number] = FREE
        return array

    def drop(self, slot: Slot) -> None:
        """Free a slot, and hand its memory back if enough slots are free."""
        if self.count(FREE) >= self.settings[SPARE]:
            self.retire(slot)
        else:
            self.states[slot.number] = FREE
        if not (self.is_used() or self.count(SENT) or is_open(self.handle)):
            state.rings.pop(self.handle, None)


class _State:
    """The rings that this process reads, and why it could not map the newest one."""

    def __init__(self) -> None:
        self.rings: dict[Handle, _RingReader] = {}
        self.trouble: str | None = None


state = _State()


def map_ring(handle: Handle) -> _RingReader | None:
    """Map a ring into this process and return it, or return None if that fails; its parts then continue to arrive by value."""
    with arena.lock:
        if handle not in state.rings:
            drop_dead()
            try:
                ring = _RingReader(handle)
                # What another process held when it was killed would never be freed: it gets copies.
                if ring.settings[READ] not in (0, os.getpid()):
                    raise OSError(f"another process reads {handle.path}")
                ring.settings[READ] = os.getpid()
                state.rings[handle] = ring
                state.trouble = None
            except OSError as error:
                state.trouble = str(error)
        return state.rings.get(handle)


def open_part(message: Message, nbytes: int) -> npt.NDArray[np.uint8]:
    """Return the bytes that a message stands for. This process frees them when the last array over them dies.

    Raises:
        RuntimeError: they were opened before, are gone with the process that wrote them, or cannot be read.
    """
    with arena.lock:
        if (ring := map_ring(message.ring)) is not None:
            return ring.open_part(message, nbytes)
        try:
            return _RingReader(message.ring).open_part(message, nbytes, copied=True)
        except OSError as error:
            raise RuntimeError(
                f"a part of a batch cannot be read from the worker that wrote it ({error}). Let one process read all "
                "batches of a worker before it ends, raise the limit of open files (ulimit -n), or turn batches in place off "
                "(in_place=False)"
            ) from error


def drop_dead() -> None:
    """Unmap the rings of processes that have ended, unless arrays lie over them or messages may still come."""
    dead = [ring for ring in list(state.rings.values()) if not (ring.is_used() or is_open(ring.handle))]
    late = [ring for ring in dead if ring.count(SENT)]
    for ring in dead:
        if ring not in late[-_LATE:]:
            state.rings.pop(ring.handle, None)
