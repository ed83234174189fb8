"""Arrays in reused memory, shared between processes."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import weakref
from multiprocessing.reduction import ForkingPickler
from multiprocessing.util import Finalize
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from seedsafe.ring import arena, reader
from seedsafe.ring.memory import close_all, impossible, watch
from seedsafe.ring.writer import Message, Ring, Send, spare

__all__ = ["Part", "RingArray", "Spare", "empty", "new_part", "stay", "why_not"]

_ALIGNED: Final = 64
"""The bytes of a line of a processor's cache, which then belongs to one block alone."""


class RingArray(np.ndarray[Any, Any]):
    """An array over the memory of a ring, which goes to another process of a pool or a loader without a copy.

    There it arrives as a plain array. Arrays made from it, and pickles for any other purpose, are plain too.
    """

    send: Send | None = None

    def __array_finalize__(self, source: Any) -> None:
        # NumPy calls it for each view: only `Part.array` says that an array is the whole of a slot.
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
        self._free: dict[int, memoryview] = {}
        self._spare = 0

    def take(self, nbytes: int, parts: int) -> npt.NDArray[np.uint8]:
        """Return memory for one of the `parts` of a batch."""
        self._spare = max(self._spare, spare(parts))
        fitting = [block for block in list(self._free.values()) if len(block) >= nbytes]
        best = min(reversed(fitting), key=len, default=None)  # the last used, which a cache may still hold
        block = self._free.pop(id(best), None)  # None as well if another thread has just taken it
        if block is None:
            block = _block(nbytes)
        return watch(block, nbytes, self._release, block)

    def _release(self, block: memoryview) -> None:
        self._free[id(block)] = block
        for oldest in list(self._free)[: -self._spare]:
            self._free.pop(oldest, None)


class _Mine:
    """The buffers and the ring of this process."""

    def __init__(self) -> None:
        self._buffers: weakref.WeakValueDictionary[str, _Buffers] = weakref.WeakValueDictionary()
        self.ring: Ring | None = None
        self.stays = False

    def buffers(self) -> _Buffers:
        """Return this process's buffers, which live as long as an array over one or a `Spare` does."""
        return self._buffers.setdefault("", _Buffers())

    def open_ring(self) -> Ring | None:
        """Return this process's ring, or None if it cannot have one."""
        if self.ring is None and impossible() is None:
            with contextlib.suppress(OSError):
                self.ring = Ring()
        return None if self.ring is None or self.ring.why_unread() else self.ring


_mine = _Mine()


def _after_in_child() -> None:
    # The rings, the arrays over them and the free memory are the parent's.
    close_all()
    arena.after_in_child()
    reader.state.__init__()  # type: ignore[misc]
    _mine.buffers().__init__()  # type: ignore[misc]  # in place, since each `Spare` holds them
    _mine.ring, _mine.stays = None, False


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


def why_not() -> str | None:
    """Return the reason why batches of this process's workers do not travel in place, or None if they do.

    Example:
        >>> import sys
        >>> why_not() is None or sys.platform != "linux"
        True
    """
    return impossible() or (_mine.ring and _mine.ring.why_unread()) or reader.state.trouble


class Part(NamedTuple):
    """Memory for a part of a batch, reused when no array over it is left, and the function that sends it, if it is to be sent."""

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

    When it ends, it gives back the slots that it has sent and nobody has opened.
    """
    if not _mine.stays:
        _mine.stays = True
        # At priority -5, multiprocessing's queues wait for their reader.
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
