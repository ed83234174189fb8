"""Resizing with antialias, bit for bit as Pillow."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final, NamedTuple

import numpy as np

from seedsafe.functional.pictures import pixels
from seedsafe.functional.scratch import scratch
from seedsafe.functional.values import memory_for
from seedsafe.ground.info import FLOAT32, UINT8, Array
from seedsafe.ground.process import importing
from seedsafe.kernels import FILTERS, Resizing, address, library

__all__ = [
    "BANDS",
    "Pass",
    "changed_by_pillow",
    "has_passes",
    "pil_image",
    "resize_smoothly",
]

_FILTERS: Final = {"bilinear": 2, "bilinear exact": 2, "bicubic": 3, "area": 4, "lanczos": 1}
"""Pillow's filter numbers."""

BANDS: Final = {1: "L", 3: "RGB", 4: "RGBX"}
"""Pillow's mode for each number of channels. Its modes LA and RGBA would multiply the other channels by alpha."""

_LINE: Final = 64
"""Bytes of a line of the processor's cache."""

_SAME: Final = (np.ones(1, FLOAT32), np.zeros(1, FLOAT32))
"""A factor and an offset that change nothing."""


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
    """Return an image resized as Pillow's ``Image.resize`` does, each channel separately, as a new array.

    The compiled kernels do it where they can, else Pillow. uint8 keeps its dtype; other dtypes that can be interpolated go through Pillow's mode F. "area" is Pillow's box.
    """
    values = image if image.dtype == UINT8 else np.ascontiguousarray(image, FLOAT32)
    compiled = Pass(height, width, interpolation).run(values, None, is_video=False)
    if compiled is not None:
        return _rounded(compiled, image.dtype).astype(image.dtype, copy=False)
    rows, columns = image.shape[:2]

    def change(picture: Any, _: slice) -> Any:
        # Pillow 13 resizes the columns first where that is cheaper, and each pass rounds; with a call of their own, older versions do too.
        if rows - height > max(0, 2 * (columns - width)):
            picture = picture.resize((columns, height), _FILTERS[interpolation])
        return picture.resize((width, height), _FILTERS[interpolation])

    return changed_by_pillow(image, height, width, change)


def changed_by_pillow(image: Array, height: int, width: int, change: Callable[[Any, slice], Any]) -> Array:
    """Return an image of a new size, a new array that holds what Pillow makes of groups of the channels.

    Args:
        image: (H, W) or (H, W, C): uint8, or what becomes one channel at a time in Pillow's mode F.
        height: the rows of the result.
        width: its columns.
        change: gets channels as a Pillow image and their numbers, and returns a Pillow image.
    """
    result: Array = np.empty((height, width, *image.shape[2:]), image.dtype)
    source, target = (array if array.ndim == 3 else array[..., None] for array in (image, result))
    is_uint8 = image.dtype == UINT8
    count = source.shape[2]
    step = count if is_uint8 and count in BANDS else 1
    for channels in (slice(first, first + step) for first in range(0, count, step)):
        part = np.ascontiguousarray(source[..., channels], UINT8 if is_uint8 else FLOAT32)
        mode = BANDS[part.shape[2]] if is_uint8 else "F"
        values = pixels(
            change(pil_image().frombuffer(mode, part.shape[1::-1], part, "raw", mode, 0, 1), channels)
        )
        target[..., channels] = (values if is_uint8 else _rounded(values, image.dtype)).reshape(
            height, width, -1
        )
    return result


def _rounded(values: Array, dtype: np.dtype[Any]) -> Array:
    """Return floats that are whole numbers in the range of an integer's dtype, or as they are for floats."""
    if dtype.kind == "f" or values.dtype == dtype:
        return values
    limits = np.iinfo(dtype)
    return np.clip(np.rint(values), limits.min, limits.max)


def has_passes() -> bool:
    """Return whether the kernels are there."""
    return library() is not None


class Pass(NamedTuple):
    """What one pass over an image of uint8 does: it resizes a window, cuts, mirrors, normalises and puts the channels first."""

    height: int
    width: int
    interpolation: str
    source: tuple[int, int, int, int] | None = None
    """The window of the image that is resized, if it is not the whole: top, left, height and width."""
    cut: tuple[int, int, int, int] | None = None
    """The window of the resized image that is kept, before it is mirrored: top, left, height and width."""
    mirrors: tuple[bool, bool] = (False, False)
    """Whether the result is turned upside down, and left and right."""
    planar: bool = False
    """Whether the channels come first."""
    in_units: bool = False
    """Whether the values become floats in [0, 1]: each divided by 255, rounded once."""
    affine: tuple[Array, Array] | None = None
    """The factors and the offsets of floats, float32, one for each channel or for all, rounded after each operation."""

    @property
    def window(self) -> tuple[int, int, int, int]:
        """The window of the resized image that is kept."""
        return self.cut or (0, 0, self.height, self.width)

    def cut_to(self, top: int, left: int, height: int, width: int) -> Pass:
        """Return a pass that keeps a window of this one's result; the kernels refuse one that reaches beyond the image."""
        above, before, rows, columns = self.window
        if self.mirrors[0]:
            top = rows - top - height
        if self.mirrors[1]:
            left = columns - left - width
        return self._replace(cut=(above + top, before + left, height, width))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the result."""
        return FLOAT32 if self.in_units or self.affine is not None else UINT8

    def run(self, image: Array, row: Array | None, *, is_video: bool) -> Array | None:
        """Return the result for an image or for each frame of a video, in the row if it fits; None if the kernels cannot do it.

        Args:
            image: uint8, or float32, which is resized alone: (H, W) or (H, W, C), for a video (T, H, W) or (T, H, W, C).
            row: memory for the result.
            is_video: whether the first axis is that of the frames.
        """
        opened = library()
        frames = image if is_video else image[np.newaxis]
        top, left, rows, columns = self.source or (0, 0, *frames.shape[1:3])
        fits = 0 <= top <= frames.shape[1] - rows and 0 <= left <= frames.shape[2] - columns
        if opened is None or not fits:
            return None
        size, channels = self.window[2:], frames.shape[3:]
        shape = (*(channels or (1,)), *size) if self.planar else (*size, *channels)
        shape = (len(frames), *shape) if is_video else shape
        is_float = image.dtype == FLOAT32
        row = memory_for(shape, FLOAT32 if is_float else self.dtype, row)
        call = opened.seedsafe_resize_floats if is_float else opened.seedsafe_resize_bytes
        return row if _done(call, _job(frames, self, row)) else None


def _job(frames: Array, todo: Pass, target: Array) -> Resizing:
    channels = frames.shape[3] if frames.ndim == 4 else 1
    top, left, rows, columns = todo.source or (0, 0, *frames.shape[1:3])
    each = frames.itemsize
    if frames.strides[2:] != ((channels * each, each) if frames.ndim == 4 else (each,)):
        frames = np.ascontiguousarray(frames[:, top : top + rows, left : left + columns])
        top = left = 0
    step, row_step, pixel_step = frames.strides[:3]
    affine = todo.affine or _SAME if todo.dtype == FLOAT32 else ()
    job = Resizing(
        address(frames) + top * row_step + left * pixel_step,
        len(frames),
        step,
        row_step,
        channels,
        rows,
        columns,
        channels,
        todo.height,
        todo.width,
        *todo.window,
        FILTERS[todo.interpolation],
        *todo.mirrors,
        todo.planar,
        0,
        # Rounded to float32, the product is x / 255 for every x.
        *((3, 1 / 765) if todo.in_units else (1, 1.0)),
        *((part.tobytes() * (channels // len(part)) for part in affine) if affine else (None, None)),
        address(target),
    )
    job.alive = frames  # which must live as long as its address is used
    return job


def _done(call: Callable[[Resizing], int], job: Resizing) -> bool:
    """Make a call with the scratch memory that it asks for, and return whether it did its work."""
    needed = call(job)
    if needed > 0:
        memory = scratch((needed + _LINE,))
        first = address(memory)
        job.scratch, job.scratch_size = first + -first % _LINE, needed
        needed = call(job)
    return needed == 0
