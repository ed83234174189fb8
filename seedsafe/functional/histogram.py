"""Equalisation: tables made of an image's own histogram."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from seedsafe.functional.carrier import in_memory, opencv
from seedsafe.functional.kinds import in_uint8, is_rgb, new
from seedsafe.functional.tables import VALUES, look_up, look_up_channels, table
from seedsafe.info import Array

__all__ = ["EQUALIZERS", "autocontrast", "equalize", "equalize_adaptively"]


EQUALIZERS: Final = ("pillow", "opencv")
"""Whose tables equalisation uses."""


def equalize(image: Array, method: str = "pillow") -> Array:
    """Return an image with its values spread evenly, channel by channel. Exact on every machine.

    Follows Pillow's ``ImageOps.equalize``, which torchvision follows too, or OpenCV's ``equalizeHist``. float32 goes through
    uint8.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        method: "pillow" rounds the pixels of a step down, "opencv" reaches from 0 to 255.

    Raises:
        TypeError: the dtype is another.
        ValueError: the method is unknown.

    Example:
        >>> equalize(np.arange(64, 128, dtype=np.uint8).reshape(8, 8)[:2]).tolist()[0]
        [64, 65, 66, 67, 68, 69, 70, 71]
    """
    if method not in EQUALIZERS:
        raise ValueError(f"method must be one of {', '.join(EQUALIZERS)}, got {method!r}")
    table_of = _equalizing if method == "pillow" else _reaching
    return in_uint8(image, lambda values: _by_channel(values, table_of))


def _equalizing(counts: Array) -> Array:
    used = counts[counts > 0]
    step = int(counts.sum() - used[-1]) // 255
    if len(used) <= 1 or step == 0:
        return VALUES.astype(np.uint8)
    before = np.concatenate([[0], np.cumsum(counts)[:-1]])
    spread: Array = np.minimum((before + step // 2) // step, 255).astype(np.uint8)
    return spread


def _reaching(counts: Array) -> Array:
    first = int(np.flatnonzero(counts)[0]) if counts.any() else 0
    rest = int(counts.sum() - counts[first])
    if rest == 0:
        return VALUES.astype(np.uint8)
    above = np.maximum(np.cumsum(counts) - counts[first], 0)
    spread: Array = np.rint(above.astype(np.float32) * np.float32(255.0 / rest)).astype(np.uint8)
    return spread


def autocontrast(image: Array, cutoff: float = 0.0) -> Array:
    """Return an image with each channel stretched to the whole range. Exact on every machine.

    Follows Pillow's ``ImageOps.autocontrast``, which torchvision follows too. float32 goes through uint8.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        cutoff: the percentage of values that are ignored at either end, in [0, 50).

    Raises:
        TypeError: the dtype is another.

    Example:
        >>> autocontrast(np.array([[100, 150, 200]], np.uint8)).tolist()
        [[0, 127, 254]]
    """
    return in_uint8(image, lambda values: _by_channel(values, lambda counts: _stretching(counts, cutoff)))


def _stretching(counts: Array, cutoff: float) -> Array:
    if cutoff:
        cut = int(counts.sum() * cutoff // 100)
        counts = _without(_without(counts, cut)[::-1], cut)[::-1]
    used = np.flatnonzero(counts)
    if len(used) == 0 or used[-1] <= used[0]:
        return VALUES.astype(np.uint8)
    low, high = float(used[0]), float(used[-1])
    scale = 255.0 / (high - low)
    stretched = np.trunc(VALUES * scale - low * scale)
    return table(stretched)


def _without(counts: Array, cut: int) -> Array:
    """Return counts with so many taken off the front."""
    return np.diff(np.maximum(np.cumsum(counts), cut), prepend=cut)


def _by_channel(image: Array, table_of: Callable[[Array], Array]) -> Array:
    """Return an image with each channel looked up in the table that its own counts make."""
    channels = image.shape[2] if image.ndim == 3 else 1
    if channels == 1:
        return look_up(image, table_of(_counts(image.reshape(image.shape[:2]), 0)))
    return look_up_channels(image, [table_of(_counts(image, channel)) for channel in range(channels)])


def _counts(image: Array, channel: int) -> Array:
    if 0 in image.strides:
        image = in_memory(image)
    counts: Array = opencv().calcHist([image], [channel], None, [256], [0, 256])
    if image.shape[0] * image.shape[1] >= 2**24:  # OpenCV counts in float32
        values = image[..., channel] if image.ndim == 3 else image
        return np.bincount(values.ravel(), minlength=256)
    return counts.ravel().astype(np.int64)


def equalize_adaptively(image: Array, clip: float, tiles: tuple[int, int]) -> Array:
    """Return an image with its lightness equalised tile by tile (CLAHE, Zuiderveld 1994); for one build of OpenCV.

    Of RGB, the lightness of CIELAB; of a grey image, the grey. float32 goes through uint8.

    Args:
        image: uint8 or float32, (H, W, 3), RGB, or grey.
        clip: how many times the mean a bin of a tile's histogram may hold.
        tiles: rows and columns of tiles.

    Raises:
        TypeError: the dtype is another.
        ValueError: the image has another number of channels.

    Example:
        >>> grey = np.arange(64, dtype=np.uint8).reshape(8, 8)
        >>> int(equalize_adaptively(grey, 4.0, (2, 2)).max()) > 63
        True
    """
    colours = is_rgb(image, "CLAHE")
    return in_uint8(image, lambda values: _adaptive(values, clip, tiles, colours))


def _adaptive(image: Array, clip: float, tiles: tuple[int, int], colours: bool) -> Array:
    if 0 in image.strides:
        image = in_memory(image)
    cv2 = opencv()
    equalizer = cv2.createCLAHE(clip, (tiles[1], tiles[0]))
    if not colours:
        grey: Array = equalizer.apply(image.reshape(image.shape[:2]))
        return grey.reshape(image.shape)
    made = new(image)
    cv2.cvtColor(image, cv2.COLOR_RGB2LAB, made)
    cv2.insertChannel(equalizer.apply(cv2.extractChannel(made, 0)), made, 0)
    cv2.cvtColor(made, cv2.COLOR_LAB2RGB, made)
    return made
