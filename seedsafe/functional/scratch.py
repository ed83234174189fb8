"""Memory for what lies between two steps: one buffer for each thread, kept from call to call."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

import numpy as np

from seedsafe.info import Array

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["scratch"]


class _Buffer(threading.local):
    def __init__(self) -> None:
        self.memory = np.empty(0, np.uint8)


_buffer = _Buffer()


def scratch(shape: tuple[int, ...], dtype: npt.DTypeLike = np.uint8) -> Array:
    """Return an array of this thread's buffer, C-contiguous, filled with anything.

    The next call in the thread hands out the same memory: take all that a function needs at once, and call nothing that
    takes any before it is done with. It is never part of a result.

    Example:
        >>> scratch((2, 3), np.float32).shape
        (2, 3)
    """
    kind = np.dtype(dtype)
    wanted = math.prod(shape) * kind.itemsize
    if _buffer.memory.size < wanted:
        _buffer.memory = np.empty(wanted, np.uint8)
    return _buffer.memory[:wanted].view(kind).reshape(shape)
