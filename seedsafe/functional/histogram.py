"""Equalisation and contrast by an image's own histogram."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from seedsafe.functional.carrier import opencv
from seedsafe.functional.kinds import in_uint8, is_rgb, new
from seedsafe.functional.scratch import scratch_planes
from seedsafe.functional.tables import VALUES, look_up, look_up_channels
from seedsafe.ground.exactness import EVERYWHERE, OPENCV, exact
from seedsafe.ground.info import Array

__all__ = ["EQUALIZERS", "autocontrast", "equalize", "equalize_adaptively"]

EQUALIZERS: Final = ("pillow", "opencv")
"""The libraries whose equalisation can be followed."""


@exact(EVERYWHERE)
def equalize(image: Array, method: str = "pillow") -> Array:
    """Return an image with its histogram equalised, channel by channel.

    Follows Pillow's ``ImageOps.equalize``, which torchvision follows too, or OpenCV's ``equalizeHist``. float32 is converted to
    uint8 and back.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        method: "pillow" rounds the number of pixels per step down; "opencv" covers 0 to 255.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the method is unknown.

    Example:
        >>> equalize(np.arange(64, 128, dtype=np.uint8).reshape(8, 8)[:2]).tolist()[0]
        [64, 65, 66, 67, 68, 69, 70, 71]
    """
    if method not in EQUALIZERS:
        raise ValueError(f"method must be one of {', '.join(EQUALIZERS)}, got {method!r}")
    return in_uint8(
        image, _equalize_opencv if method == "opencv" else lambda values: _by_channel(values, _pillow_table)
    )


def _pillow_table(counts: Array) -> Array:
    upto = counts.cumsum()
    last = counts.nonzero()[0][-1]
    step = int(upto[-1] - counts[last]) // 255
    if step == 0:
        return VALUES.astype(np.uint8)
    before = upto - counts
    before += step // 2
    before //= step
    return np.minimum(before, 255, out=before).astype(np.uint8)  # type: ignore[no-any-return]


def _equalize_opencv(image: Array) -> Array:
    cv2 = opencv()
    if image.ndim == 2 or image.shape[2] == 1:
        grey: Array = cv2.equalizeHist(image.reshape(image.shape[:2]))
        return grey.reshape(image.shape)
    planes = scratch_planes(image.shape[2], image)
    cv2.split(image, planes)
    for plane in planes:
        cv2.equalizeHist(plane, plane)
    result = new(image)
    cv2.merge(planes, result)
    return result


@exact(EVERYWHERE)
def autocontrast(image: Array, cutoff: float = 0.0) -> Array:
    """Return an image with each channel stretched to the whole range.

    Follows Pillow's ``ImageOps.autocontrast``, which torchvision follows too. float32 is converted to uint8 and back.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        cutoff: the percentage of values to ignore at each end, in [0, 50).

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> autocontrast(np.array([[100, 150, 200]], np.uint8)).tolist()
        [[0, 127, 254]]
    """
    if not cutoff:
        return in_uint8(image, _stretch_fully)
    return in_uint8(image, lambda values: _by_channel(values, lambda counts: _cutoff_table(counts, cutoff)))


def _stretch_fully(image: Array) -> Array:
    """Return an image with each channel stretched between its least and greatest values."""
    channels = image.shape[2] if image.ndim == 3 else 1
    if channels == 1:
        return look_up(image, _stretch_table(*_ends(image.reshape(image.shape[:2]))))
    planes = scratch_planes(channels, image)
    opencv().split(image, planes)
    tables = [_stretch_table(*_ends(plane)) for plane in planes]
    del planes  # frees their memory for the look-up
    return look_up_channels(image, tables)


def _ends(plane: Array) -> tuple[float, float]:
    low, high, _, _ = opencv().minMaxLoc(plane)
    return low, high


def _cutoff_table(counts: Array, cutoff: float) -> Array:
    cut = int(counts.sum() * cutoff // 100)
    counts = _trim(_trim(counts, cut)[::-1], cut)[::-1]
    bins = np.flatnonzero(counts)
    return _stretch_table(float(bins[0]), float(bins[-1])) if len(bins) else VALUES.astype(np.uint8)


def _stretch_table(low: float, high: float) -> Array:
    """Return the table that maps two values to the ends of the range, rounded down."""
    if high <= low:
        return VALUES.astype(np.uint8)
    scale = 255.0 / (high - low)
    values = VALUES * scale
    values -= low * scale
    return np.minimum(np.maximum(values, 0.0, out=values), 255.0, out=values).astype(np.uint8)


def _trim(counts: Array, cut: int) -> Array:
    """Return counts with the first `cut` values removed."""
    return np.diff(np.maximum(np.cumsum(counts), cut), prepend=cut)


def _by_channel(image: Array, table_of: Callable[[Array], Array]) -> Array:
    """Return an image with each channel looked up in a table made from its own counts."""
    channels = image.shape[2] if image.ndim == 3 else 1
    if channels == 1:
        return look_up(image, table_of(_counts(image.reshape(image.shape[:2]), 0)))
    return look_up_channels(image, [table_of(_counts(image, channel)) for channel in range(channels)])


def _counts(image: Array, channel: int) -> Array:
    counts: Array = opencv().calcHist([image], [channel], None, [256], [0, 256])
    if image.shape[0] * image.shape[1] >= 2**24:  # OpenCV counts in float32
        values = image[..., channel] if image.ndim == 3 else image
        return np.bincount(values.ravel(), minlength=256)
    return counts.ravel().astype(np.int64)


@exact(OPENCV)
def equalize_adaptively(image: Array, clip: float, tiles: tuple[int, int]) -> Array:
    """Return an image with its lightness equalised tile by tile (CLAHE, Zuiderveld 1994).

    RGB images change in the lightness of CIELAB, grey images in their values. float32 is converted to uint8 and back.

    Args:
        image: uint8 or float32, (H, W, 3), RGB, or grey.
        clip: the greatest count of a bin in a tile's histogram, as a multiple of the mean count.
        tiles: rows and columns of tiles.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the image has the wrong number of channels.

    Example:
        >>> grey = np.arange(64, dtype=np.uint8).reshape(8, 8)
        >>> int(equalize_adaptively(grey, 4.0, (2, 2)).max()) > 63
        True
    """
    colours = is_rgb(image, "CLAHE")
    return in_uint8(image, lambda values: _equalize_tiles(values, clip, tiles, colours))


def _equalize_tiles(image: Array, clip: float, tiles: tuple[int, int], colours: bool) -> Array:
    cv2 = opencv()
    equalizer = cv2.createCLAHE(clip, (tiles[1], tiles[0]))
    if not colours:
        grey: Array = equalizer.apply(image.reshape(image.shape[:2]))
        return grey.reshape(image.shape)
    result = new(image)
    cv2.cvtColor(image, cv2.COLOR_RGB2LAB, result)
    cv2.insertChannel(equalizer.apply(cv2.extractChannel(result, 0)), result, 0)
    cv2.cvtColor(result, cv2.COLOR_LAB2RGB, result)
    return result
