"""The ring of a process that makes batches."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from seedsafe.ring import arena
from seedsafe.ring.arena import ABSENT, FREE, HEADER, READ, SENT, SPARE, Arena, Slot
from seedsafe.ring.memory import Handle, new_file

__all__ = ["PATIENCE", "Message", "Ring", "Send", "spare"]

PATIENCE: Final = 16
"""How many parts are sent by value before a ring that nobody maps is given up."""
_IDLE: Final = 64
"""A free slot is dropped when this number of parts was sent since it was."""
_PAGE: Final = mmap.ALLOCATIONGRANULARITY


class Message(NamedTuple):
    """What is sent instead of a part of a batch: its slot, and the number of this use of the slot, or 0 if the bytes are sent too."""

    ring: Handle
    use: int
    slot: int
    offset: int
    size: int


Send = Callable[[], Message]
"""Sends the slot of one part of a batch to the reader."""


def spare(parts: int) -> int:
    """Return the number of unused parts to keep: those of two to four batches, each of `parts`."""
    return 2 + 2 * parts


class Ring(Arena):
    """Slots of memory for batches, in a file without a name, for one process to write and others to read.

    A slot is used again when no array over it is left, here or in a reader. If none is free and large enough, the ring
    makes another, so nothing waits and no memory in use is overwritten. Parts go by value until a reader has mapped the
    ring, so that a reader that cannot map it loses nothing.

    Example:
        >>> ring = Ring()
        >>> memory, send = ring.take(1000)
        >>> memory.size, send().use  # nobody has mapped the ring yet
        (1000, 0)
    """

    def __init__(self) -> None:
        super().__init__(*new_file(HEADER))
        self.sent = 0
        self._end = HEADER
        self._is_busy = False

    def take(self, nbytes: int, parts: int = 1) -> tuple[npt.NDArray[np.uint8], Send] | None:
        """Return memory for one of the `parts` of a batch and a function that sends it, or None if no room is left."""
        with arena.lock:
            if self._is_busy:  # a signal handler or a finalizer makes a batch while this thread makes one
                return None
            self._is_busy = True
            try:
                self.settings[SPARE] = max(self.settings[SPARE], spare(parts))
                slot = self._choose(nbytes)
                self.written[slot.number] = 1
                return self.lend(slot, nbytes), partial(self.send, slot)
            except (OSError, ValueError):  # no memory or mapping is left, or no number for a slot
                return None
            finally:
                self._is_busy = False

    def send(self, slot: Slot) -> Message:
        """Send a slot to the reader, unless the part must go by value."""
        use = 0
        with arena.lock:
            # Else it is inherited, or was sent before.
            if os.getpid() == self.process and self.states[slot.number] == FREE:
                self.sent += 1
                if self.settings[READ]:
                    use = self.uses[slot.number] = self.sent
                    self.states[slot.number] = SENT
        return Message(self.handle, use, slot.number, slot.offset, len(slot.memory))

    def leave(self, *, unopened: bool = False) -> None:
        """Hand back the memory of the free slots, at the end of this process.

        Args:
            unopened: whether to do the same for slots that were sent but not opened, because nobody will open them.
        """
        with arena.lock:
            for slot in list(self.slots.values()):
                if self.states[slot.number] in ((FREE, SENT) if unopened else (FREE,)):
                    self.retire(slot)

    def why_unread(self) -> str | None:
        """Return the reason why no process reads the parts by slot, or None if one does or still may."""
        if self.settings[READ] or self.sent <= PATIENCE:
            return None
        return "the process that reads the batches could not map the worker's memory"

    def drop(self, slot: Slot) -> None:
        """Note that this process has no array over a slot any more."""
        self.written[slot.number] = 0

    def _choose(self, nbytes: int) -> Slot:
        free = [slot for slot in list(self.slots.values()) if self.states[slot.number] == FREE]
        free = [slot for slot in free if not self.is_kept(slot.number)]
        fitting = [slot for slot in free if len(slot.memory) >= nbytes]
        # Of the smallest the last used, whose memory a cache may still hold.
        best = min(fitting, key=lambda slot: (len(slot.memory), -self.uses[slot.number]), default=None)
        for slot in free:
            if slot is not best and self.uses[slot.number] < self.sent - _IDLE:
                self.retire(slot)
        if best is not None:
            return best
        number, size = bytes(self.states).index(ABSENT), -(-nbytes // _PAGE) * _PAGE
        os.ftruncate(self.file, self._end + size)
        slot = self.map(number, self._end, size)
        self._end += size  # its bytes of the file are never used again, even when their memory is handed back
        self.states[number] = FREE
        return slot
