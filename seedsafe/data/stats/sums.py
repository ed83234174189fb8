"""Exact sums over the pixels of images.

Every value is a whole number of units: 1 for uint8 and uint16, 2^-149 (the smallest float32) for float32. So a sum of values
is a Python integer in units, a sum of squares one in units squared, and neither depends on the order of addition.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedsafe.data.stats.result import DTYPES, FLOAT_BITS, IMAGE_BITS, SUMS, ChannelStats, best
from seedsafe.functional.carrier import opencv
from seedsafe.ground.info import arithmetic

__all__ = ["Sums", "of_image", "plane_sums", "planes"]

# For uint16, `cv2.norm(..., NORM_L2SQR)` squares a rounded square root, with an error of up to 3 * 2^-53 of the sum. Up to
# 2^18 pixels, the sum is below 2^50 and the error below 0.375, so rounding to an integer removes it. At 2^20 pixels it may not.
_BLOCK = 1 << 18

# For float32, the sum of 2^15 products of two slices of 18 bits is below 2^52, and so exact in any order.
_FLOAT_BLOCK = 1 << 15
_SLICE_BITS = 18


@dataclass(slots=True)
class Sums:
    """The sums of one channel, in the units of `ChannelStats`: of a block or of an image."""

    count: int = 0
    total: int = 0
    squares: int = 0
    minimum: float | None = None
    maximum: float | None = None
    nan: int = 0
    inf: int = 0
    image_count: int = 0
    mean_total: int = 0
    std_total: int = 0

    def add(self, other: Sums) -> None:
        """Add the sums of other pixels."""
        for name in (*SUMS, "nan", "inf"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.minimum = best(min, self.minimum, other.minimum)
        self.maximum = best(max, self.maximum, other.maximum)

    def close(self) -> None:
        """End an image: set its count to 1, and its mean and deviation in fixed point."""
        if self.count:
            self.image_count = 1
            self.mean_total = (self.total << IMAGE_BITS) // self.count
            radicand = self.count * self.squares - self.total * self.total
            self.std_total = math.isqrt(radicand << 2 * IMAGE_BITS) // self.count


def planes(image: NDArray[Any], *, channels_first: bool) -> Iterator[list[NDArray[Any]]]:
    """Cut an image into blocks of at most 2^18 pixels, each as one contiguous 1-D array for every channel.

    Args:
        image: (H, W, C), or (C, H, W) if `channels_first`.
        channels_first: whether the channels come first.

    Yields:
        The C arrays of each block. At most one block at a time is a copy.
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


def plane_sums(plane: NDArray[Any]) -> Sums:
    """Return the exact sums of one block of one channel.

    NaN and infinite values are counted separately, and left out of everything else.

    Args:
        plane: 1-D, contiguous, uint8, uint16 or float32, at most 2^18 values.
    """
    if plane.size == 0:
        return Sums()
    if plane.dtype == np.float32:
        return _float_sums(plane)
    cv2 = opencv()
    low, high, _, _ = cv2.minMaxLoc(plane)
    total, squares = int(cv2.sumElems(plane)[0]), round(cv2.norm(plane, cv2.NORM_L2SQR))
    return Sums(plane.size, total, squares, int(low), int(high))


def _float_sums(plane: NDArray[np.float32]) -> Sums:
    low, high = float(plane.min()), float(plane.max())
    nan = inf = 0
    if not math.isfinite(low) or not math.isfinite(high):
        nan = int(np.isnan(plane).sum())
        inf = int(np.isinf(plane).sum())
        plane = plane[np.isfinite(plane)]
        if plane.size == 0:
            return Sums(nan=nan, inf=inf)
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
    # `+ 0.0` turns minus zero into zero: otherwise the result would depend on their order.
    return Sums(plane.size, total, squares, low + 0.0, high + 0.0, nan, inf)


def _slices(rest: NDArray[np.float64], exponent: int) -> list[NDArray[np.float64]]:
    """Split values below 2^exponent exactly into arrays of 18-bit multiples of decreasing powers of two.

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


def of_image(image: NDArray[Any], *, channels_first: bool) -> ChannelStats:
    """Return the statistics of one image, (H, W, C) or (C, H, W)."""
    dtype, channels = image.dtype.name, image.shape[0 if channels_first else 2]
    if dtype not in DTYPES:
        raise TypeError(
            f"images must be uint8, uint16 or float32, got {dtype}: {arithmetic('image', np.dtype(dtype))}"
        )
    if channels == 0:
        raise ValueError("images must have at least one channel, got 0: leave out empty images")
    sums = [Sums() for _ in range(channels)]
    for block in planes(image, channels_first=channels_first):
        for channel, plane in zip(sums, block, strict=True):
            channel.add(plane_sums(plane))
    for channel in sums:
        channel.close()
    nan, inf = sum(channel.nan for channel in sums), sum(channel.inf for channel in sums)
    return ChannelStats(
        dtype=dtype,
        images=1,
        **{name: tuple(getattr(channel, name) for channel in sums) for name in (*SUMS, "minimum", "maximum")},
        nan=nan,
        inf=inf,
        faulty=((0, nan, inf),) if nan or inf else (),
    )
