"""The rings that this process reads: mapped once, opened slot by slot, freed when the last array over a slot dies."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from seedsafe.ring import forks
from seedsafe.ring.header import ABSENT, FREE, HEADER, HELD, SENT, TOKEN, Header
from seedsafe.ring.mapping import NAME, close, give_back, is_held, mapped, named
from seedsafe.ring.writer import Address, Place

__all__ = ["meet", "opened", "parent_reads", "trouble"]

_LATE: Final = 8
"""So many rings of dead processes are kept for messages that may still come."""


class _RefusedError(Exception):
    """A ring that this process cannot share."""


class _Reading:
    """A ring as its reader has it."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.file = _file_of(address)
        weakref.finalize(self, close, self.file).atexit = False
        self.header = _header_of(self.file, address)
        if self.header.reader not in (bytes(TOKEN), _state.name):
            raise _RefusedError("another process reads them")
        self._slots: dict[int, tuple[int, Any]] = {}
        self._held: set[int] = set()
        self._spoiled: set[int] = set()
        self.header.reader = _state.name
        forks.watch(self)

    def opened(self, place: Place) -> npt.NDArray[np.uint8]:
        """Return the bytes of a place, whose slot is freed when they die."""
        _require_sent(self.header, place)
        self.header.flags[place.slot] = HELD
        try:
            array: npt.NDArray[np.uint8] = np.frombuffer(self._memory(place), np.uint8, place.size)
        except OSError:  # too many mappings, or too little memory: a copy does not need one
            array = _read(self.file, place)
            self.header.flags[place.slot] = FREE
            return array
        self._held.add(place.slot)
        weakref.finalize(array, self._release, place.slot, os.getpid()).atexit = False
        return array

    def _memory(self, place: Place) -> Any:
        offset, memory = self._slots.get(place.slot, (-1, None))
        if offset != place.offset:
            for slot in [slot for slot in self._slots if self.header.flags[slot] == ABSENT]:
                del self._slots[slot]
            memory = mapped(self.file, place.room, place.offset)
            self._slots[place.slot] = place.offset, memory
        return memory

    def _release(self, slot: int, process: int) -> None:
        if os.getpid() != process:
            return  # the parent's slot: this is a forked child
        self._held.discard(slot)
        if slot in self._spoiled:
            return
        if self.header.count(FREE) >= self.header.spare and not is_held(self.file, slot):
            give_back(self._slots[slot][1])
        self.header.flags[slot] = FREE
        if not (self._held or self.has_late() or self.is_alive()):
            _state.rings.pop(self.address.token, None)

    def is_alive(self) -> bool:
        """Return whether the writer still has the file open."""
        try:
            theirs = os.stat(named(self.address.process, self.address.file))
        except OSError:
            return False
        return os.path.samestat(theirs, os.fstat(self.file))

    def has_late(self) -> bool:
        """Return whether a message may still come."""
        return self.header.count(SENT) > 0

    def held(self) -> Iterable[int]:
        """Return the numbers of the slots that this process holds arrays over."""
        return tuple(self._held)

    def spoil(self, number: int) -> None:
        """Never use a slot again."""
        self._spoiled.add(number)


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
    with forks.lock:
        if address.token in _state.rings or address.token in _state.refused:
            return
        _drop_dead()
        try:
            _state.rings[address.token] = _Reading(address)
            _state.has_read, _state.trouble = True, None
        except (OSError, _RefusedError) as error:
            while len(_state.refused) >= _LATE:
                del _state.refused[next(iter(_state.refused))]
            _state.refused[address.token] = _state.trouble = str(error)


def opened(place: Place) -> npt.NDArray[np.uint8]:
    """Return the bytes at a place, which this process frees when the last array over them dies.

    Raises:
        RuntimeError: they were opened before, or are gone with the process that wrote them.
    """
    with forks.lock:
        meet(place.ring)
        ring = _state.rings.get(place.ring.token)
        return _copied(place) if ring is None else ring.opened(place)


def trouble() -> str | None:
    """Return why this process could not map the ring that it heard of last, or None."""
    return _state.trouble


def parent_reads() -> bool:
    """Return whether the process that this one was forked from had mapped other children's rings."""
    return _state.parent_has_read


def _drop_dead() -> None:
    """Unmap the rings of processes that have ended, except for what is held or may still come."""
    late = []
    for token, ring in list(_state.rings.items()):
        if ring.held() or ring.is_alive():
            continue
        if ring.has_late():
            late.append(token)
        else:
            del _state.rings[token]
    for token in late[:-_LATE]:
        del _state.rings[token]


def _copied(place: Place) -> npt.NDArray[np.uint8]:
    """Return a copy of a place in a ring that another process reads, and free its slot."""
    try:
        file = _file_of(place.ring)
        try:
            header = _header_of(file, place.ring)
            _require_sent(header, place)
            array = _read(file, place)
            header.flags[place.slot] = FREE
            return array
        finally:
            close(file)
    except (OSError, _RefusedError) as error:
        raise RuntimeError(
            f"a part of a batch is gone with process {place.ring.process}, which wrote it ({error}): let one process read "
            "all batches of a worker, or send them in another way (in_place=False)"
        ) from error


def _require_sent(header: Header, place: Place) -> None:
    if header.flags[place.slot] != SENT or header.numbers[place.slot] != place.number:
        raise RuntimeError(
            "this batch's message was opened before, and can be opened only once: pickle the batch itself to keep or share it"
        )


def _file_of(address: Address) -> int:
    path = named(address.process, address.file)
    if not os.readlink(path).startswith(f"/memfd:{NAME}"):
        raise _RefusedError(f"{path} is not a ring any more")
    return os.open(path, os.O_RDWR | os.O_CLOEXEC)


def _header_of(file: int, address: Address) -> Header:
    if os.fstat(file).st_size < HEADER:
        raise _RefusedError("the ring is not ready")
    header = Header(file)
    if header.token != address.token:
        raise _RefusedError(f"descriptor {address.file} of process {address.process} is another ring now")
    return header


def _read(file: int, place: Place) -> npt.NDArray[np.uint8]:
    array: npt.NDArray[np.uint8] = np.empty(place.size, np.uint8)
    done = 0
    while done < place.size:
        done += os.preadv(file, [array.data[done:]], place.offset + done)
    return array
