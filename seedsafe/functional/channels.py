"""Channels: greys, shifts, shuffles and mixtures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Final

import numpy as np

from seedsafe.functional.carrier import MAX_CHANNELS, as_carrier, in_memory, opencv
from seedsafe.functional.jitter import apply_matrix
from seedsafe.functional.kinds import check_image, fit_fill, is_rgb, is_uint8, need_rgb, new
from seedsafe.functional.scratch import part_of, parts, scratch_planes
from seedsafe.functional.tables import VALUES, look_up, look_up_channels, table
from seedsafe.functional.tones import adjust_tones
from seedsafe.ground.exactness import AT_LEAST_UINT8, EVERYWHERE, NUMPY, exact
from seedsafe.ground.info import Array

__all__ = [
    "drop_channels",
    "scale_channels",
    "shift_channels",
    "shift_principal",
    "shuffle_channels",
    "to_grey",
    "to_sepia",
]

# As in albumentations.
_SEPIA: Final = np.array([[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]])

_MOVES: Final = {order: np.eye(3)[list(order)] for order in permutations(range(3)) if order != (0, 1, 2)}
"""The permutation matrix of each other order of three channels."""

_SMALL: Final = 8192
"""Below this number of values, NumPy's single call is cheaper than several faster steps (python -m benchmarks --only Channel)."""


@exact(AT_LEAST_UINT8)
def to_grey(image: Array) -> Array:
    """Return an RGB image in grey, 0.299 R + 0.587 G + 0.114 B in all three channels.

    Args:
        image: uint8 or float32, (H, W, 3), RGB; a grey image is copied.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the image has the wrong number of channels.

    Example:
        >>> to_grey(np.array([[[200, 50, 50]]], np.uint8)).tolist()
        [[[95, 95, 95]]]
    """
    image = check_image(image)
    if not is_rgb(image, "a grey"):
        return image.copy()
    cv2 = opencv()
    result = new(image)
    cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB, result)
    return result


@exact(AT_LEAST_UINT8)
def to_sepia(image: Array) -> Array:
    """Return an RGB image in sepia.

    Args:
        image: uint8 or float32, (H, W, 3), RGB.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the image has the wrong number of channels.

    Example:
        >>> to_sepia(np.array([[[100, 100, 100]]], np.uint8)).tolist()
        [[[135, 120, 94]]]
    """
    is_uint8(image)
    need_rgb(image, "sepia")
    return apply_matrix(image, _SEPIA)


@exact(EVERYWHERE)
def shift_channels(image: Array, shifts: Sequence[float]) -> Array:
    """Return an image with a number added to each channel, cut off at the ends of the range.

    Args:
        image: uint8 or float32, (H, W, C).
        shifts: one for each channel, as shares of the range: 1 is 255 for uint8.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the number of shifts is not the number of channels.

    Example:
        >>> shift_channels(np.array([[[100, 100, 100]]], np.uint8), (0.1, 0.0, -0.5)).tolist()
        [[[126, 100, 0]]]
    """
    image = in_memory(image)
    whole = is_uint8(image)
    channels = image.shape[2] if image.ndim == 3 else 1
    if len(shifts) != channels:
        raise ValueError(
            f"shifts must have one value for each channel, got {len(shifts)} for the shape {image.shape}: pass {channels}"
        )
    if whole and channels == 1:
        return look_up(image, _shift_table(shifts[0]))
    if whole and channels <= 4:
        # OpenCV adds four numbers to a pixel and stops at 0 and 255. Each channel goes up or down, so it is
        # cut off once.
        steps = [float(np.rint(255.0 * shift)) for shift in shifts]
        result = new(image)
        cv2 = opencv()
        ups, downs = [max(step, 0.0) for step in steps], [max(-step, 0.0) for step in steps]
        zeros = [0.0] * (4 - channels)
        cv2.add(image, (*ups, *zeros), result)
        cv2.subtract(result, (*downs, *zeros), result)
        return result
    if whole:
        return look_up_channels(image, [_shift_table(shift) for shift in shifts])
    result = np.add(image, np.array(shifts, np.float32), order="C")
    return np.minimum(np.maximum(result, 0, out=result), 1, out=result)


@exact(EVERYWHERE)
def scale_channels(image: Array, factors: Sequence[float]) -> Array:
    """Return an image with each channel multiplied, rounded and cut off at the ends of the range.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        factors: one for all channels, or one for each.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the number of factors is neither one nor the number of channels.

    Example:
        >>> scale_channels(np.array([[[100, 100, 100]]], np.uint8), (0.5, 1.0, 3.0)).tolist()
        [[[50, 100, 255]]]
    """
    channels = image.shape[2] if image.ndim == 3 else 1
    if len(factors) not in (1, channels):
        raise ValueError(
            f"factors must have one value, or one for each channel, got {len(factors)} for the shape {image.shape}: "
            "pass one factor"
        )
    if len(factors) == 1:
        return adjust_tones(image, factors[0], 0.0)
    if is_uint8(image):
        return look_up_channels(image, [table(VALUES * factor) for factor in factors])
    result = np.multiply(image, np.array(factors, np.float32), order="C")
    return np.minimum(np.maximum(result, 0, out=result), 1, out=result)


def _shift_table(shift: float) -> Array:
    return table(VALUES + np.rint(255.0 * shift))


@exact(EVERYWHERE)
def shuffle_channels(image: Array, order: Sequence[int]) -> Array:
    """Return an image with its channels in a different order.

    Args:
        image: (H, W) or (H, W, C), any dtype.
        order: the old number of each new channel.

    Raises:
        ValueError: order does not name each channel once.

    Example:
        >>> shuffle_channels(np.array([[[1, 2, 3]]], np.uint8), (2, 0, 1)).tolist()
        [[[3, 1, 2]]]
    """
    image = in_memory(image)
    channels = image.shape[2] if image.ndim == 3 else 1
    if channels == 3 and image.dtype == np.uint8:
        # A product with a permutation matrix is one pass of OpenCV, and exact for whole numbers.
        moves = _MOVES.get(tuple(order))
        if moves is not None:
            result: Array = opencv().transform(image, moves)
            return result
    if sorted(order) != list(range(channels)):
        raise ValueError(
            f"order must name each of {channels} channels once, got {tuple(order)}: pass a permutation of them"
        )
    if channels == 1:
        return image.copy()
    if image.size < _SMALL:
        return image.take(order, axis=2)
    result = new(image)
    if channels <= MAX_CHANNELS:
        carrier = as_carrier(image)
        planes = scratch_planes(channels, carrier)
        opencv().split(carrier, planes)
        opencv().merge([planes[old] for old in order], as_carrier(result))
    else:
        result[...] = image[..., list(order)]
    return result


@exact(EVERYWHERE)
def drop_channels(image: Array, dropped: Sequence[int], fill: float) -> Array:
    """Return an image with some of its channels filled.

    Args:
        image: (H, W, C), any dtype.
        dropped: the numbers of the channels to fill.
        fill: the fill in the image's own units.

    Raises:
        ValueError: fill does not fit the image's dtype.

    Example:
        >>> drop_channels(np.array([[[1, 2, 3]]], np.uint8), (1,), 0).tolist()
        [[[1, 0, 3]]]
    """
    value = fit_fill(fill, image)
    if image.dtype == np.uint8 and image.ndim == 3 and image.size >= _SMALL:
        # Several times faster than writing every third value (python -m benchmarks --only ChannelDropout).
        mask = np.full(image.shape[1:], 255, np.uint8)
        mask[:, list(dropped)] = 0
        result = np.bitwise_and(image, mask, order="C")
        if fill:
            result |= ~mask & np.uint8(value)
        return result
    result = image.copy()
    for channel in dropped:
        result[..., channel] = value
    return result


@exact(NUMPY)
def shift_principal(image: Array, weights: Sequence[float]) -> Array:
    """Return an RGB image shifted along the principal axes of its own colours.

    Follows A. Krizhevsky et al., "ImageNet classification with deep convolutional neural networks", 2012, section 4.1, with
    the covariance of the image itself: every pixel gets ``sum_k weights[k] * eigenvalue_k * eigenvector_k`` added, in
    shares of the range.

    Args:
        image: uint8 or float32, (H, W, 3).
        weights: the weights of the axes, the one with the greatest variance first.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the number of weights is not the number of channels, or the image is not finite.

    Example:
        >>> flat = np.full((2, 2, 3), 100, np.uint8)
        >>> bool((shift_principal(flat, (1.0, 1.0, 1.0)) == flat).all())
        True
    """
    whole = is_uint8(image)
    channels = image.shape[2] if image.ndim == 3 else 1
    if channels != len(weights):
        raise ValueError(
            f"weights must have one value for each channel, got {len(weights)} for the shape {image.shape}: pass {channels}"
        )
    top = 255.0 if whole else 1.0
    pixels = image.reshape(-1, channels)
    mean = pixels.mean(axis=0, dtype=np.float64)
    covariance = np.empty((channels, channels))
    size = part_of(image, 16) if whole else len(pixels)  # sums of whole numbers are the same in any order
    for row in range(channels):
        for column in range(row + 1):
            total = 0.0
            for first, last in parts(len(pixels), size):
                products = np.multiply(pixels[first:last, row], pixels[first:last, column], dtype=np.float64)
                total += float(products.sum())
            product = total / len(pixels)
            covariance[row, column] = covariance[column, row] = product - mean[row] * mean[column]
    if not np.isfinite(covariance).all():
        raise ValueError("the image must be finite, got NaN or infinity: leave such images out")
    values, vectors = np.linalg.eigh(covariance / (top * top))
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    for axis in range(channels):  # of both directions, choose the one whose largest component is positive
        if vectors[np.argmax(np.abs(vectors[:, axis])), axis] < 0:
            vectors[:, axis] *= -1.0
    shifts = vectors @ (np.array(weights) * values)
    return shift_channels(image, shifts.tolist())
