"""HSV of uint8 images, defined in integers.

OpenCV computes it where its build gives the same bytes. Each process tests that once, because builds for ARM round differently.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import Final

import numpy as np

from seedsafe.functional.carrier import opencv
from seedsafe.ground.info import Array

__all__ = ["multiply_shares", "opencv_agrees", "to_hsv"]

_HALF: Final = 2048
"""Half of a unit: reciprocals are in parts of 4096."""


def _reciprocals(numerator: float) -> Array:
    """Return ``numerator / d`` for each d from 0 to 255, in units of 1/4096, and 0 for d = 0."""
    return np.concatenate([[0.0], np.rint(numerator * 4096 / np.arange(1.0, 256.0))]).astype(np.int32)


_SATURATIONS: Final = _reciprocals(255)
_HUES: Final = _reciprocals(30)  # a sixth of the circle has 30 steps of 2°


def to_hsv(image: Array, out: Array) -> None:
    """Write the hue (0 to 179, in steps of 2°), saturation and value (0 to 255) of an RGB image, uint8, into `out`."""
    if opencv_agrees():
        opencv().cvtColor(image, opencv().COLOR_RGB2HSV, out)
    else:
        out[...] = _hsv(image)


def multiply_shares(shares: Array, values: Array, out: Array) -> None:
    """Write ``round(shares * values / 255)`` into `out`; all are uint8, and may be the same array."""
    if opencv_agrees():
        opencv().multiply(shares, values, out, 1 / 255)
    else:
        out[...] = _products(shares, values)


def _hsv(image: Array) -> Array:
    red, green, blue = np.moveaxis(image.astype(np.int32), -1, 0)
    top = np.maximum(np.maximum(red, green), blue)
    chroma = top - np.minimum(np.minimum(red, green), blue)
    of_green = np.where(top == green, blue - red + 2 * chroma, red - green + 4 * chroma)
    hue = (np.where(top == red, green - blue, of_green) * _HUES[chroma] + _HALF) >> 12
    hue += np.where(hue < 0, 180, 0)
    return np.stack([hue, (chroma * _SATURATIONS[top] + _HALF) >> 12, top], axis=-1).astype(np.uint8)


def _products(shares: Array, values: Array) -> Array:
    products = np.multiply(shares, values, dtype=np.uint16)
    # Together with the next two lines this is round(product / 255), exact for bytes and without a division.
    products += np.uint16(128)
    products += products >> 8
    return (products >> 8).astype(np.uint8)


@cache
def opencv_agrees() -> bool:
    """Return whether this OpenCV gives the same bytes as the integers here, for every hue, saturation and product."""
    cv2 = opencv()
    shares, values = np.indices((256, 256), np.uint8)
    if not np.array_equal(cv2.multiply(shares, values, scale=1 / 255), _products(shares, values)):
        return False
    more, less = (side.astype(np.uint8) for side in np.tril_indices(256))
    top = np.full_like(more, 255)
    # A hue follows from the chroma and the middle value, here at the value 255; a saturation from the value and the chroma.
    for colours in (*permutations((top, top - more, top - more + less)), (more, less, less)):
        # Without the first colour, black, the row ends in the middle of a vector: that tests the code for such ends too.
        row = np.stack(colours, axis=-1)[1:].reshape(1, -1, 3)
        if not np.array_equal(cv2.cvtColor(row, cv2.COLOR_RGB2HSV), _hsv(row)):
            return False
    return True
