"""Buffers of this process: memory for batches that is used again when the last array over it has died."""

from __future__ import annotations

import weakref
from typing import Final

import numpy as np
import numpy.typing as npt

from seedsafe.ring import forks
from seedsafe.ring.writer import Held

__all__ = ["Buffers"]

_ALIGNED: Final = 64
_SPARE: Final = 8


class _Buffer:
    __slots__ = ("memory",)

    def __init__(self, size: int) -> None:
        block = np.empty(size + _ALIGNED, np.uint8)
        start = -block.ctypes.data % _ALIGNED
        self.memory = block.data[start : start + size]


class Buffers:
    """Private memory of this process; a forked child has a copy of it, as of all else.

    Example:
        >>> buffers = Buffers()
        >>> first = buffers.take(100)
        >>> address = first.memory.ctypes.data
        >>> del first
        >>> buffers.take(90).memory.ctypes.data == address
        True
    """

    def __init__(self) -> None:
        self._free: list[_Buffer] = []
        self._taken = 0

    def take(self, nbytes: int) -> Held:
        """Return memory for a part of a batch, at a multiple of 64 bytes."""
        with forks.lock:
            fitting = [buffer for buffer in reversed(self._free) if len(buffer.memory) >= nbytes]
            if fitting:
                buffer = min(fitting, key=lambda buffer: len(buffer.memory))
                self._free.remove(buffer)
            else:
                self._free.clear()  # outgrown
                buffer = _Buffer(nbytes)
            self._taken += 1
        array: npt.NDArray[np.uint8] = np.frombuffer(buffer.memory, np.uint8, nbytes)
        weakref.finalize(array, self._release, buffer).atexit = False
        return Held(array)

    def _release(self, buffer: _Buffer) -> None:
        self._taken -= 1
        self._free.append(buffer)
        while len(self._free) > max(_SPARE, self._taken):
            self._free.pop(0)
