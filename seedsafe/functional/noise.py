"""Gaussian noise, the same on every machine."""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from seedsafe.functional.carrier import opencv
from seedsafe.functional.scratch import noise_parts, part_of, parts
from seedsafe.ground.info import Array, arithmetic
from seedsafe.keys.key import Address
from seedsafe.keys.words import normal_quantiles, sixteenths

if TYPE_CHECKING:
    import numpy.typing as npt  # costs a tenth of NumPy's import (benchmarks/import_time.py)
from seedsafe.ground.exactness import EVERYWHERE, exact

__all__ = ["add_gaussian_noise", "gaussian_noise"]

_SMALL = 8192
"""Below this number of values, computing each is cheaper than a table of all 65536 steps
(python -m benchmarks --only GaussianNoise)."""


def gaussian_noise(noise: Address, n: int) -> npt.NDArray[np.float64]:
    """Return n values of standard normal noise from the words at an address, float64, shape (n,).

    Value k is the quantile of the k-th 16-bit piece of the words, so it lies within ±4.325 and is one of 65536.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> gaussian_noise(address(SampleKey(0, 0, 0)), 2).round(3).tolist()
        [1.02, -1.815]
    """
    return normal_quantiles()[sixteenths(noise, n)]


@exact(EVERYWHERE)
def add_gaussian_noise(array: Array, std: float, noise: Address, *, per_channel: bool = True) -> Array:
    """Return an array with Gaussian noise added; value k in C order gets the k-th noise value.

    Args:
        array: uint8 or float32, any shape.
        std: the standard deviation in the array's own units (0 to 255 for uint8).
        noise: the address of the noise, from ``Draws.noise``.
        per_channel: False adds the k-th noise value to all channels of pixel k, for an image (H, W, C).

    Returns:
        uint8: ``clip(x + rint(std * z), 0, 255)``. float32: ``x + float32(std) * float32(z)``, not clipped.

    Raises:
        TypeError: the array has the wrong dtype.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> add_gaussian_noise(np.full(3, 128, np.uint8), 10.0, address(SampleKey(0, 0, 0))).tolist()
        [138, 110, 134]
    """
    whole = array.dtype == np.uint8
    if not whole and array.dtype != np.float32:
        raise TypeError(
            f"noise needs uint8 or float32, got dtype {array.dtype}: {arithmetic('image', array.dtype)}"
        )
    if not per_channel and array.ndim == 3 and array.shape[2] > 1:
        return _add_to_pixels(array, std, noise)
    return _add_uint8(array, std, noise) if whole else _add_float32(array, std, noise)


def _add_to_pixels(image: Array, std: float, noise: Address) -> Array:
    result = np.empty(image.shape, image.dtype)
    source, pixels = image.reshape(-1, image.shape[2]), result.reshape(-1, image.shape[2])
    for first, last, pieces in noise_parts(noise, len(pixels), part_of(image, 24 + 2 * image.shape[2])):
        part = pixels[first:last]
        if image.dtype == np.float32:
            np.add(source[first:last], np.float32(std) * float_table()[pieces][:, None], out=part)
        else:
            steps = normal_quantiles()[pieces]
            np.clip(np.rint(np.multiply(std, steps, out=steps), out=steps), -255.0, 255.0, out=steps)
            sums = steps.astype(np.int16)[:, None] + source[first:last]
            part[...] = np.clip(sums, 0, 255, out=sums)
    return result


def _add_float32(array: Array, std: float, noise: Address) -> Array:
    result = np.empty(array.shape, np.float32)
    source, values, table, size = array.reshape(-1), result.reshape(-1), float_table(), np.float32(std)
    for first, last, pieces in noise_parts(noise, array.size, part_of(array, 12)):
        part = values[first:last]
        table.take(pieces, out=part, mode="clip")  # the mode "raise" copies
        part *= size
        part += source[first:last]
    return result


def _add_uint8(array: Array, std: float, noise: Address) -> Array:
    result = np.empty(array.shape, np.uint8)
    source, values, quantiles = array.reshape(1, -1), result.reshape(1, -1), normal_quantiles()
    cv2, table = opencv(), None if array.size < _SMALL else _step_table(std)
    each = 5 if table is None or table.dtype == np.int8 else 12  # the table takes memory as well
    for first, last, pieces in noise_parts(noise, array.size, part_of(array, each)):
        if table is None:
            steps = _steps_of(std, quantiles.take(pieces)[None])
        else:
            steps = cv2.LUT(pieces.reshape(1, -1), table)
        del pieces  # frees memory before the next pieces
        part = values[:, first:last]
        if steps.dtype == np.int16:
            cv2.add(source[:, first:last], steps, dst=part, dtype=cv2.CV_8U)
            continue
        # x ^ 128, read as int8, is x - 128.
        np.bitwise_xor(source[:, first:last], 128, out=part)
        signed = part.view(np.int8)
        cv2.add(signed, steps, dst=signed)  # saturates at -128 and 127, which are 0 and 255
        np.bitwise_xor(part, 128, out=part)
    return result


@cache
def float_table() -> npt.NDArray[np.float32]:
    return normal_quantiles().astype(np.float32)


class _Steps(threading.local):
    last: tuple[float, Array] = float("nan"), np.empty(0, np.int8)


_steps = _Steps()


def _steps_of(std: float, quantiles: Array) -> Array:
    """Return the steps of quantiles, which are overwritten: int8, or int16 where that does not hold the largest of all."""
    steps = np.rint(np.multiply(std, quantiles, out=quantiles), out=quantiles)
    if np.rint(std * normal_quantiles()[-1]) <= 127:
        return steps.astype(np.int8)
    return np.clip(steps, -255, 255, out=steps).astype(np.int16)


def _step_table(std: float) -> Array:
    """Return the steps of the 16-bit pieces; the last std's table is cached and never written again."""
    last_std, table = _steps.last
    if last_std != std:
        table = np.empty(65536, _steps_of(std, np.zeros(1)).dtype)
        # Only the upper half is computed, because the quantiles are antisymmetric.
        upper = table[32768:]
        for first, last in parts(32768, 8192):
            upper[first:last] = _steps_of(std, normal_quantiles()[32768 + first : 32768 + last].copy())
        np.negative(upper[::-1], out=table[:32768])
        _steps.last = std, table
    return table
