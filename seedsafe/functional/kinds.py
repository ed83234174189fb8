"""Checks and conversions of images: uint8 or float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from seedsafe.functional.carrier import in_memory, need_image
from seedsafe.functional.values import to_float
from seedsafe.functional.window import check_fill
from seedsafe.ground.info import FLOAT32, UINT8, Array, arithmetic

__all__ = ["check_image", "fit_fill", "in_uint8", "is_rgb", "is_uint8", "need_rgb", "new", "to_uint8"]


def is_uint8(image: Array) -> bool:
    """Return True for uint8, False for float32.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the shape is not that of an image.
    """
    if image.ndim not in (2, 3):
        need_image(image)
    dtype = image.dtype
    if dtype is UINT8 or dtype == UINT8:
        return True
    if dtype == FLOAT32:
        return False
    raise TypeError(f"an image must be uint8 or float32, got dtype {dtype}: {arithmetic('image', dtype)}")


def check_image(image: Array) -> Array:
    """Return an image after the checks of `is_uint8` and `in_memory`."""
    is_uint8(image)
    return in_memory(image)


def is_rgb(image: Array, name: str) -> bool:
    """Return True for an image of three channels and False for one; `name` is the transform in the error for others."""
    channels = image.shape[2] if image.ndim == 3 else 1
    if channels not in (1, 3):
        raise ValueError(
            f"{name} needs an image of 3 channels (RGB) or 1 (grey), got the shape {image.shape}: "
            "pass the colour channels alone"
        )
    return channels == 3


def need_rgb(image: Array, name: str) -> None:
    """Raise ValueError if an image does not have three channels; see `is_rgb`."""
    if not is_rgb(image, name):
        raise ValueError(
            f"{name} needs an image of 3 channels (RGB), got the shape {image.shape}: repeat the grey channel"
        )


def new(image: Array) -> Array:
    """Return an empty C-contiguous array of an image's shape and dtype."""
    return np.empty(image.shape, image.dtype)


def to_uint8(image: Array) -> Array:
    """Return a float32 image in [0, 1] as uint8, rounded and cut off at 0 and 255."""
    values = image * np.float32(255)
    np.rint(values, out=values)
    np.clip(values, 0, 255, out=values)
    return values.astype(np.uint8, order="C")


def in_uint8(image: Array, change: Callable[[Array], Array]) -> Array:
    """Apply a function for uint8 images to an image; float32 is converted to uint8 and back."""
    image = in_memory(image)
    return change(image) if is_uint8(image) else to_float(change(to_uint8(image)))


def fit_fill(fill: Any, image: Array) -> Any:
    """Return a fill, one number for all channels or one for each, in an image's dtype.

    Raises:
        ValueError: it does not fit the image's channels or dtype.
    """
    if isinstance(fill, int | float) and 0 <= fill <= 127:
        return np.asarray(fill, image.dtype)  # fits every dtype
    channels = image.shape[2] if image.ndim == 3 else 1
    check_fill(fill, image, whole=False)
    return np.asarray(fill, image.dtype) if np.size(fill) == channels else fill
