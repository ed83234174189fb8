"""The rings that this process reads."""

from __future__ import annotations

import errno
import os
import weakref
from typing import Final

import numpy as np
import numpy.typing as npt

from seedsafe.ring import slots
from seedsafe.ring.memory import NAME, close, keep_reserve, open_file, path_of, reserve, watch
from seedsafe.ring.slots import ABSENT, HEADER, SENT, TOKEN, Header, Slot
from seedsafe.ring.writer import Handle, Message

__all__ = ["drop_dead", "map_ring", "open_part", "parent_reads", "trouble"]

_LATE: Final = 8
"""How many rings of dead processes are kept for messages that may still come."""


class _RefusedError(Exception):
    """A ring that this process cannot share."""


class _RingReader:
    """A ring on the side of its reader: mapped once, opened slot by slot."""

    def __init__(self, handle: Handle) -> None:
        self.handle = handle
        self.process = os.getpid()
        self.file = _file_of(handle)
        weakref.finalize(self, close, self.file).atexit = False
        self.header = _header_of(self.file, handle)
        if bytes(self.header.reader) not in (bytes(TOKEN), _state.name):
            raise _RefusedError("another process reads it")
        self.slots: dict[int, Slot] = {}
        self.header.reader[:] = _state.name

    def open_part(self, message: Message) -> npt.NDArray[np.uint8]:
        """Return the bytes that a message stands for. Their slot is freed when the last array over them dies."""
        slot = self.slots.get(message.slot)
        if slot is None or slot.offset != message.offset:
            slot = Slot(self.header, self.file, message.slot, message.offset, message.room)
        slot.open(message.number)
        try:
            slot.map()
        except OSError:  # too many mappings, or too little memory: a copy needs no mapping
            array = _read(self.file, message)
            slot.free()
            return array
        if slot is not self.slots.get(message.slot):
            for number in list(self.slots):
                if self.header.states[number] == ABSENT:
                    self.slots.pop(number, None)
            self.slots[message.slot] = slot
        slot.use()
        return watch(slot.memory, message.size, self._release, slot)

    def _release(self, slot: Slot) -> None:
        if os.getpid() != self.process:
            return  # the parent's slot: this is a forked child
        slot.drop()
        slot.free()
        if not (self.is_used() or self.expects_messages() or self.is_alive()):
            _state.rings.pop(self.handle.token, None)

    def is_used(self) -> bool:
        """Return whether this process has arrays over slots."""
        return any(slot.is_used for slot in list(self.slots.values()))

    def is_alive(self) -> bool:
        """Return whether the writer still has the file open."""
        try:
            theirs = os.stat(path_of(self.handle.process, self.handle.file))
        except OSError:
            return False
        return os.path.samestat(theirs, os.fstat(self.file))

    def expects_messages(self) -> bool:
        """Return whether a message may still come."""
        return self.header.count(SENT) > 0


class _State:
    """The rings that this process reads, and its name, which no other process has."""

    def __init__(self) -> None:
        self.name = os.urandom(TOKEN)
        self.rings: dict[bytes, _RingReader] = {}
        self.refused: dict[bytes, str] = {}
        self.trouble: str | None = None
        self.has_read = False
        self.parent_has_read = False

    def inherit(self) -> None:
        """Leave the rings to the parent: this is a forked child."""
        has_read = self.has_read and self.trouble is None
        self.__init__()  # type: ignore[misc]  # from the start
        self.parent_has_read = has_read


_state = _State()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_state.inherit)


def map_ring(handle: Handle) -> None:
    """Map a ring that is new to this process. If that fails, its parts continue to come by value."""
    with slots.lock:
        if handle.token in _state.rings or handle.token in _state.refused:
            return
        drop_dead()
        try:
            _state.rings[handle.token] = _RingReader(handle)
            _state.has_read, _state.trouble = keep_reserve(), None
        except (OSError, _RefusedError) as error:
            for token in list(_state.refused)[: 1 - _LATE]:
                _state.refused.pop(token, None)
            _state.refused[handle.token] = _state.trouble = str(error)


def open_part(message: Message) -> npt.NDArray[np.uint8]:
    """Return the bytes that a message stands for. This process frees them when the last array over them dies.

    Raises:
        RuntimeError: they were opened before, are gone with the process that wrote them, or cannot be read.
    """
    with slots.lock:
        map_ring(message.ring)
        ring = _state.rings.get(message.ring.token)
        return _copy_part(message) if ring is None else ring.open_part(message)


def trouble() -> str | None:
    """Return the reason why this process could not map the newest ring, or None if it could."""
    return _state.trouble


def parent_reads() -> bool:
    """Return whether the parent of this forked process had mapped other children's rings."""
    return _state.parent_has_read


def drop_dead() -> None:
    """Unmap the rings of processes that have ended, unless arrays lie over them or messages may still come."""
    late: list[bytes] = []
    for token in list(_state.rings):
        ring = _state.rings.get(token)
        if ring is None or ring.is_used() or ring.is_alive():
            continue
        if ring.expects_messages():
            late.append(token)
        else:
            _state.rings.pop(token, None)
    for token in late[:-_LATE]:
        _state.rings.pop(token, None)


def _copy_part(message: Message) -> npt.NDArray[np.uint8]:
    """Copy a part out of a ring that this process could not map, and free its slot."""
    process = message.ring.process
    try:
        with reserve():
            file = _file_of(message.ring)
            try:
                slot = Slot(_header_of(file, message.ring), file, message.slot, message.offset, message.room)
                slot.open(message.number)
                array = _read(file, message)
                slot.free()
                return array
            finally:
                close(file)
    except (OSError, _RefusedError) as error:
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            raise RuntimeError(
                f"a part of a batch that process {process} wrote cannot be read, because there are too many open files. Close "
                "some, raise the limit (ulimit -n), or turn batches in place off (in_place=False)"
            ) from error
        raise RuntimeError(
            f"a part of a batch is gone with process {process}, which wrote it ({error}). Let one process read all batches "
            "of a worker, or turn batches in place off (in_place=False)"
        ) from error


def _file_of(handle: Handle) -> int:
    path = path_of(handle.process, handle.file)
    if not os.readlink(path).startswith(f"/memfd:{NAME}"):
        raise _RefusedError(f"{path} is no longer a ring")
    return open_file(handle.process, handle.file)


def _header_of(file: int, handle: Handle) -> Header:
    if os.fstat(file).st_size < HEADER:
        raise _RefusedError("the ring is not ready")
    header = Header(file)
    if bytes(header.token) != handle.token:
        raise _RefusedError(f"descriptor {handle.file} of process {handle.process} is now another ring")
    return header


def _read(file: int, message: Message) -> npt.NDArray[np.uint8]:
    array: npt.NDArray[np.uint8] = np.empty(message.size, np.uint8)
    done = 0
    while done < message.size:
        done += os.preadv(file, [array.data[done:]], message.offset + done)
    return array
