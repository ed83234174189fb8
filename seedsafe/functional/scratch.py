"""Memory for what lies between two steps: one buffer for each thread, kept from call to call."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

import numpy as np

from seedsafe.info import Array

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["scratch", "scratch_planes"]


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
    if math.prod(shape) * np.dtype(dtype).itemsize > _buffer.memory.size:
        _buffer.memory = np.empty(math.prod(shape) * np.dtype(dtype).itemsize, np.uint8)
    return np.ndarray(shape, dtype, _buffer.memory)


def scratch_planes(count: int, image: Array) -> list[Array]:
    """Return so many planes (H, W) of this thread's buffer, in an image's dtype; see `scratch`.

    Example:
        >>> [plane.shape for plane in scratch_planes(2, np.zeros((5, 4, 3), np.uint8))]
        [(5, 4), (5, 4)]
    """
    planes = scratch((count, *image.shape[:2]), image.dtype)
    return [planes[k] for k in range(count)]  # in half the time of list(planes)
