"""Blurs and other filters over neighbouring pixels.

An image is mirrored beyond its edges, unless a function says otherwise.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from seedsafe.functional.carrier import in_memory, opencv, restore
from seedsafe.functional.kinds import check_image, in_uint8, is_uint8
from seedsafe.functional.scratch import parts
from seedsafe.ground.exactness import AT_LEAST_UINT8, EVERYWHERE, OPENCV, exact
from seedsafe.ground.info import Array
from seedsafe.keys.key import Address
from seedsafe.keys.words import sixteenths

__all__ = ["box_blur", "convolve", "gaussian_blur", "glass_blur", "median_blur"]

_NEAR: Final = 2048
"""Pixels whose steps are computed at once, to need little memory besides the two images."""


@exact(AT_LEAST_UINT8)
def box_blur(image: Array, size: int) -> Array:
    """Return an image with each value replaced by the mean of a square around it.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        size: the square's side, odd.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> box_blur(np.array([[0, 90, 0, 0]], np.uint8), 3).tolist()
        [[60, 30, 30, 0]]
    """
    image = check_image(image)
    return restore(opencv().blur(image, (size, size)), image)


@exact(AT_LEAST_UINT8)
def gaussian_blur(image: Array, size: int, sigma: float) -> Array:
    """Return an image blurred by a Gaussian kernel.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        size: the kernel's side, odd; 0 fits the kernel to sigma, with a side of about 7 sigma.
        sigma: the standard deviation in pixels.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> gaussian_blur(np.array([[0, 0, 90, 0, 0]], np.uint8), 3, 1.0).tolist()
        [[0, 25, 41, 25, 0]]
    """
    image = check_image(image)
    side = size or int(3.5 * sigma) * 2 + 1
    if side == 1 or sigma <= 0.0:
        return image.copy()
    return restore(opencv().GaussianBlur(image, (side, side), sigma), image)


@exact(EVERYWHERE)
def median_blur(image: Array, size: int) -> Array:
    """Return an image with each value replaced by the median of a square around it.

    Pixels at the edge are repeated beyond it. float32 is converted to uint8 and back if the size is above 5.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        size: the square's side, odd.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> median_blur(np.array([[0, 90, 0, 0]], np.uint8), 3).tolist()
        [[0, 0, 0, 0]]
    """
    image = in_memory(image)
    # OpenCV takes the median of float32 over squares of 3 and 5 alone.
    if not is_uint8(image) and size > 5:
        return in_uint8(image, lambda values: median_blur(values, size))
    cv2 = opencv()
    # OpenCV takes the median of one, three or four channels.
    if image.ndim == 3 and image.shape[2] not in (1, 3, 4):
        return np.stack(
            [cv2.medianBlur(np.ascontiguousarray(image[..., k]), size) for k in range(image.shape[2])], -1
        )
    return restore(cv2.medianBlur(image, size), image)


@exact(OPENCV)
def convolve(image: Array, kernel: Array) -> Array:
    """Return an image filtered with a kernel.

    Each value is the sum of its neighbours times the kernel's weights, cut off at the ends of the range.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        kernel: weights by row and column, odd sides; used without mirroring it.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> convolve(np.array([[0, 90, 0]], np.uint8), np.array([[0.0, 0.0, 1.0]])).tolist()
        [[90, 0, 90]]
    """
    image = in_memory(image)
    whole = is_uint8(image)
    result = restore(opencv().filter2D(image, -1, kernel.astype(np.float32)), image)
    return result if whole else np.minimum(np.maximum(result, 0, out=result), 1, out=result)


@exact(AT_LEAST_UINT8)
def glass_blur(
    image: Array, sigma: float, reach: int, rounds: int, noise: Address, *, swap: bool = False
) -> Array:
    """Return an image seen through frosted glass: blurred, each pixel copied from a nearby one, and blurred again.

    Follows D. Hendrycks and T. Dietterich, "Benchmarking neural network robustness", 2019, but copies pixels instead of
    swapping them. With `swap`, it swaps them, which takes 12 more bytes of memory per pixel.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        sigma: the standard deviation of the blurs, in pixels.
        reach: the longest step to another pixel, in pixels.
        rounds: the number of times that pixels are copied.
        noise: the address of the steps: in each round a 16-bit piece for each pixel's step down, then one for each pixel's
            step to the right.
        swap: see `seedsafe.GlassBlur`.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> glass_blur(np.array([[0, 90, 0, 90]], np.uint8), 0.1, 1, 1, address(SampleKey(0, 0, 0))).tolist()
        [[90, 90, 90, 0]]
    """
    result = gaussian_blur(image, 0, sigma)
    for each in range(rounds):
        start = 2 * each * image.shape[0] * image.shape[1]
        result = (_swap if swap else _take_nearby)(result, reach, noise, start)
    return gaussian_blur(result, 0, sigma)


def _take_nearby(image: Array, reach: int, noise: Address, start: int) -> Array:
    """Return an image with each pixel copied from a nearby one; `start` is the number of the first piece of noise."""
    height, width = image.shape[:2]
    result = np.empty_like(image)
    pixels, target = image.reshape(height * width, -1), result.reshape(height * width, -1)
    rows, columns = np.arange(height)[:, None], np.arange(width)
    for first, last in parts(height, max(_NEAR // width, 1)):
        count, piece = (last - first) * width, start + first * width
        source = _steps(sixteenths(noise, count, piece), 2 * reach + 1, reach).reshape(-1, width)
        source += rows[first:last]
        np.clip(source, 0, height - 1, out=source)
        source *= width
        column = _steps(sixteenths(noise, count, piece + height * width), 2 * reach + 1, reach)
        column = column.reshape(source.shape)
        column += columns
        source += np.clip(column, 0, width - 1, out=column)
        pixels.take(source.ravel(), 0, target[first * width : last * width], "clip")
    return result


def _swap(image: Array, reach: int, noise: Address, start: int) -> Array:
    """Return an image with all pixels swapped with nearby ones, except near its edges."""
    height, width = image.shape[:2]
    kind = np.int32 if height * width < 2**31 else np.int64
    down, right = sixteenths(noise, 2 * height * width, start).reshape(2, -1)
    # The order of albumentations 2.0.8 (its mode "fast"): column by column, from the last row and column on.
    rows = np.arange(height, dtype=kind)[reach + 1 : height - reach + 1][::-1] * kind(width)
    columns = np.arange(width, dtype=kind)[reach + 1 : width - reach + 1][::-1, None]
    here = (rows + columns).ravel()
    there = here.copy()
    ends = list(parts(len(here), 4 * _NEAR))
    for first, last in ends:
        step = _steps(down[here[first:last]], 2 * reach, reach) * width
        there[first:last] += (step + _steps(right[here[first:last]], 2 * reach, reach)).astype(kind)
    # Freed before the next large array.
    del down, right
    source = np.arange(height * width, dtype=kind)
    for into, origin in ((here, there), (there, here)):
        for first, last in ends:  # in this order: of two pixels with the same target, the later one wins
            source[into[first:last]] = origin[first:last]
    del here, there, into, origin
    result = np.empty_like(image)
    pixels, target = image.reshape(height * width, -1), result.reshape(height * width, -1)
    for first, last in parts(len(source), 4 * _NEAR):
        pixels.take(source[first:last], 0, target[first:last], "clip")
    return result


def _steps(pieces: Array, count: int, reach: int) -> Array:
    """Return steps from -reach to -reach + count - 1, int64."""
    steps: Array = pieces.astype(np.int64)
    steps *= count
    steps >>= 16
    steps -= reach
    return steps
