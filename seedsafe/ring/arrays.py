"""Arrays in a slot: what a process fills, and how it travels to the process that reads it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
from multiprocessing.reduction import ForkingPickler
from multiprocessing.util import Finalize
from typing import Any

import numpy as np
import numpy.typing as npt

from seedsafe.ring import forks, reader
from seedsafe.ring.buffers import Buffers
from seedsafe.ring.mapping import PROC
from seedsafe.ring.writer import PATIENCE, Address, Held, Lease, Place, Ring

__all__ = ["Placed", "empty", "impossible", "placed", "stay", "taken", "why_not"]


class Placed(np.ndarray[Any, Any]):
    """An array over the memory of a ring: sent to another process of a pool or a loader, it goes without being copied.

    There it comes out as a plain array. Arrays made of it, and pickles for any other purpose, are plain too.
    """

    lease: Lease | None = None

    def __array_finalize__(self, made_from: Any) -> None:
        self.lease = None

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.view(np.ndarray).__reduce_ex__(protocol)


def _sent(array: Placed) -> tuple[Any, ...]:
    """Return how an array is rebuilt in the process that reads it."""
    lease = array.lease
    if lease is None:
        return _same, (np.ascontiguousarray(array.view(np.ndarray)),)
    place = lease.send(array.nbytes)
    if place is not None:
        return _opened, (place, array.dtype, array.shape)
    return _by_value, (array.tobytes(), array.dtype, array.shape, lease.address)


ForkingPickler.register(Placed, _sent)


def _same(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array


def _opened(place: Place, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    return reader.opened(place).view(dtype).reshape(shape)


def _by_value(
    value: bytes, dtype: np.dtype[Any], shape: tuple[int, ...], address: Address
) -> npt.NDArray[Any]:
    reader.meet(address)
    array = empty(shape, dtype)
    array[...] = np.frombuffer(value, dtype).reshape(shape)
    return array


class _Mine:
    """The buffers and the ring of this process."""

    def __init__(self) -> None:
        self.buffers = Buffers()
        self.ring: Ring | None = None
        self.stays = False

    def inherit(self) -> None:
        """Leave the ring to the parent: this is a forked child."""
        self.ring, self.stays = None, False

    def its_ring(self) -> Ring | None:
        """Return this process's ring; None if there cannot be one."""
        if self.ring is None and impossible() is None:
            with contextlib.suppress(OSError):
                self.ring = Ring(trusting=self.stays and reader.parent_reads())
        return None if self.ring is None or _unread(self.ring) else self.ring


_mine = _Mine()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_mine.inherit)


def impossible() -> str | None:
    """Return why no batch can travel in place on this system, or None if they can.

    Example:
        >>> import sys
        >>> impossible() is None or sys.platform != "linux"
        True
    """
    if not hasattr(os, "memfd_create") or sys.maxsize < 2**32:
        return f"memory files need 64-bit Linux, and this is {sys.platform}"
    if not os.path.isdir(f"{PROC}/self/fd"):
        return f"{PROC} is not mounted: a process cannot open another's memory file"
    return None


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


def taken(nbytes: int, *, travels: bool = False) -> Held | None:
    """Return memory for a part of a batch, which is used again when no array over it is left.

    Args:
        nbytes: of the part.
        travels: the part is made in a worker, for the process that started it.

    Returns:
        the memory; None where it cannot travel in place, or there is no room for one more part.
    """
    if not travels:
        return _mine.buffers.take(nbytes)
    with forks.lock:
        ring = _mine.its_ring()
    return None if ring is None else ring.take(nbytes)


def placed(held: Held, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return an array over the first bytes of a part's memory, which travels in place if the memory does."""
    wanted = np.dtype(dtype)
    nbytes = int(np.prod(shape, dtype=np.int64)) * wanted.itemsize
    array = held.memory[:nbytes].view(wanted).reshape(shape)
    if held.lease is None:
        return array
    marked = array.view(Placed)
    marked.lease = held.lease
    return marked


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
    held = taken(nbytes, travels=travels) if nbytes else None
    return np.empty(shape, dtype) if held is None else placed(held, dtype, shape)


def stay() -> None:
    """Say that this process ends only when its reader reads no more, as a DataLoader's workers do.

    A forked one whose parent has read others' rings then sends by place from the first part on, and what it has sent and
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
