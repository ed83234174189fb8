"""Pixel values and their layout: to float, normalised, channels first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seedsafe.functional.carrier import MAX_CHANNELS, carried, opencv
from seedsafe.info import Array

__all__ = ["normalize", "to_chw", "to_float"]


def to_float(image: Array) -> Array:
    """Return an image as float32; uint8 is divided by 255, float32 stays as it is. Exact on every machine.

    Args:
        image: uint8 or float32, any shape.

    Raises:
        TypeError: the dtype is another.

    Example:
        >>> to_float(np.array([0, 255], np.uint8)).tolist()
        [0.0, 1.0]
    """
    if image.dtype == np.uint8:
        return np.divide(image, np.float32(255), dtype=np.float32)
    _need_float32(image)
    return image


def normalize(image: Array, mean: Sequence[float], std: Sequence[float]) -> Array:
    """Return ``(x - mean) / std`` of an image in [0, 1], as float32; uint8 is divided by 255 before.

    It is computed as ``x * float32(scale) + float32(offset)`` with one rounding after each operation, so it is exact
    on every machine, and within 2 units in the last place of ``x``'s and ``mean``'s quotients of the formula.

    Args:
        image: uint8, or float32 with values about [0, 1]; (H, W) or (H, W, C).
        mean: of each channel, or one for all, in [0, 1].
        std: of each channel, or one for all, in [0, 1].

    Raises:
        TypeError: the dtype is another.
        ValueError: mean and std do not have one value for each channel.

    Example:
        >>> normalize(np.array([[0, 255]], np.uint8), [0.5], [0.25]).tolist()
        [[-2.0, 2.0]]
    """
    scale, offset = affine(mean, std, 255.0 if image.dtype == np.uint8 else 1.0)
    if image.dtype != np.uint8:
        _need_float32(image)
    channels = image.shape[2] if image.ndim == 3 else 1
    if len(scale) not in (1, channels):
        raise ValueError(
            f"mean and std have {len(scale)} values and the image has the shape {image.shape}: give one for each channel"
        )
    made = np.empty(image.shape, np.float32)
    np.copyto(made, image)
    rows = made.reshape(image.shape[0], -1)
    rows *= _tiled(scale, rows.shape[1])
    rows += _tiled(offset, rows.shape[1])
    return made


def affine(mean: Sequence[float], std: Sequence[float], top: float) -> tuple[Array, Array]:
    """Return scale and offset of a normalisation, float32, one for each value of mean and std."""
    deviations = np.asarray(std, np.float64)
    scale = 1.0 / (deviations * top)
    offset = -np.asarray(mean, np.float64) / deviations
    return scale.astype(np.float32), offset.astype(np.float32)


def _tiled(values: Array, length: int) -> Array:
    return np.tile(values, length // len(values)) if len(values) > 1 else values


def to_chw(image: Array) -> Array:
    """Return an image with its channels first, as a new array. Exact on every machine.

    Args:
        image: (H, W) or (H, W, C), any dtype.

    Returns:
        (C, H, W); (1, H, W) of an image without channels.

    Raises:
        ValueError: the image has another number of dimensions.

    Example:
        >>> to_chw(np.zeros((4, 5, 3), np.uint8)).shape
        (3, 4, 5)
    """
    if image.ndim not in (2, 3):
        raise ValueError(f"an image must have the shape (H, W) or (H, W, C), got {image.shape}: reshape it")
    channels = image.shape[2] if image.ndim == 3 else 1
    planes = np.empty((channels, *image.shape[:2]), image.dtype)
    if 1 < channels <= MAX_CHANNELS:
        opencv().split(carried(image), list(carried(planes)))
    else:
        planes[...] = np.moveaxis(image, -1, 0) if image.ndim == 3 else image
    return planes


def _need_float32(image: Array) -> None:
    if image.dtype != np.float32:
        raise TypeError(f"an image must be uint8 or float32, got dtype {image.dtype}: convert it with astype")
