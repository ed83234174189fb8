"""Tones: functions of each single value."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from seedsafe.functional.carrier import in_memory, opencv
from seedsafe.functional.kinds import in_uint8, is_uint8
from seedsafe.functional.tables import VALUES, look_up, look_up_channels, table
from seedsafe.ground.exactness import AT_LEAST_UINT8, EVERYWHERE, exact
from seedsafe.ground.info import Array
from seedsafe.keys.decisions import logarithm

__all__ = [
    "adjust_gamma",
    "adjust_tones",
    "bend_tones",
    "each_as_row",
    "invert",
    "mean_value",
    "posterize",
    "solarize",
]


@exact(EVERYWHERE)
def adjust_tones(image: Array, factor: float, offset: float) -> Array:
    """Return ``image * factor + offset``, rounded and cut off at the ends of the range.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        factor: the factor of every value.
        offset: the offset to add, as a share of the range: 1 is 255 for uint8.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> adjust_tones(np.array([[10, 200]], np.uint8), 1.5, 0.1).tolist()
        [[40, 255]]
    """
    if is_uint8(image):
        return look_up(image, table(VALUES * factor + 255.0 * offset))
    result = np.multiply(image, np.float32(factor), order="C")
    result += np.float32(offset)
    return np.minimum(np.maximum(result, 0, out=result), 1, out=result)


def each_as_row(function: Callable[..., Array], images: Array, *params: Array) -> Array:
    """Return the results of a function of tones for each image, with parameters of its own.

    Such a function treats a value the same wherever it is. So the images become the rows of one image here, and their parameters
    a column.

    Args:
        function: one of this module that takes the parameters.
        images: (N, H, W) or (N, H, W, C).
        params: one for each image, (N,).

    Example:
        >>> each_as_row(solarize, np.array([[[127]], [[127]]], np.uint8), np.array([0.5, 0.1])).tolist()
        [[[127]], [[128]]]
    """
    rows = images.reshape(len(images), -1)
    return function(rows, *(values[:, np.newaxis] for values in params)).reshape(images.shape)


@exact(AT_LEAST_UINT8)
def mean_value(image: Array) -> float:
    """Return the mean of all values of an image as a share of its range.

    Example:
        >>> mean_value(np.array([[0, 255]], np.uint8))
        0.5
    """
    image = in_memory(image)
    flat = image.reshape(image.shape[0], -1)
    total: float = opencv().sumElems(flat)[0]
    return total / flat.size / (255.0 if is_uint8(image) else 1.0)


_LN2: Final = 0.6931471805599453
_LOGARITHMS: Final = np.array([-1e4, *(logarithm(value / 255.0) / _LN2 for value in range(1, 256))])
"""Base-2 logarithms of the 256 values as shares of the range; that of 0 is low enough for a power of 0."""
_POWERS: Final = tuple(np.full(256, 255.0 * _LN2**k / math.factorial(k)) for k in range(5, -1, -1))
"""The power series of 255 times a power of 2, highest coefficient first: within 3e-6 for exponents of ±0.5. Arrays are faster
than numbers (python -m benchmarks --only Gamma)."""


@exact(AT_LEAST_UINT8)
def adjust_gamma(image: Array, gamma: float) -> Array:
    """Return an image with its values, as shares of the range, raised to the power gamma.

    float32 is exact with the same build of OpenCV; negative values count as 0.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        gamma: the power, in [0.01, 100]; above 1 darkens, below 1 brightens.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> adjust_gamma(np.array([[0, 100, 255]], np.uint8), 2.0).tolist()
        [[0, 39, 255]]
    """
    if is_uint8(image):
        return look_up(image, _gamma_table(_LOGARITHMS * gamma))
    result = np.maximum(image, 0, order="C")
    flat = result.reshape(image.shape[0], -1)
    zeros = flat == 0
    opencv().pow(flat, gamma, flat)
    np.putmask(flat, zeros, 0)  # on ARM 0 to the power 0.01 is 0.41: its logarithm is not low enough
    return result


def _gamma_table(exponents: Array) -> Array:
    """Return 255 times powers of 2 as uint8; the exponents are overwritten."""
    add, multiply = np.add, np.multiply
    whole = np.rint(exponents)
    np.subtract(exponents, whole, exponents)
    values = exponents * _POWERS[0]
    for coefficient in _POWERS[1:-1]:
        add(values, coefficient, values)
        multiply(values, exponents, values)
    add(values, _POWERS[-1], values)
    np.ldexp(values, whole.astype(np.intc), values)
    powers: Array = np.rint(values, values)
    return powers.astype(np.uint8)


@exact(EVERYWHERE)
def solarize(image: Array, threshold: float) -> Array:
    """Return an image with the values from a threshold on inverted.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        threshold: a share of the range: 0 inverts all values, 0.5 those from 128 on for uint8.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> solarize(np.array([[127, 128]], np.uint8), 0.5).tolist()
        [[127, 127]]
    """
    if is_uint8(image):
        return look_up(image, np.where(threshold * 255.0 <= VALUES, 255.0 - VALUES, VALUES).astype(np.uint8))
    result: Array = np.subtract(np.float32(1), image, order="C")
    np.copyto(result, image, where=image < np.float32(threshold))
    return result


@exact(EVERYWHERE)
def invert(image: Array) -> Array:
    """Return an image with every value subtracted from the top of its range.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> invert(np.array([[0, 200]], np.uint8)).tolist()
        [[255, 55]]
    """
    if is_uint8(image):
        return np.invert(image, order="C")
    return np.subtract(np.float32(1), image, order="C")


@exact(EVERYWHERE)
def posterize(image: Array, bits: int) -> Array:
    """Return an image with only the upper bits of each value left.

    float32 is converted to uint8 and back.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        bits: the number of bits to keep, from 0 to 8.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> posterize(np.array([[100, 200]], np.uint8), 2).tolist()
        [[64, 192]]
    """
    mask = np.uint8(256 - (1 << (8 - bits)) & 255)
    return in_uint8(image, lambda values: np.bitwise_and(values, mask, order="C"))


@exact(EVERYWHERE)
def bend_tones(image: Array, low: tuple[float, ...], high: tuple[float, ...]) -> Array:
    """Return an image changed by a tone curve, a Bézier curve from 0 to 1 with two control points.

    float32 is converted to uint8 and back.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        low: the lower control point, in [0, 1], one for all channels or one for each.
        high: the upper control point, as `low`.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the number of control points is neither one nor the number of channels.

    Example:
        >>> bend_tones(np.array([[0, 64, 255]], np.uint8), (0.1,), (0.9,)).tolist()
        [[0, 47, 255]]
    """
    channels = image.shape[2] if image.ndim == 3 else 1
    if len(low) != len(high) or len(low) not in (1, channels):
        raise ValueError(
            f"low and high must have one value, or one for each of {channels} channels, got {len(low)} and {len(high)}: "
            "pass one value for all channels"
        )
    share = VALUES / 255.0
    rest = 1.0 - share
    below, above, last = 3.0 * rest * rest * share, 3.0 * rest * share * share, share * share * share
    tables = [table((below * a + above * b + last) * 255.0) for a, b in zip(low, high, strict=True)]
    if len(tables) == 1:
        return in_uint8(image, lambda values: look_up(values, tables[0]))
    return in_uint8(image, lambda values: look_up_channels(values, tables))
