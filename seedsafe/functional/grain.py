"""Multiplicative noise, and random loss of pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from seedsafe.functional.carrier import need_image
from seedsafe.functional.kinds import fit_fill, is_uint8, new
from seedsafe.functional.scratch import noise_parts, part_of
from seedsafe.ground.exactness import EVERYWHERE, exact
from seedsafe.ground.info import Array
from seedsafe.keys.key import Address

__all__ = ["drop_pixels", "multiplicative_noise", "salt_and_pepper"]


@exact(EVERYWHERE)
def multiplicative_noise(
    image: Array, low: float, high: float, noise: Address, *, per_channel: bool
) -> Array:
    """Return an image with each pixel, or each value, multiplied by its own factor.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        low: the smallest factor.
        high: the largest factor.
        noise: the address of the factors, which are uniform: factor k follows from the k-th 16-bit piece.
        per_channel: whether each value has its own factor; otherwise, each pixel has one.

    Returns:
        A new array, cut off at the ends of the range.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> grey = np.full((1, 3), 100, np.uint8)
        >>> multiplicative_noise(grey, 0.5, 1.5, address(SampleKey(0, 0, 0)), per_channel=True).tolist()
        [[135, 53, 123]]
    """
    whole = is_uint8(image)
    shape = image.shape if per_channel else (*image.shape[:2], *(1 for _ in image.shape[2:]))
    result = new(image)
    count = math.prod(shape)
    source, values = image.reshape(count, -1), result.reshape(count, -1)
    # A piece stands for the middle of its step among 65536 equal ones.
    step, least = np.float32((high - low) / 65536.0), np.float32(low + (high - low) / 131072.0)
    each = values.shape[1]
    size = min(part_of(image, 8 + 4 * each if whole and each > 1 else 8), count)
    factors = np.empty((size, 1), np.float32)  # allocated once, not again for each part
    buffer = values if not whole else factors if each == 1 else np.empty((size, each), np.float32)
    for first, last, pieces in noise_parts(noise, count, size):
        by = np.multiply(pieces[:, None], step, out=factors[: last - first])
        by += least
        part = buffer[: last - first] if whole else values[first:last]
        product = np.multiply(source[first:last], by, out=part, dtype=np.float32)
        if whole:
            np.rint(product, out=product)
            values[first:last] = np.minimum(product, 255, out=product)
        else:
            np.minimum(np.maximum(product, 0, out=product), 1, out=product)
    return result


@exact(EVERYWHERE)
def salt_and_pepper(image: Array, salt: float, pepper: float, noise: Address) -> Array:
    """Return an image with some of its pixels white and some black.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        salt: the share of white pixels.
        pepper: the share of black pixels.
        noise: the address of the noise: pixel k uses the k-th 16-bit piece.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> salt_and_pepper(np.full((1, 8), 100, np.uint8), 0.3, 0.3, address(SampleKey(0, 0, 0))).tolist()
        [[100, 255, 100, 255, 100, 100, 255, 255]]
    """
    top = 255 if is_uint8(image) else 1
    result = image.copy()
    pixels = result.reshape(image.shape[0] * image.shape[1], -1)
    for first, last, pieces in noise_parts(noise, len(pixels), _part(image, salt + pepper)):
        hits = _choose(pieces, salt + pepper)
        white = pieces[hits] < round(65536 * salt)
        part = pixels[first:last]
        part[hits[white]] = top
        part[hits[~white]] = 0
    return result


@exact(EVERYWHERE)
def drop_pixels(
    image: Array, share: float, fill: float | Sequence[float], noise: Address, *, per_channel: bool
) -> Array:
    """Return an image with a share of its pixels, or values, filled.

    Args:
        image: (H, W) or (H, W, C), any dtype.
        share: the share of the pixels, or values, to fill.
        fill: the fill in the image's own units, one value for all channels or one for each.
        noise: the address of the noise: pixel k, or value k, uses the k-th 16-bit piece.
        per_channel: whether to fill single values; otherwise, whole pixels.

    Raises:
        ValueError: fill does not fit the image's channels or dtype, or the array does not have the shape of an image.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> drop_pixels(np.full((1, 8), 9), 0.5, 0, address(SampleKey(0, 0, 0)), per_channel=False).tolist()
        [[9, 0, 9, 0, 9, 9, 0, 0]]
    """
    need_image(image)
    value = fit_fill(fill, image)
    result = image.copy()
    pixels = result.reshape(image.shape[0] * image.shape[1], -1)
    if not per_channel:
        for first, last, pieces in noise_parts(noise, len(pixels), _part(image, share)):
            pixels[first:last][_choose(pieces, share)] = value
        return result
    values = pixels.reshape(-1)
    fills = np.resize(np.asarray(value, result.dtype), pixels.shape[1])
    for first, _, pieces in noise_parts(noise, values.size, _part(image, share)):
        hits = _choose(pieces, share) + first
        values[hits] = fills[hits % len(fills)]
    return result


def _part(image: Array, share: float) -> int:
    """Return the number of pieces to process at once if a share of them is chosen."""
    return part_of(image, 5 + int(20 * share))


def _choose(pieces: Array, share: float) -> Array:
    """Return the indices of a share of 16-bit pieces."""
    limit = round(65536 * share)
    return np.flatnonzero(pieces < limit) if limit < 65536 else np.arange(pieces.size)
