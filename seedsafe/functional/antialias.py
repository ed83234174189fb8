"""Resizing with antialias, bit for bit as Pillow."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Final

import numpy as np

from seedsafe.functional.pictures import pixels
from seedsafe.ground.info import FLOAT32, UINT8, Array
from seedsafe.ground.process import importing

__all__ = ["BANDS", "channel_groups", "pil_image", "resize_smoothly"]

_FILTERS: Final = {"bilinear": 2, "bilinear exact": 2, "bicubic": 3, "area": 4, "lanczos": 1}
"""Pillow's filter numbers."""

BANDS: Final = {1: "L", 3: "RGB", 4: "RGBX"}
"""Pillow's mode for each number of channels. Its modes LA and RGBA would multiply the other channels by alpha."""

_WHOLE: Final = ((), (3,), (4,))
"""What follows the sides in the shapes of uint8 images for which Pillow has a mode."""


@cache
def pil_image() -> ModuleType:
    """Return the module PIL.Image, or raise ImportError."""
    try:
        with importing:
            import PIL.Image

            import_module("PIL.ImageFile")  # NumPy reads the results with it
    except ImportError as error:
        raise ImportError('antialias=True needs Pillow: pip install "seedsafe[antialias]"') from error
    return PIL.Image


def resize_smoothly(image: Array, height: int, width: int, interpolation: str) -> Array:
    """Return an image resized by Pillow's ``Image.resize``, each channel separately, as a new array.

    uint8 keeps its dtype; other dtypes that can be interpolated go through Pillow's mode F. "area" is Pillow's box.
    """
    code = _FILTERS[interpolation]
    if image.dtype == UINT8 and image.shape[2:] in _WHOLE:
        return _resize(image, height, width, code)
    result: Array = np.empty((height, width, *image.shape[2:]), image.dtype)
    source, target = (array if array.ndim == 3 else array[..., None] for array in (image, result))
    # Pillow's mode F has one channel.
    for channels in channel_groups(source.shape[2], most=4 if image.dtype == UINT8 else 1):
        part = _resize(source[..., channels], height, width, code)
        target[..., channels] = part.reshape(height, width, -1)
    return result


def channel_groups(channels: int, most: int = 4) -> Iterator[slice]:
    """Yield the channels in groups of four, three or one, for which Pillow has a mode; at most `most` in each.

    Example:
        >>> [(group.start, group.stop) for group in channel_groups(6)]
        [(0, 4), (4, 5), (5, 6)]
    """
    first = 0
    while first < channels:
        count = min(channels - first, most)
        count = 1 if count == 2 else count
        yield slice(first, first + count)
        first += count


def _resize(planes: Array, height: int, width: int, code: int) -> Array:
    """Return one, three or four channels resized, a new array without the axis of a single channel."""
    rows, columns = planes.shape[:2]
    is_uint8 = planes.dtype == UINT8
    mode = BANDS[planes.shape[2] if planes.ndim == 3 else 1] if is_uint8 else "F"
    contiguous = np.ascontiguousarray(planes, UINT8 if is_uint8 else FLOAT32)
    image = pil_image().frombuffer(mode, (columns, rows), contiguous, "raw", mode, 0, 1)
    if rows - height > max(0, 2 * (columns - width)):
        # Pillow 13 resizes the columns first where that is cheaper, and each pass rounds; with a call of their own, older versions do too.
        image = image.resize((columns, height), code)
    values = pixels(image.resize((width, height), code))
    if planes.dtype.kind in "ui" and mode == "F":
        limits = np.iinfo(planes.dtype)
        values = np.clip(np.rint(values), limits.min, limits.max)
    return values
