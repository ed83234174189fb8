"""The photometric distortion of SSD."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seedsafe.functional.carrier import in_memory, opencv
from seedsafe.functional.channels import shuffle_channels
from seedsafe.functional.hue import turn_hue
from seedsafe.functional.kinds import is_uint8, need_rgb, new
from seedsafe.functional.scratch import scratch_planes
from seedsafe.functional.tones import adjust_tones
from seedsafe.ground.exactness import AT_LEAST_UINT8, exact
from seedsafe.ground.info import Array

__all__ = ["distort", "multiply_saturation"]


@exact(AT_LEAST_UINT8)
def multiply_saturation(image: Array, factor: float) -> Array:
    """Return an RGB image with its saturation in HSV multiplied.

    A saturation above 1 is not cut off, but the resulting values are, at the ends of their range.

    Args:
        image: uint8 or float32, (H, W, 3), RGB.
        factor: 0 gives the value of HSV, 1 the image itself.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the image has the wrong number of channels.

    Example:
        >>> multiply_saturation(np.array([[[200, 100, 100]]], np.uint8), 0.5).tolist()
        [[[200, 150, 150]]]
    """
    _check(image)
    return _multiply(image, factor, new(image))


def _check(image: Array) -> None:
    is_uint8(image)
    need_rgb(image, "PhotoMetricDistortion")


def _multiply(image: Array, factor: float, out: Array) -> Array:
    """Multiply each channel's distance from the greatest: v - factor * (v - x)."""
    image = in_memory(image)
    cv2 = opencv()
    planes = scratch_planes(3, image)
    cv2.split(image, planes)
    top = planes[0]
    cv2.max(cv2.max(top, planes[1], top), planes[2], top)
    tops = cv2.cvtColor(top, cv2.COLOR_GRAY2RGB)
    if image.dtype == np.uint8:
        cv2.addWeighted(tops, 1.0 - factor, image, factor, 0.0, out)
        return out
    tops *= np.float32(1.0 - factor)
    np.multiply(image, np.float32(factor), out=out)
    out += tops
    return np.minimum(np.maximum(out, 0, out=out), 1, out=out)


@exact(AT_LEAST_UINT8)
def distort(
    image: Array,
    brightness: float,
    contrast: float,
    contrast_first: bool,
    saturation: float,
    hue: float,
    order: Sequence[int],
) -> Array:
    """Return an RGB image with its colours distorted in the steps of SSD.

    Args:
        image: uint8 or float32, (H, W, 3), RGB.
        brightness: the brightness to add, on the scale of 0 to 255.
        contrast: the factor of all values.
        contrast_first: apply contrast before saturation and hue, not after.
        saturation: see `multiply_saturation`.
        hue: a turn in degrees.
        order: the order of the channels: the old number of each new one.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the image has the wrong number of channels.

    Example:
        >>> distort(np.array([[[200, 50, 50]]], np.uint8), 10.0, 1.0, True, 1.0, 120.0, (0, 1, 2)).tolist()
        [[[60, 210, 60]]]
    """
    _check(image)
    early = contrast if contrast_first else 1.0
    result = adjust_tones(image, early, early * brightness / 255.0)
    if saturation != 1.0:
        _multiply(result, saturation, result)
    if hue != 0.0:
        turn_hue(result, hue / 360.0, result)
    if not contrast_first and contrast != 1.0:
        result = adjust_tones(result, contrast, 0.0)
    return result if tuple(order) == (0, 1, 2) else shuffle_channels(result, order)
