"""Arrays over memory that is used again: what a process fills, and how it travels to the process that reads it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import weakref
from collections import deque
from multiprocessing.reduction import ForkingPickler
from multiprocessing.util import Finalize
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from seedsafe.ring import reader, slots
from seedsafe.ring.memory import impossible, watched
from seedsafe.ring.writer import PATIENCE, Address, Lease, Message, Ring, spare

__all__ = ["Part", "RingArray", "Spare", "empty", "new_part", "stay", "why_not"]

_ALIGNED: Final = 64


class RingArray(np.ndarray[Any, Any]):
    """An array over the memory of a ring: sent to another process of a pool or a loader, it goes without being copied.

    There it comes out as a plain array. Arrays made of it, and pickles for any other purpose, are plain too.
    """

    lease: Lease | None = None

    def __array_finalize__(self, made_from: Any) -> None:
        self.lease = None

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.view(np.ndarray).__reduce_ex__(protocol)


def _sent(array: RingArray) -> tuple[Any, ...]:
    """Return how an array is rebuilt in the process that reads it."""
    lease = array.lease
    if lease is None:
        return _same, (np.ascontiguousarray(array.view(np.ndarray)),)
    message = lease.send(array.nbytes)
    if message is not None:
        return _opened, (message, array.dtype, array.shape)
    return _by_value, (array.tobytes(), array.dtype, array.shape, lease.ring.address)


ForkingPickler.register(RingArray, _sent)


def _same(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array


def _opened(message: Message, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    return reader.opened(message).view(dtype).reshape(shape)


def _by_value(
    value: bytes, dtype: np.dtype[Any], shape: tuple[int, ...], address: Address
) -> npt.NDArray[Any]:
    reader.meet(address)
    array: npt.NDArray[Any] = np.frombuffer(_block(len(value)), dtype).reshape(shape)
    array[...] = np.frombuffer(value, dtype).reshape(shape)
    return array


def _block(nbytes: int) -> memoryview:
    """Return memory of this process at a multiple of 64 bytes."""
    block = np.empty(nbytes + _ALIGNED, np.uint8)
    start = -block.ctypes.data % _ALIGNED
    return block.data[start : start + nbytes]


class _Buffers:
    """Private memory of this process: blocks that no array is over any more, for the next ones."""

    def __init__(self) -> None:
        self._free: deque[memoryview] = deque(maxlen=spare(1))

    def take(self, nbytes: int, parts: int) -> npt.NDArray[np.uint8]:
        """Return memory for a part of a batch of so many parts."""
        with slots.lock:
            free = self._drained()
            block = min((one for one in free if len(one) >= nbytes), key=len, default=None)
            if spare(parts) > (self._free.maxlen or 0):
                self._free = deque(maxlen=spare(parts))
            if block is None:
                block = _block(nbytes)  # and those that are free are outgrown
            else:
                self._free.extendleft(one for one in free if one is not block)
        return watched(block, nbytes, self._release, block)

    def _drained(self) -> list[memoryview]:
        """Return the free blocks, those used last first: one by one, since an array may die between any two."""
        free: list[memoryview] = []
        with contextlib.suppress(IndexError):
            while True:
                free.append(self._free.pop())
        return free

    def _release(self, block: memoryview) -> None:
        self._free.append(block)  # the oldest goes where there are enough


class _Mine:
    """The buffers and the ring of this process."""

    def __init__(self) -> None:
        self._buffers = weakref.ref(_Buffers())  # which die at once
        self.ring: Ring | None = None
        self.stays = False

    def inherit(self) -> None:
        """Leave the ring to the parent, and its spare memory: this is a forked child."""
        if (buffers := self._buffers()) is not None:
            buffers.__init__()  # type: ignore[misc]  # everything anew
        self.ring, self.stays = None, False

    def buffers(self) -> _Buffers:
        """Return this process's buffers, which live as long as an array over one or a `Spare` does."""
        if (buffers := self._buffers()) is None:
            buffers = _Buffers()
            self._buffers = weakref.ref(buffers)
        return buffers

    def its_ring(self) -> Ring | None:
        """Return this process's ring; None if there cannot be one."""
        if self.ring is None and impossible() is None:
            with contextlib.suppress(OSError):
                self.ring = Ring(trusting=self.stays and reader.parent_reads())
        return None if self.ring is None or _unread(self.ring) else self.ring


_mine = _Mine()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_mine.inherit)


class Spare:
    """Kept by whoever makes one batch after the other: what is free is kept as long, for the next batch.

    With the last of them the free memory of this process goes, and with each the files of workers that have ended.

    Example:
        >>> spare = Spare()
        >>> address = empty((64, 1024), "uint8").ctypes.data
        >>> empty((64, 1024), "uint8").ctypes.data == address
        True
    """

    def __init__(self) -> None:
        self._buffers = _mine.buffers()
        weakref.finalize(self, reader.drop_dead).atexit = False

    def __reduce__(self) -> tuple[type[Spare], tuple[()]]:
        return Spare, ()


def _unread(ring: Ring) -> str | None:
    if ring.unanswered > PATIENCE and not ring.header.is_read:
        return "the process that reads the batches could not map this one's memory"
    return None


def why_not() -> str | None:
    """Return why batches of this process's workers do not travel in place, or None if they do.

    Example:
        >>> import sys
        >>> why_not() is None or sys.platform != "linux"
        True
    """
    return impossible() or (None if _mine.ring is None else _unread(_mine.ring)) or reader.trouble()


class Part(NamedTuple):
    """Memory for a part of a batch, which is used again when no array over it is left; with a lease it travels."""

    memory: npt.NDArray[np.uint8]
    lease: Lease | None = None

    def array(self, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """Return an array over the first bytes, which travels in place if the memory does."""
        wanted = np.dtype(dtype)
        nbytes = int(np.prod(shape, dtype=np.int64)) * wanted.itemsize
        array = self.memory[:nbytes].view(wanted).reshape(shape)
        if self.lease is None:
            return array
        leased = array.view(RingArray)
        leased.lease = self.lease
        return leased


def new_part(nbytes: int, *, travels: bool = False, parts: int = 1) -> Part | None:
    """Return memory for a part of a batch.

    Args:
        nbytes: of the part.
        travels: the part is made in a worker, for the process that started it.
        parts: that the batch has, as far as is known: memory is kept for those of two to four batches.

    Returns:
        the memory; None where it cannot travel in place, or there is no room for one more part.
    """
    if not travels:
        return Part(_mine.buffers().take(nbytes, parts))
    with slots.lock:
        ring = _mine.its_ring()
    taken = None if ring is None else ring.take(nbytes, parts)
    return None if taken is None else Part(*taken)


def empty(shape: tuple[int, ...], dtype: npt.DTypeLike, *, travels: bool = False) -> npt.NDArray[Any]:
    """Return an array to fill, like numpy.empty, in memory that is used again when no view of it is left.

    Args:
        shape: of the array.
        dtype: of its elements.
        travels: the array is made in a worker, for the process that started it.

    Example:
        >>> batch = empty((64, 32, 32, 3), "uint8")
        >>> batch.shape, batch.ctypes.data % 64
        ((64, 32, 32, 3), 0)
    """
    nbytes = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    part = new_part(nbytes, travels=travels) if nbytes else None
    return np.empty(shape, dtype) if part is None else part.array(dtype, shape)


def stay() -> None:
    """Say that this process ends only when its reader reads no more, as a DataLoader's workers do.

    A forked one whose parent has read others' rings then sends by slot from the first part on, and what it has sent and
    nobody has opened is given back when it ends.
    """
    if not _mine.stays:
        _mine.stays = True
        Finalize(None, _end_if_alone, args=(os.getppid(),), exitpriority=0)
        Finalize(None, _leave, exitpriority=-10)  # after the queues have sent what they have to


def _end_if_alone(parent: int) -> None:
    """End at once if the reader is dead: a queue would wait for ever for somebody to take what went by value.

    Args:
        parent: the parent's pid while it lived. multiprocessing takes a dead one for alive while a worker that was forked
            later lives.
    """
    reader = multiprocessing.parent_process()
    if os.getppid() != parent or (reader is not None and not reader.is_alive()):
        os._exit(1)


def _leave() -> None:
    if _mine.ring is not None:
        _mine.ring.leave(unopened=_mine.stays)
