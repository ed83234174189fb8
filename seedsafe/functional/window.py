"""Crops and padding of images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from seedsafe.functional.carrier import (
    MAX_CHANNELS,
    as_carrier,
    has_opencv,
    in_memory,
    is_native,
    opencv,
    require_size,
)
from seedsafe.functional.coordinates import put, widen
from seedsafe.functional.scratch import scratch
from seedsafe.ground.exactness import EVERYWHERE, exact
from seedsafe.ground.info import Array

__all__ = ["MODES", "check_fill", "crop", "crop_each", "pad", "shift_boxes", "shift_points"]

BORDERS: Final = {"constant": 0, "edge": 1, "reflect": 4, "symmetric": 2}
"""OpenCV's numbers of the modes."""

MODES: Final = tuple(BORDERS)
"""How pixels outside an image are filled, in the words of ``numpy.pad``."""

_LARGE: Final = 4096
"""From this many pixels on, OpenCV pads a window faster than NumPy (python -m benchmarks --only PadIfNeeded)."""


@exact(EVERYWHERE)
def crop(
    image: Array,
    top: int,
    left: int,
    height: int,
    width: int,
    *,
    mode: str = "constant",
    fill: float | Sequence[float] = 0,
) -> Array:
    """Return a window of an image, filled where it reaches beyond the image.

    Args:
        image: (H, W) or (H, W, C), any dtype.
        top: the window's first row; may be negative.
        left: the window's first column; may be negative.
        height: the height of the window, in pixels.
        width: the width of the window, in pixels.
        mode: how pixels outside the image are filled, one of MODES.
        fill: the value outside in the mode "constant", one for all channels or one for each.

    Returns:
        (height, width) or (height, width, C); a view of the image if the window lies inside it.

    Raises:
        ValueError: mode is unknown, the image is too small to mirror into the window, or fill does not fit the image's
            channels or dtype.

    Example:
        >>> crop(np.array([[1, 2], [3, 4]]), 0, 1, 2, 2).tolist()
        [[2, 0], [4, 0]]
    """
    rows, columns = image.shape[:2]
    if top >= 0 and left >= 0 and top + height <= rows and left + width <= columns:
        return image[top : top + height, left : left + width]
    image = in_memory(image)
    # Up to here, the limit of values is out of reach for fewer than 512 channels.
    if height * width > 2**24:
        require_size((height, width, *image.shape[2:]))
    if mode != "constant":
        return _mirror(image, top, left, height, width, mode)
    first_row, first_column = -top if top < 0 else 0, -left if left < 0 else 0
    inside = image[top + first_row : max(top + height, 0), left + first_column : max(left + width, 0)]
    shape = (height, width, *image.shape[2:])
    if type(fill) in (int, float) and fill == 0:
        large = height * width >= _LARGE and inside.size
        plain = image.ndim == 2 or 1 < image.shape[2] <= MAX_CHANNELS
        if large and plain and is_native(image) and has_opencv():
            below, after = height - first_row - inside.shape[0], width - first_column - inside.shape[1]
            cv2 = opencv()
            result: Array = cv2.copyMakeBorder(
                inside, first_row, below, first_column, after, cv2.BORDER_CONSTANT
            )
            return result
        window = np.zeros(shape, image.dtype)
    else:
        check_fill(fill, image)
        window = np.empty(shape, image.dtype)
        window[...] = fill
    window[first_row : first_row + inside.shape[0], first_column : first_column + inside.shape[1]] = inside
    return window


def crop_each(images: Array, tops: Any, lefts: Any, height: int, width: int, mode: str, fill: Any) -> Array:
    """Return a window of each image, as a new array; see `crop`.

    Args:
        images: (N, H, W) or (N, H, W, C), any dtype.
        tops: the windows' first rows, one for all or (N,).
        lefts: the windows' first columns, one for all or (N,).
        height: the height of the window, in pixels.
        width: the width of the window, in pixels.
        mode: see `crop`.
        fill: see `crop`.

    Returns:
        (N, height, width) or (N, height, width, C).

    Raises:
        ValueError: see `crop`.

    Example:
        >>> crop_each(np.array([[[1, 2]], [[3, 4]]]), 0, np.array([0, 1]), 1, 2, "constant", 0).tolist()
        [[[1, 2]], [[4, 0]]]
    """
    count, rows, columns = images.shape[:3]
    top, left = (np.full(count, one) if np.ndim(one) == 0 else one for one in (tops, lefts))
    above, below = max(-int(top.min()), 0), max(int(top.max()) + height - rows, 0)
    before, after = max(-int(left.min()), 0), max(int(left.max()) + width - columns, 0)
    if above or below or before or after:
        images = _pad_all(images, above, below, before, after, mode, fill)
        top, left = top + above, left + before
    else:
        images = np.ascontiguousarray(images)
    _, rows, columns, *channels = images.shape
    row = np.dtype((np.void, width * math.prod(channels) * images.itemsize))  # copied as one element
    windows: Array = np.ndarray(
        (count, rows - height + 1, columns - width + 1, height),
        row,
        images,
        strides=(*images.strides[:3], images.strides[1]),
    )
    result: Array = windows[np.arange(count), top, left].view(images.dtype)
    return result.reshape(count, height, width, *channels)


def _pad_all(images: Array, above: int, below: int, before: int, after: int, mode: str, fill: Any) -> Array:
    count, rows, columns, *channels = images.shape
    height, width = above + rows + below, before + columns + after
    if mode != "constant":
        images = images.take(sources(mode, -above, height, rows), axis=1)
        return images.take(sources(mode, -before, width, columns), axis=2)
    shape = (count, height, width, *channels)
    result = scratch(shape, images.dtype)
    if fill != 0:
        check_fill(fill, images[0])
    result[...] = fill
    result[:, above : above + rows, before : before + columns] = images
    return result


def check_fill(fill: float | Sequence[float], image: Array, *, whole: bool = True) -> None:
    """Raise ValueError if a fill does not fit an image's channels or dtype, or, if `whole`, is a fraction among integers."""
    values = np.ravel(fill).tolist()
    channels = image.shape[2] if image.ndim == 3 else 1
    if len(values) not in (1, channels):
        raise ValueError(
            f"fill must be one number, or one for each channel, got {fill!r} for an image of shape {image.shape}: pass one number"
        )
    if image.dtype.kind in "ui":
        limits = np.iinfo(image.dtype)
        fits = (limits.min <= value <= limits.max and (not whole or value == int(value)) for value in values)
        if not all(fits):
            kind, way_out = ("a whole number ", ", or put ToFloat() before it") if whole else ("", "")
            raise ValueError(
                f"fill must be {kind}from {limits.min} to {limits.max} for {image.dtype}, got {fill!r}: pass it in the "
                f"image's own units{way_out}"
            )


def _mirror(image: Array, top: int, left: int, height: int, width: int, mode: str) -> Array:
    row_sources = sources(mode, top, height, image.shape[0])
    column_sources = sources(mode, left, width, image.shape[1])
    if (image.ndim == 3 and image.shape[2] > MAX_CHANNELS) or not has_opencv():
        return image[row_sources[:, None], column_sources]
    above, before = max(-top, 0), max(-left, 0)
    below, after = max(top + height - image.shape[0], 0), max(left + width - image.shape[1], 0)
    # The part of the image to mirror, with the edge to mirror it at.
    first_row = 0 if above else row_sources.min()
    first_column = 0 if before else column_sources.min()
    last_row = image.shape[0] if below else row_sources.max() + 1
    last_column = image.shape[1] if after else column_sources.max() + 1
    source = image[first_row:last_row, first_column:last_column]
    border = BORDERS[mode]
    result: Array = opencv().copyMakeBorder(as_carrier(source), above, below, before, after, border)
    result = result.view(image.dtype)
    row, column = top + above - first_row, left + before - first_column
    return result[row : row + height, column : column + width].reshape(height, width, *image.shape[2:])


def sources(mode: str, start: int, length: int, size: int) -> Array:
    """Return the pixels in [0, size) that positions start, start + 1, … of the continued axis show."""
    positions = np.arange(start, start + length)
    if mode == "edge":
        return np.clip(positions, 0, size - 1)
    if mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)}, got {mode!r}")
    repeats_edge = mode == "symmetric"  # 1 more pixel to mirror in the sums below
    reach, limit = max(-start, start + length - size), size - 1 + repeats_edge
    if reach > limit:
        raise ValueError(
            f"cannot pad an image by {reach} pixels with mode={mode!r} along a side of {size}: pad less, or pass mode='edge' or "
            "mode='constant'"
        )
    positions = np.where(positions < 0, -positions - repeats_edge, positions)
    return np.where(positions >= size, 2 * size - 2 + repeats_edge - positions, positions)


@exact(EVERYWHERE)
def pad(image: Array, padding: tuple[int, int, int, int], *, mode: str = "constant", fill: Any = 0) -> Array:
    """Return an image with rows and columns added around it.

    Args:
        image: (H, W) or (H, W, C), any dtype.
        padding: rows and columns to add, (top, bottom, left, right), none negative.
        mode: how pixels outside the image are filled, one of MODES.
        fill: see `crop`.

    Returns:
        (top + H + bottom, left + W + right) or the same with C.

    Raises:
        ValueError: see `crop`.

    Example:
        >>> pad(np.array([[7]]), (0, 1, 1, 0), mode="edge").tolist()
        [[7, 7], [7, 7]]
    """
    top, bottom, left, right = padding
    rows, columns = image.shape[:2]
    return crop(image, -top, -left, top + rows + bottom, left + columns + right, mode=mode, fill=fill)


def shift_points(points: Array, top: int, left: int) -> Array:
    """Return points (N, 2 or more), x and y first, relative to a window's corner.

    Args:
        points: in pixels.
        top: the window's first row.
        left: the window's first column.

    Example:
        >>> shift_points(np.array([[5.0, 3.0]]), 1, 2).tolist()
        [[3.0, 2.0]]
    """
    result = points.copy()
    wide = widen(points[:, :2])
    put(result[:, :2], wide - np.array([left, top], wide.dtype))
    return result


def shift_boxes(boxes: Array, top: int, left: int, height: int, width: int) -> Array:
    """Return boxes (N, 4 or more), x0, y0, x1, y1 first, relative to a window's corner and cut off at its edges.

    No box is removed, so that labels stay aligned; a box outside the window has an area of zero.

    Args:
        boxes: in pixels.
        top: the window's first row.
        left: the window's first column.
        height: the height of the window, in pixels.
        width: the width of the window, in pixels.

    Example:
        >>> shift_boxes(np.array([[0, 0, 9, 4]]), 1, 2, 3, 3).tolist()
        [[0, 0, 3, 3]]
    """
    result = boxes.copy()
    wide = widen(boxes[:, :4])
    corner = np.array([left, top, left, top], wide.dtype)
    limit = np.array([width, height, width, height], wide.dtype)
    put(result[:, :4], np.clip(wide - corner, 0, limit))
    return result
