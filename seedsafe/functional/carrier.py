"""OpenCV, imported where an image is touched, and arrays in the form that it takes."""

from __future__ import annotations

import math
from functools import cache
from types import ModuleType
from typing import Final

import numpy as np

from seedsafe.ground.info import Array
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
    "require_size",
    "restore",
]

MAX_CHANNELS: Final = 128
"""OpenCV moves pixels of up to this many channels in every version that the project supports."""

MAX_VALUES: Final = 2**33
"""No result has more values than this, and no side of 2**31."""

_NATIVE: Final = "BHhifd"
_CARRIERS: Final = {1: np.uint8, 2: np.uint16, 4: np.int32, 8: np.float64}


@cache
def opencv() -> ModuleType:
    """Return the module cv2.

    Raises:
        ImportError: it is not installed.
    """
    try:
        return load()
    except ImportError as error:
        raise ImportError('images need OpenCV: pip install "seedsafe[image]"') from error


@cache
def has_opencv() -> bool:
    """Return whether OpenCV can be imported; flips and crops do without, more slowly."""
    try:
        opencv()
    except ImportError:
        return False
    return True


def as_carrier(image: Array) -> Array:
    """Return a view of an image, in a dtype of the same size that OpenCV moves without looking at the values."""
    return image if is_native(image) else image.view(_CARRIERS[image.itemsize])


def is_native(image: Array) -> bool:
    """Return whether OpenCV takes the dtype as it is."""
    return image.dtype.char in _NATIVE


def restore(result: Array, image: Array) -> Array:
    """Return what OpenCV made of an image in the image's dtype and dimensions; that very array, not a view, if it has them."""
    if result.dtype != image.dtype:
        result = result.view(image.dtype)
    return result if result.ndim == image.ndim else result[..., None]


def in_memory(image: Array) -> Array:
    """Return an array with memory for every value: the array itself, but of NumPy's broadcasts, which OpenCV would read beyond, a copy.

    Raises:
        ValueError: a side is longer than OpenCV counts.
    """
    if 0 not in image.strides:
        return image
    require_size(image.shape)
    return np.array(image, order="C")


def need_image(image: Array) -> None:
    """Raise ValueError for an array that has not the shape of an image."""
    if image.ndim not in (2, 3):
        raise ValueError(f"an image must have the shape (H, W) or (H, W, C), got {image.shape}: reshape it")


def require_size(shape: tuple[int, ...]) -> None:
    """Raise ValueError for the shape of an image that is too large to be made."""
    if max(shape) >= 2**31 or math.prod(shape) > MAX_VALUES:
        raise ValueError(
            f"an image must have sides below 2**31 and at most 2**33 values, got the shape {shape}: pad it less, or cut it "
            "into tiles"
        )
