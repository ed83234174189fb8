"""The rings that this process reads: mapped once, opened slot by slot, freed when the last array over a slot dies."""

from __future__ import annotations

import errno
import os
import weakref
from typing import Final

import numpy as np
import numpy.typing as npt

from seedsafe.ring import slots
from seedsafe.ring.memory import NAME, close, keep_reserve, open_file, path_of, reserve, watched
from seedsafe.ring.slots import ABSENT, HEADER, SENT, TOKEN, Header, Slot
from seedsafe.ring.writer import Address, Message

__all__ = ["drop_dead", "meet", "opened", "parent_reads", "trouble"]

_LATE: Final = 8
"""So many rings of dead processes are kept for messages that may still come."""


class _RefusedError(Exception):
    """A ring that this process cannot share."""


class _Reading:
    """A ring as its reader has it."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.process = os.getpid()
        self.file = _file_of(address)
        weakref.finalize(self, close, self.file).atexit = False
        self.header = _header_of(self.file, address)
        if bytes(self.header.reader) not in (bytes(TOKEN), _state.name):
            raise _RefusedError("another process reads them")
        self.slots: dict[int, Slot] = {}
        self.header.reader[:] = _state.name

    def opened(self, message: Message) -> npt.NDArray[np.uint8]:
        """Return the bytes that a message stands for, whose slot is freed when they die."""
        slot = self.slots.get(message.slot)
        if slot is None or slot.offset != message.offset:
            slot = Slot(self.header, self.file, message.slot, message.offset, message.room)
        slot.open(message.number)
        try:
            slot.map()
        except OSError:  # too many mappings, or too little memory: a copy does not need one
            array = _read(self.file, message)
            slot.free()
            return array
        if slot is not self.slots.get(message.slot):
            for number in list(self.slots):
                if self.header.states[number] == ABSENT:
                    self.slots.pop(number, None)
            self.slots[message.slot] = slot
        slot.use()
        return watched(slot.memory, message.size, self._release, slot)

    def _release(self, slot: Slot) -> None:
        if os.getpid() != self.process:
            return  # the parent's slot: this is a forked child
        slot.drop()
        slot.free()
        if not (self.is_used() or self.has_late() or self.is_alive()):
            _state.rings.pop(self.address.token, None)

    def is_used(self) -> bool:
        """Return whether this process has arrays over slots."""
        return any(slot.is_used for slot in list(self.slots.values()))

    def is_alive(self) -> bool:
        """Return whether the writer still has the file open."""
        try:
            theirs = os.stat(path_of(self.address.process, self.address.file))
        except OSError:
            return False
        return os.path.samestat(theirs, os.fstat(self.file))

    def has_late(self) -> bool:
        """Return whether a message may still come."""
        return self.header.count(SENT) > 0


class _State:
    """What this process reads, under a name that no other has."""

    def __init__(self) -> None:
        self.name = os.urandom(TOKEN)
        self.rings: dict[bytes, _Reading] = {}
        self.refused: dict[bytes, str] = {}
        self.trouble: str | None = None
        self.has_read = False
        self.parent_has_read = False

    def inherit(self) -> None:
        """Leave the rings to the parent: this is a forked child."""
        has_read = self.has_read and self.trouble is None
        self.__init__()  # type: ignore[misc]  # everything anew
        self.parent_has_read = has_read


_state = _State()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_state.inherit)


def meet(address: Address) -> None:
    """Map a ring that is heard of for the first time; where that fails, its parts go on coming by value."""
    with slots.lock:
        if address.token in _state.rings or address.token in _state.refused:
            return
        drop_dead()
        try:
            _state.rings[address.token] = _Reading(address)
            _state.has_read, _state.trouble = keep_reserve(), None
        except (OSError, _RefusedError) as error:
            for token in list(_state.refused)[: 1 - _LATE]:
                _state.refused.pop(token, None)
            _state.refused[address.token] = _state.trouble = str(error)


def opened(message: Message) -> npt.NDArray[np.uint8]:
    """Return the bytes that a message stands for, which this process frees when the last array over them dies.

    Raises:
        RuntimeError: they were opened before, are gone with the process that wrote them, or cannot be read.
    """
    with slots.lock:
        meet(message.ring)
        ring = _state.rings.get(message.ring.token)
        return _copied(message) if ring is None else ring.opened(message)


def trouble() -> str | None:
    """Return why this process could not map the ring that it heard of last, or None."""
    return _state.trouble


def parent_reads() -> bool:
    """Return whether the process that this one was forked from had mapped other children's rings."""
    return _state.parent_has_read


def drop_dead() -> None:
    """Unmap the rings of processes that have ended, except for what is held or may still come."""
    late: list[bytes] = []
    for token in list(_state.rings):
        ring = _state.rings.get(token)
        if ring is None or ring.is_used() or ring.is_alive():
            continue
        if ring.has_late():
            late.append(token)
        else:
            _state.rings.pop(token, None)
    for token in late[:-_LATE]:
        _state.rings.pop(token, None)


def _copied(message: Message) -> npt.NDArray[np.uint8]:
    """Return a copy of a part in a ring that this process could not map, and free its slot."""
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
                f"a part of a batch that process {process} wrote cannot be read, since there are too many open files: close "
                "some, raise the limit (ulimit -n), or send batches in another way (in_place=False)"
            ) from error
        raise RuntimeError(
            f"a part of a batch is gone with process {process}, which wrote it ({error}): let one process read all batches "
            "of a worker, or send them in another way (in_place=False)"
        ) from error


def _file_of(address: Address) -> int:
    path = path_of(address.process, address.file)
    if not os.readlink(path).startswith(f"/memfd:{NAME}"):
        raise _RefusedError(f"{path} is not a ring any more")
    return open_file(address.process, address.file)


def _header_of(file: int, address: Address) -> Header:
    if os.fstat(file).st_size < HEADER:
        raise _RefusedError("the ring is not ready")
    header = Header(file)
    if bytes(header.token) != address.token:
        raise _RefusedError(f"descriptor {address.file} of process {address.process} is another ring now")
    return header


def _read(file: int, message: Message) -> npt.NDArray[np.uint8]:
    array: npt.NDArray[np.uint8] = np.empty(message.size, np.uint8)
    done = 0
    while done < message.size:
        done += os.preadv(file, [array.data[done:]], message.offset + done)
    return array
