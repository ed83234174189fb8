"""Arrays in reused memory, shared between processes."""

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

from seedsafe.ring import arena, reader
from seedsafe.ring.arena import READ
from seedsafe.ring.memory import close_all, impossible, watch
from seedsafe.ring.writer import PATIENCE, Message, Ring, Send, spare

__all__ = ["Part", "RingArray", "Spare", "empty", "new_part", "stay", "why_not"]

_ALIGNED: Final = 64


class RingArray(np.ndarray[Any, Any]):
    """An array over the memory of a ring, which goes to another process of a pool or a loader without a copy.

    There it arrives as a plain array. Arrays made from it, and pickles for any other purpose, are plain too.
    """

    send: Send | None = None

    def __array_finalize__(self, source: Any) -> None:
        self.send = None

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.view(np.ndarray).__reduce_ex__(protocol)


def _reduce(array: RingArray) -> tuple[Any, ...]:
    """Send an array's slot or its bytes, and return the function and the arguments that rebuild the array in its reader."""
    if array.send is None:
        return np.asarray, (np.ascontiguousarray(array.view(np.ndarray)),)
    message = array.send()
    return _rebuild, (message, array.dtype, array.shape, None if message.use else array.tobytes())


ForkingPickler.register(RingArray, _reduce)


def _rebuild(
    message: Message, dtype: np.dtype[Any], shape: tuple[int, ...], value: bytes | None
) -> npt.NDArray[Any]:
    if value is None:
        array = reader.open_part(message, _nbytes(shape, dtype))
    else:
        reader.map_ring(message.ring)  # for the next ones
        array = np.frombuffer(_block(len(value)), np.uint8)
        array[...] = np.frombuffer(value, np.uint8)
    return array.view(dtype).reshape(shape)


def _block(nbytes: int) -> memoryview:
    """Return private memory that begins at a multiple of 64 bytes."""
    block = np.empty(nbytes + _ALIGNED, np.uint8)
    start = -block.ctypes.data % _ALIGNED
    return block.data[start : start + nbytes]


class _Buffers:
    """The free blocks of this process's private memory."""

    def __init__(self) -> None:
        self._free: deque[memoryview] = deque(maxlen=spare(1))

    def take(self, nbytes: int, parts: int) -> npt.NDArray[np.uint8]:
        """Return memory for one of the `parts` of a batch."""
        with arena.lock:
            free = self._drain()
            block = min((one for one in free if len(one) >= nbytes), key=len, default=None)
            if spare(parts) > (self._free.maxlen or 0):
                self._free = deque(maxlen=spare(parts))
            if block is None:
                block = _block(nbytes)  # the free ones are too small, and are dropped
            else:
                self._free.extendleft(one for one in free if one is not block)
        return watch(block, nbytes, self._release, block)

    def _drain(self) -> list[memoryview]:
        """Take out the free blocks, last used first, and one by one: an array may die between any two."""
        free: list[memoryview] = []
        with contextlib.suppress(IndexError):
            while True:
                free.append(self._free.pop())
        return free

    def _release(self, block: memoryview) -> None:
        self._free.append(block)  # a full deque drops its oldest block


class _Mine:
    """The buffers and the ring of this process."""

    def __init__(self) -> None:
        self._buffers = weakref.ref(_Buffers())  # dead at once: `buffers` makes them
        self.ring: Ring | None = None
        self.stays = False

    def inherit(self) -> None:
        """Leave the ring and the free memory to the parent: this is a forked child."""
        if (buffers := self._buffers()) is not None:
            buffers.__init__()  # type: ignore[misc]  # from the start
        self.ring, self.stays = None, False

    def buffers(self) -> _Buffers:
        """Return this process's buffers, which live as long as an array over one or a `Spare` does."""
        if (buffers := self._buffers()) is None:
            buffers = _Buffers()
            self._buffers = weakref.ref(buffers)
        return buffers

    def open_ring(self) -> Ring | None:
        """Return this process's ring, or None if it cannot have one."""
        if self.ring is None and impossible() is None:
            with contextlib.suppress(OSError):
                self.ring = Ring(trusting=self.stays and reader.state.is_read)
        return None if self.ring is None or _why_unread(self.ring) else self.ring


_mine = _Mine()


def _after_in_child() -> None:
    close_all()
    arena.after_in_child()
    reader.state.inherit()
    _mine.inherit()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(
        before=arena.before_fork, after_in_parent=arena.after_in_parent, after_in_child=_after_in_child
    )


class Spare:
    """Keeps this process's free memory for the next batch, as long as an instance lives.

    When an instance dies, the rings of workers that have ended are unmapped. The last one takes the free memory with it.

    Example:
        >>> spare = Spare()
        >>> pointer = empty((64, 1024), "uint8").ctypes.data
        >>> empty((64, 1024), "uint8").ctypes.data == pointer
        True
    """

    def __init__(self) -> None:
        self._buffers = _mine.buffers()
        weakref.finalize(self, reader.drop_dead).atexit = False

    def __reduce__(self) -> tuple[type[Spare], tuple[()]]:
        return Spare, ()


def _why_unread(ring: Ring) -> str | None:
    if ring.unanswered > PATIENCE and not ring.settings[READ]:
        return "the process that reads the batches could not map the worker's memory"
    return None


def why_not() -> str | None:
    """Return the reason why batches of this process's workers do not travel in place, or None if they do.

    Example:
        >>> import sys
        >>> why_not() is None or sys.platform != "linux"
        True
    """
    return impossible() or (None if _mine.ring is None else _why_unread(_mine.ring)) or reader.state.trouble


class Part(NamedTuple):
    """Memory for a part of a batch, reused when no array over it is left, and what sends it if it travels."""

    memory: npt.NDArray[np.uint8]
    send: Send | None = None

    def array(self, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """Return an array over the first bytes, which travels in place if the memory does."""
        array = self.memory[: _nbytes(shape, dtype)].view(dtype).reshape(shape)
        if self.send is None:
            return array
        travelling = array.view(RingArray)
        travelling.send = self.send
        return travelling


def new_part(nbytes: int, *, travels: bool = False, parts: int = 1) -> Part | None:
    """Return memory for a part of a batch, or None if it cannot travel in place or no room is left.

    Args:
        nbytes: the size of the part.
        travels: whether a worker makes the part for the process that started it.
        parts: the number of parts of the batch, as far as known. Memory is kept for two to four batches of them.
    """
    if not travels:
        return Part(_mine.buffers().take(nbytes, parts))
    with arena.lock:
        ring = _mine.open_ring()
    lent = None if ring is None else ring.take(nbytes, parts)
    return None if lent is None else Part(*lent)


def _nbytes(shape: tuple[int, ...], dtype: npt.DTypeLike) -> int:
    return int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize


def empty(shape: tuple[int, ...], dtype: npt.DTypeLike, *, travels: bool = False) -> npt.NDArray[Any]:
    """Return an array to fill, like numpy.empty, in memory that is reused when no view of it is left; see `new_part`.

    Example:
        >>> batch = empty((64, 32, 32, 3), "uint8")
        >>> batch.shape, batch.ctypes.data % 64
        ((64, 32, 32, 3), 0)
    """
    nbytes = _nbytes(shape, dtype)
    part = new_part(nbytes, travels=travels) if nbytes else None
    return np.empty(shape, dtype) if part is None else part.array(dtype, shape)


def stay() -> None:
    """Declare that this process ends only when its reader has stopped reading, as a DataLoader's workers do.

    If it was forked by a process that has read other rings, it sends by slot from the first part on. When it ends, it
    gives back the slots that it has sent and nobody has opened.
    """
    if not _mine.stays:
        _mine.stays = True
        Finalize(None, _end_if_alone, args=(os.getppid(),), exitpriority=0)
        Finalize(None, _leave, exitpriority=-10)  # after the queues have sent their messages


def _end_if_alone(parent: int) -> None:
    """End at once if the reader is dead: a queue would wait forever for someone to take the parts sent by value.

    Args:
        parent: the pid of the parent when it was alive. multiprocessing takes a dead parent for alive as long as a worker
            that was forked later lives.
    """
    reader = multiprocessing.parent_process()
    if os.getppid() != parent or (reader is not None and not reader.is_alive()):
        os._exit(1)


def _leave() -> None:
    if _mine.ring is not None:
        _mine.ring.leave(unopened=_mine.stays)
