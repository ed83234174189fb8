"""Memory for what lies between two steps: one buffer for each thread, kept from call to call."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Final

import numpy as np

from seedsafe.ground.info import Array

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["scratch", "scratch_planes"]


_LARGE: Final = 2**22
"""So many bytes of planes do not stay in the caches."""


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

    They begin at different places of a cache line. Where they do not, OpenCV splits an image around the caches: then its planes
    are read from memory again, which pays for large ones only, and a window of a wider image takes up to fifty times as long.

    Example:
        >>> [plane.shape for plane in scratch_planes(2, np.zeros((5, 4, 3), np.uint8))]
        [(5, 4), (5, 4)]
    """
    height, width = image.shape[:2]
    row = width * image.itemsize
    step = -(-height * row // 16) * 16
    if count * step < _LARGE or not image.flags.c_contiguous:
        step += 8
    planes = np.ndarray(
        (count, height, width), image.dtype, scratch((count * step,)), strides=(step, row, image.itemsize)
    )
    return [planes[k] for k in range(count)]  # in half the time of list(planes)
