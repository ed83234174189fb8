"""OpenCV, and arrays in the form it takes."""

from __future__ import annotations

import math
from functools import cache
from types import ModuleType
from typing import Final

import numpy as np

from seedsafe.ground.info import Array, shape_error
from seedsafe.opencv import load

__all__ = [
    "MAX_CHANNELS",
    "MAX_VALUES",
    "as_carrier",
    "has_opencv",
    "in_memory",
    "is_native",
    "need_image",
    "opencv",
    "refuse_volume",
    "require_size",
    "restore",
]

MAX_CHANNELS: Final = 128
"""OpenCV handles up to this many channels in every supported version."""

MAX_VALUES: Final = 2**33
"""The greatest number of values of a result; each side is below 2**31."""

_NATIVE: Final = "BHhifd"
_CARRIERS: Final = {1: np.uint8, 2: np.uint16, 4: np.int32, 8: np.float64}


@cache
def opencv() -> ModuleType:
    """Return the module cv2, or raise ImportError."""
    try:
        return load()
    except ImportError as error:
        raise ImportError('images need OpenCV: pip install "seedsafe[image]"') from error


@cache
def has_opencv() -> bool:
    """Return whether OpenCV can be imported; flips and crops work without it, more slowly."""
    try:
        opencv()
    except ImportError:
        return False
    return True


def as_carrier(image: Array) -> Array:
    """Return a view of an image in a dtype of the same size that OpenCV can move."""
    return image if is_native(image) else image.view(_CARRIERS[image.itemsize])


def is_native(image: Array) -> bool:
    """Return whether OpenCV supports the image's dtype."""
    return image.dtype.char in _NATIVE


def restore(result: Array, image: Array) -> Array:
    """Return OpenCV's result in the image's dtype and number of dimensions; the array itself if it already has them."""
    if result.dtype != image.dtype:
        result = result.view(image.dtype)
    return result if result.ndim == image.ndim else result[..., None]


def in_memory(image: Array) -> Array:
    """Return the image, or a copy if NumPy broadcast it: OpenCV would read beyond its memory.

    Raises:
        ValueError: a side is longer than OpenCV supports.
    """
    if 0 not in image.strides:
        return image
    require_size(image.shape)
    return np.array(image, order="C")


def need_image(image: Array) -> None:
    """Raise ValueError if an array does not have the shape of an image."""
    if image.ndim not in (2, 3):
        raise shape_error(image.shape)


def refuse_volume(array: Array) -> None:
    """Raise ValueError if an array has more axes than an image."""
    if array.ndim > 3:
        need_image(array)


def require_size(shape: tuple[int, ...]) -> None:
    """Raise ValueError if an image of this shape would be too large."""
    if max(shape) >= 2**31 or math.prod(shape) > MAX_VALUES:
        raise ValueError(
            f"an image must have sides below 2**31 and at most 2**33 values, got the shape {shape}: pad it less, or cut it "
            "into tiles"
        )
