"""Exact sums over the pixels of one image: integers in, integers out.

Every value is taken as a whole number of units: 1 for uint8 and uint16, 2^-149 (the smallest float32) for float32.
A sum of values is then a Python integer of such units, a sum of squares one of units squared, and neither depends
on the order of addition.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedsafe.functional.carrier import opencv

__all__ = ["FLOAT_BITS", "PlaneSums", "plane_sums", "planes"]

FLOAT_BITS = 149

# `cv2.norm(..., NORM_L2SQR)` squares a rounded square root on uint16, an error of at most 3 * 2^-53 of the sum.
# Up to 2^18 pixels the sum is below 2^50 and the error below 0.375, so that rounding to an integer mends it;
# at 2^20 pixels it does not always.
_BLOCK = 1 << 18

# float32: 2^15 products of two slices of 18 bits add up to less than 2^52, exactly, in any order.
_FLOAT_BLOCK = 1 << 15
_SLICE_BITS = 18


class PlaneSums(NamedTuple):
    """What one block of one channel adds: see `ChannelStats` for the units."""

    counted: int
    total: int
    squares: int
    minimum: float | None
    maximum: float | None
    histogram: NDArray[np.int64] | None = None
    nan: int = 0
    inf: int = 0


def planes(image: NDArray[Any], *, channels_first: bool) -> Iterator[list[NDArray[Any]]]:
    """Cut an image into blocks of at most 2^18 pixels, each as one contiguous 1-D array for every channel.

    Args:
        image: (H, W, C), or (C, H, W) if `channels_first`.
        channels_first: whether the channels come first.

    Yields:
        For each block its C arrays. Only a block at a time is copied.
    """
    height, width = image.shape[1:] if channels_first else image.shape[:2]
    if channels_first and all(plane.flags.c_contiguous for plane in image):
        flat = image.reshape(image.shape[0], height * width)
        for start in range(0, height * width, _BLOCK):
            yield list(flat[:, start : start + _BLOCK])
        return
    if channels_first:
        image = image.transpose(1, 2, 0)
    rows = max(1, _BLOCK // max(width, 1))
    for top in range(0, height, rows):
        pixels = np.ascontiguousarray(image[top : top + rows]).reshape(-1, image.shape[2])
        for start in range(0, len(pixels), _BLOCK):
            yield _split(pixels[start : start + _BLOCK])


def _split(pixels: NDArray[Any]) -> list[NDArray[Any]]:
    channels = pixels.shape[1]
    if channels == 1:
        return [pixels[:, 0]]
    if channels > 4:
        return list(np.ascontiguousarray(pixels.T))
    return [plane[0] for plane in opencv().split(pixels[None])]


def plane_sums(plane: NDArray[Any], *, histogram: bool) -> PlaneSums:
    """Sum up one block of one channel.

    Args:
        plane: 1-D, contiguous, uint8, uint16 or float32, of at most 2^18 values.
        histogram: count each of the 256 values (uint8 only).

    Returns:
        Its exact sums. NaN and infinite values are counted apart and left out of everything else.
    """
    if plane.size == 0:
        return PlaneSums(0, 0, 0, None, None, np.zeros(256, np.int64) if histogram else None)
    if plane.dtype == np.float32:
        return _float_sums(plane)
    cv2 = opencv()
    if histogram:
        return _counted(cv2.calcHist([plane], [0], None, [256], [0, 256]).reshape(256).astype(np.int64))
    low, high, _, _ = cv2.minMaxLoc(plane)
    return PlaneSums(
        plane.size, int(cv2.sumElems(plane)[0]), round(cv2.norm(plane, cv2.NORM_L2SQR)), int(low), int(high)
    )


def _counted(counts: NDArray[np.int64]) -> PlaneSums:
    values = np.arange(256)
    present = np.flatnonzero(counts)
    return PlaneSums(
        int(counts.sum()),
        int(counts @ values),
        int(counts @ values**2),
        int(present[0]),
        int(present[-1]),
        counts,
    )


def _float_sums(plane: NDArray[np.float32]) -> PlaneSums:
    low, high = float(plane.min()), float(plane.max())
    nan = inf = 0
    if not math.isfinite(low) or not math.isfinite(high):
        nan = int(np.isnan(plane).sum())
        inf = int(np.isinf(plane).sum())
        plane = plane[np.isfinite(plane)]
        if plane.size == 0:
            return PlaneSums(0, 0, 0, None, None, None, nan, inf)
        low, high = float(plane.min()), float(plane.max())
    exponent = math.frexp(max(-low, high))[1]
    total = squares = 0
    for start in range(0, plane.size, _FLOAT_BLOCK):
        slices = _slices(plane[start : start + _FLOAT_BLOCK].astype(np.float64), exponent)
        for position, part in enumerate(slices):
            total += _units(part.sum(), FLOAT_BITS)
            squares += _units(np.einsum("i,i", part, part), 2 * FLOAT_BITS)
            for other in slices[position + 1 :]:
                squares += 2 * _units(np.einsum("i,i", part, other), 2 * FLOAT_BITS)
    # `+ 0.0`: minus zero and zero are one value, or their order would show in the result.
    return PlaneSums(plane.size, total, squares, low + 0.0, high + 0.0, None, nan, inf)


def _slices(rest: NDArray[np.float64], exponent: int) -> list[NDArray[np.float64]]:
    """Split values below 2^exponent, without error, into arrays of 18-bit multiples of falling powers of two.

    Adding and subtracting 1.5 * 2^52 units rounds to whole units (T. J. Dekker, 1971; S. M. Rump's accurate sums).
    """
    slices: list[NDArray[np.float64]] = []
    while rest.any():
        exponent -= _SLICE_BITS
        shift = math.ldexp(1.5, 52 + exponent)
        part = rest + shift
        part -= shift
        rest = rest - part
        slices.append(part)
    return slices


def _units(value: np.float64, bits: int) -> int:
    return int(math.ldexp(float(value), bits))
