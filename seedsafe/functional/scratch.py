"""Memory between two steps: thread-local buffers and parts."""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from seedsafe.ground.info import Array
from seedsafe.keys.key import Address
from seedsafe.keys.words import sixteenths

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["noise_parts", "part_of", "parts", "scratch", "scratch_planes"]

_LARGE: Final = 2**22
"""From this many bytes on, planes do not stay in the caches."""


class _Buffer(threading.local):
    def __init__(self) -> None:
        self.memory = np.empty(0, np.uint8)


_buffer = _Buffer()


def _references() -> int:
    """Return the reference count of memory that `scratch` sees if no array uses it."""
    memory = _buffer.memory
    return sys.getrefcount(memory)


_UNUSED: Final = _references()


def scratch(shape: tuple[int, ...], dtype: npt.DTypeLike = np.uint8) -> Array:
    """Return a C-contiguous array over this thread's buffer, with arbitrary values.

    The next call in the thread returns the same memory only if no array uses it any more, because a signal handler or a
    finalizer may augment a sample in the middle of another one. Never use it for a result.

    Example:
        >>> first = scratch((2, 3), np.float32)
        >>> first.shape, np.shares_memory(first, scratch((2, 3), np.float32))
        ((2, 3), False)
    """
    memory, nbytes = _buffer.memory, math.prod(shape) * np.dtype(dtype).itemsize
    if nbytes > memory.size or sys.getrefcount(memory) > _UNUSED:
        memory = _buffer.memory = np.empty(nbytes, np.uint8)
    return np.ndarray(shape, dtype, memory)


def scratch_planes(count: int, image: Array) -> list[Array]:
    """Return `count` planes (H, W) in this thread's buffer, in an image's dtype; see `scratch`.

    They begin at different offsets in a cache line. With equal offsets, OpenCV writes past the caches when it splits an
    image: that pays only for large planes, and a window of a wider image takes up to fifty times as long.

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
    # Twice as fast as list(planes) (python -m benchmarks --only HueSaturationValue).
    return [planes[k] for k in range(count)]


_LEAST: Final = 2**17
"""The least number of bytes in a part: fewer are not worth a call."""


def part_of(array: Array, each: int) -> int:
    """Return the number of values to process at once, so that they take no more memory than the array, or 128 KiB.

    A value takes `each` bytes of temporary memory.

    Example:
        >>> part_of(np.zeros((512, 512, 3), np.uint8), 8)
        98304
    """
    return max(_LEAST, array.nbytes) // each


def parts(count: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the first value and the one after the last of each part of `count` values.

    Example:
        >>> list(parts(5, 2))
        [(0, 2), (2, 4), (4, 5)]
    """
    for first in range(0, count, size):
        yield first, min(first + size, count)


def noise_parts(noise: Address, count: int, size: int) -> Iterator[tuple[int, int, Array]]:
    """Yield the ends of the parts of `count` values, as `parts` does, and the 16-bit pieces of noise for each part.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> [(first, last, pieces.tolist()) for first, last, pieces in noise_parts(address(SampleKey(0, 0, 0)), 3, 2)]
        [(0, 2, [55451, 2276]), (2, 3, [47716])]
    """
    for first, last in parts(count, size):
        yield first, last, sixteenths(noise, last - first, first)
