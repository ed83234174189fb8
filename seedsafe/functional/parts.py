"""Work part by part: what lies between two steps is as large as a part, which a processor's cache holds, not as an image."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from seedsafe.ground.info import Array
from seedsafe.keys.draws import sixteenths
from seedsafe.keys.key import Address

__all__ = ["noise_parts", "part_of", "parts"]

_LEAST: Final = 2**17
"""Bytes that a part takes at least: fewer are not worth a call."""


def part_of(array: Array, each: int) -> int:
    """Return how many values are worked on at once, so that together they take no more memory than the array, or 128 KiB.

    Args:
        array: what is worked on.
        each: the bytes that a value takes between the steps.

    Example:
        >>> import numpy as np
        >>> part_of(np.zeros((512, 512, 3), np.uint8), 8)
        98304
    """
    return max(_LEAST, array.nbytes) // each


def parts(count: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the ends of the parts of so many values.

    Example:
        >>> list(parts(5, 2))
        [(0, 2), (2, 4), (4, 5)]
    """
    for first in range(0, count, size):
        yield first, min(first + size, count)


def noise_parts(noise: Address, count: int, size: int) -> Iterator[tuple[int, int, Array]]:
    """Yield the ends of the parts of so many values, and the 16-bit pieces of noise for each part.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> [(first, last, pieces.tolist()) for first, last, pieces in noise_parts(address(SampleKey(0, 0, 0)), 3, 2)]
        [(0, 2, [55451, 2276]), (2, 3, [47716])]
    """
    for first, last in parts(count, size):
        yield first, last, sixteenths(noise, last - first, first)
