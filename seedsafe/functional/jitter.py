"""Brightness, contrast, saturation, and jitter as one matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from seedsafe.functional.carrier import in_memory, opencv
from seedsafe.functional.hue import turn_hue
from seedsafe.functional.kinds import is_rgb, is_uint8, new
from seedsafe.functional.tables import VALUES, look_up_into
from seedsafe.ground.exactness import AT_LEAST_UINT8, EVERYWHERE, exact
from seedsafe.ground.info import Array
from seedsafe.keys.decisions import cos_sin_degrees

__all__ = [
    "GREY",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_saturation",
    "apply_matrix",
    "color_jitter",
    "jitter_matrix",
    "mean_grey",
]

GREY: Final = (0.2989, 0.587, 0.114)
"""The shares of red, green and blue in a grey, as in torchvision."""

_GREYS: Final = np.array([[*GREY, 0.0]] * 3)
_IDENTITY: Final = np.eye(3, 4)


@exact(EVERYWHERE)
def adjust_brightness(image: Array, factor: float) -> Array:
    """Return an image multiplied by a factor, cut off at the ends of its range.

    Follows torchvision: uint8 is rounded down.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        factor: 0 gives black, 1 the image itself.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> adjust_brightness(np.array([[10, 200]], np.uint8), 1.5).tolist()
        [[15, 255]]
    """
    return _scale(image, factor, 0.0, new(image))


@exact(AT_LEAST_UINT8)
def adjust_contrast(image: Array, factor: float) -> Array:
    """Return an image blended with its mean grey.

    Follows torchvision, within 2 of 255 for factors up to 2, and within 4 up to 5: the mean is computed from the channels' sums instead of
    from each pixel's grey.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C); without exactly three channels, the mean of all values is used.
        factor: 0 gives the mean grey everywhere, 1 the image itself.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> adjust_contrast(np.array([[10, 200]], np.uint8), 0.5).tolist()
        [[57, 152]]
    """
    return _scale(image, factor, mean_grey(image) * (1.0 - factor), new(image))


def mean_grey(image: Array) -> float:
    """Return the mean grey of an image in its own units; for uint8, half a step less, since greys are rounded down."""
    image = in_memory(image)
    whole = is_uint8(image)
    size = image.shape[0] * image.shape[1]
    if image.ndim == 3 and image.shape[2] == 3:
        red, green, blue, _ = opencv().sumElems(image)
        grey: float = (GREY[0] * red + GREY[1] * green + GREY[2] * blue) / size
        return max(grey - 0.5, 0.0) if whole else grey
    flat = image.reshape(image.shape[0], -1)
    total: float = opencv().sumElems(flat)[0]
    return total / flat.size


def _scale(image: Array, factor: float, offset: float, out: Array) -> Array:
    if is_uint8(image):
        values = VALUES * factor
        values += offset
        np.minimum(np.maximum(values, 0.0, out=values), 255.0, out=values)
        look_up_into(image, values.astype(np.uint8), out)
        return out
    np.multiply(image, np.float32(factor), out=out)
    out += np.float32(offset)
    return np.minimum(np.maximum(out, 0, out=out), 1, out=out)


@exact(AT_LEAST_UINT8)
def adjust_saturation(image: Array, factor: float) -> Array:
    """Return an RGB image blended with its greys.

    Follows torchvision, within 2 of 255 for factors up to 2, and within 4 up to 5.

    Args:
        image: uint8 or float32, (H, W, 3), RGB; a grey image is copied.
        factor: 0 gives greys, 1 the image itself.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the image has the wrong number of channels.

    Example:
        >>> adjust_saturation(np.array([[[200, 100, 100]]], np.uint8), 0.5).tolist()
        [[[164, 114, 114]]]
    """
    if not is_rgb(image, "saturation"):
        is_uint8(image)
        return image.copy()
    return _saturate(image, factor, new(image))


def _saturate(image: Array, factor: float, out: Array) -> Array:
    rest = 1.0 - factor
    matrix = rest * _GREYS + factor * _IDENTITY
    if is_uint8(image):  # greys are rounded down, and so are blends with them
        matrix[:, 3] = -0.5 * rest - (0.0 if factor in (0.0, 1.0) else 0.5)
    return _transform(image, matrix, out)


def apply_matrix(image: Array, matrix: Array) -> Array:
    """Return an RGB image with each pixel multiplied by a matrix, cut off at the ends of its range.

    Args:
        image: uint8 or float32, (H, W, 3).
        matrix: (3, 3), or (3, 4) with a last column to add, in the image's own units.

    Example:
        >>> apply_matrix(np.array([[[1, 2, 3]]], np.uint8), np.array([[0, 0, 1, 0], [0, 1, 0, 5], [1, 0, 0, 0]])).tolist()
        [[[3, 7, 1]]]
    """
    return _transform(image, matrix, new(image))


def _transform(image: Array, matrix: Array, out: Array) -> Array:
    image = in_memory(image)
    if image.dtype != np.uint8:
        image = np.ascontiguousarray(image)  # OpenCV rounds floats differently in a window
    opencv().transform(image, matrix.astype(np.float32), out)
    if image.dtype != np.uint8:
        np.minimum(np.maximum(out, 0, out=out), 1, out=out)
    return out


@exact(AT_LEAST_UINT8)
def color_jitter(
    image: Array, brightness: float, contrast: float, saturation: float, hue: float, order: Sequence[int]
) -> Array:
    """Return an image with its colours changed in four steps, each cut off at the ends of the range.

    Follows torchvision's ``ColorJitter``; the steps say how closely.

    Args:
        image: uint8 or float32, (H, W, 3), RGB, or grey, which skips saturation and hue.
        brightness: see `adjust_brightness`.
        contrast: see `adjust_contrast`.
        saturation: see `adjust_saturation`.
        hue: see `seedsafe.functional.rotate_hue`.
        order: the order of the steps: 0 brightness, 1 contrast, 2 saturation, 3 hue.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the image has the wrong number of channels.

    Example:
        >>> color_jitter(np.array([[[200, 50, 50]]], np.uint8), 1.0, 1.0, 1.0, 1 / 3, (0, 1, 2, 3)).tolist()
        [[[50, 200, 50]]]
    """
    is_uint8(image)
    colours = is_rgb(image, "ColorJitter")
    result, latest = new(image), image
    for step in order:
        if step == 0 and brightness != 1.0:
            latest = _scale(latest, brightness, 0.0, result)
        elif step == 1 and contrast != 1.0:
            latest = _scale(latest, contrast, mean_grey(latest) * (1.0 - contrast), result)
        elif step == 2 and saturation != 1.0 and colours:
            latest = _saturate(latest, saturation, result)
        elif step == 3 and hue != 0.0 and colours:
            latest = turn_hue(latest, hue, result)
    if latest is image:
        np.copyto(result, image)
    return result


# From red, green and blue to YIQ, in which the hue is an angle.
_TO_YIQ: Final = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])
_FROM_YIQ: Final = np.array(  # its inverse
    [
        [1.0, 0.9561706854041451, 0.6214325663465856],
        [1.0, -0.2726886023301063, -0.6468132370201738],
        [1.0, -1.1037440821760263, 1.7006230946773062],
    ]
)


def jitter_matrix(brightness: float, contrast: float, saturation: float, hue: float, top: float) -> Array:
    """Return a colour jitter as one matrix (3, 4), float64: contrast around the middle of the range, hue in YIQ.

    Args:
        brightness: a factor.
        contrast: a factor.
        saturation: a factor.
        hue: a share of the circle.
        top: the end of the image's range, 255 or 1.

    Example:
        >>> (jitter_matrix(2.0, 0.5, 1.0, 0.0, 1.0).round(2) + 0.0).tolist()
        [[1.0, 0.0, 0.0, 0.25], [0.0, 1.0, 0.0, 0.25], [0.0, 0.0, 1.0, 0.25]]
    """
    cos, sin = cos_sin_degrees(360.0 * hue)
    turn = [
        [1.0, 0.0, 0.0],
        [0.0, saturation * cos, saturation * sin],
        [0.0, -saturation * sin, saturation * cos],
    ]
    matrix = np.empty((3, 4))
    scale = brightness * contrast
    for row in range(3):
        for column in range(3):  # adds in a fixed order, which a matrix product of NumPy does not promise
            inner = [
                turn[k][0] * _TO_YIQ[0, column]
                + turn[k][1] * _TO_YIQ[1, column]
                + turn[k][2] * _TO_YIQ[2, column]
                for k in range(3)
            ]
            one = _FROM_YIQ[row, 0] * inner[0] + _FROM_YIQ[row, 1] * inner[1] + _FROM_YIQ[row, 2] * inner[2]
            matrix[row, column] = scale * one
    matrix[:, 3] = top * 0.5 * (1.0 - contrast)
    return matrix
