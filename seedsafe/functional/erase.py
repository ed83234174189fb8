"""Holes in images, and tiles to shuffle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, Final

import numpy as np

from seedsafe.functional.coordinates import put, widen
from seedsafe.functional.kinds import fit_fill
from seedsafe.functional.scratch import part_of, parts
from seedsafe.ground.exactness import EVERYWHERE, exact
from seedsafe.ground.info import Array
from seedsafe.keys.key import Address
from seedsafe.keys.words import normal_quantiles, sixteenths

__all__ = [
    "FILLS",
    "Hole",
    "fill_holes",
    "fill_holes_each",
    "grid_holes",
    "grid_tiles",
    "shuffle_boxes",
    "shuffle_points",
    "shuffle_tiles",
    "visible_boxes",
]

Hole = tuple[int, int, int, int]
"""x0, y0, x1, y1: the first column and row, and the column and row after the last."""

_HOLES_AT_ONCE: Final = 256
"""The number of holes whose noise is computed at once."""

FILLS: Final = ("noise", "color", "normal")
"""Random fills: a uniform value for each pixel and channel, one color for each hole, or standard normal noise (float32)."""


@exact(EVERYWHERE)
def fill_holes(image: Array, holes: Sequence[Hole], fill: Any = 0, noise: Address | None = None) -> Array:
    """Return an image with rectangles filled.

    Args:
        image: (H, W) or (H, W, C), any dtype; for a random fill uint8 or float32, for "normal" float32.
        holes: rectangles; parts outside the image are ignored.
        fill: the fill in the image's own units, one value for all channels or one for each; or one of FILLS.
        noise: the address of a random fill: one 16-bit piece for each value, hole by hole in C order.

    Raises:
        TypeError: the dtype cannot be filled at random.
        ValueError: fill does not fit the image's channels or dtype.

    Example:
        >>> fill_holes(np.ones((2, 4), np.uint8), [(1, 0, 3, 1)], 9).tolist()
        [[1, 9, 9, 1], [1, 1, 1, 1]]
    """
    result = image.copy()
    if isinstance(fill, str):
        _fill_at_random(result, holes, fill, noise)
        return result
    value = fit_fill(fill, result)
    for x0, y0, x1, y1 in holes:
        result[max(y0, 0) : max(y1, 0), max(x0, 0) : max(x1, 0)] = value
    return result


def fill_holes_each(images: Array, holes: Array, fill: Any = 0) -> Array:
    """Return images, each with its own rectangles filled, as a new array.

    Args:
        images: (N, H, W) or (N, H, W, C), any dtype.
        holes: the holes of each image, int64, (N, holes, 4), inside the image; holes without an area are ignored.
        fill: see `fill_holes`; one number, or one for each channel.

    Example:
        >>> fill_holes_each(np.ones((2, 1, 3), np.uint8), np.array([[[0, 0, 1, 1]], [[1, 0, 3, 1]]]), 9).tolist()
        [[[9, 1, 1]], [[1, 9, 9]]]
    """
    result = images.copy()
    value = fit_fill(fill, images[0])
    for image, rectangles in zip(result, holes.tolist(), strict=True):
        for x0, y0, x1, y1 in rectangles:
            if x1 > x0 and y1 > y0:
                image[y0:y1, x0:x1] = value
    return result


def _fill_at_random(image: Array, holes: Sequence[Hole], fill: str, noise: Address | None) -> None:
    if image.dtype != np.float32 and (fill == "normal" or image.dtype != np.uint8):
        need = "float32" if fill == "normal" else "uint8 or float32"
        raise TypeError(
            f"fill={fill!r} needs an image of {need}, got dtype {image.dtype}: pass a number as fill"
        )
    if fill not in FILLS or noise is None:
        raise ValueError(
            f"fill must be a number, or one of {', '.join(FILLS)} if there is noise, got {fill!r}: pass a number, or noise= too"
        )
    size = part_of(image, 16)
    start = pending = 0
    group: list[tuple[Array, int]] = []
    for x0, y0, x1, y1 in holes:
        view = image[max(y0, 0) : max(y1, 0), max(x0, 0) : max(x1, 0)]
        values = view.size
        if not values:
            continue
        for part in (view,) if values <= size or fill == "color" else _bands_of(view, size):
            count = part.size if fill != "color" else image[0, 0].size
            group.append((part, count))
            pending += count
            if pending >= size or len(group) == _HOLES_AT_ONCE:
                _fill(group, sixteenths(noise, pending, start), fill)
                start, pending, group = start + pending, 0, []
    _fill(group, sixteenths(noise, pending, start), fill)


def _bands_of(view: Array, size: int) -> Iterator[Array]:
    """Yield the rows of a hole in parts of about `size` values."""
    for first, last in parts(len(view), max(size // view[0].size, 1)):
        yield view[first:last]


def _fill(group: list[tuple[Array, int]], pieces: Array, fill: str) -> None:
    """Fill parts of an image, each with its number of pieces."""
    if not group:
        return
    values, first = _values(pieces, fill, group[0][0].dtype), 0
    for part, count in group:
        part[...] = values[first : first + count].reshape(part.shape[2:] if fill == "color" else part.shape)
        first += count


def _values(pieces: Array, fill: str, dtype: Any) -> Array:
    if dtype == np.uint8:
        return pieces >> 8
    if fill == "normal":
        return normal_quantiles()[pieces].astype(np.float32)
    return (pieces.astype(np.float32) + np.float32(0.5)) * np.float32(2.0**-16)


def visible_boxes(boxes: Array, holes: Sequence[Hole], height: int, width: int) -> Array:
    """Return boxes (N, 4 or more), x0, y0, x1, y1 first, shrunk to their parts that holes leave visible.

    No box is removed, so that labels stay aligned; a covered box has an area of zero.

    Args:
        boxes: the boxes in pixel edges.
        holes: rectangles.
        height: the height of the image.
        width: the width of the image.

    Example:
        >>> visible_boxes(np.array([[0.0, 0.0, 4.5, 2.0]]), [(0, 0, 2, 2)], 2, 6).tolist()
        [[2.0, 0.0, 4.5, 2.0]]
    """
    result = boxes.copy()
    if not holes or not len(boxes):
        return result
    visible = np.ones((height, width), np.bool_)
    for x0, y0, x1, y1 in holes:
        visible[max(y0, 0) : max(y1, 0), max(x0, 0) : max(x1, 0)] = False
    pixels = boxes[:, :4].astype(np.float64)
    first = np.maximum(np.floor(pixels[:, :2]), 0).astype(np.int64)
    last = np.maximum(np.ceil(pixels[:, 2:]), 0).astype(np.int64)
    for row, ((left, top), (right, bottom)) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        part = visible[top:bottom, left:right]
        if part.all():
            continue
        columns, rows = np.flatnonzero(part.any(axis=0)), np.flatnonzero(part.any(axis=1))
        if not len(columns):
            result[row, 2:4] = result[row, :2]
            continue
        x0, y0, x1, y1 = boxes[row, :4].tolist()
        result[row, 0] = max(x0, left + int(columns[0]))
        result[row, 1] = max(y0, top + int(rows[0]))
        result[row, 2] = min(x1, left + int(columns[-1]) + 1)
        result[row, 3] = min(y1, top + int(rows[-1]) + 1)
    return result


def grid_holes(
    height: int, width: int, unit: tuple[int, int], hole: tuple[int, int], start: tuple[int, int]
) -> tuple[Hole, ...]:
    """Return the holes of a grid over an image, row by row.

    Args:
        height: the height of the image.
        width: the width of the image.
        unit: height and width of a cell.
        hole: height and width of the hole in each cell's upper left corner.
        start: row and column of a cell's corner, in [0, unit).

    Example:
        >>> grid_holes(2, 4, (2, 2), (1, 1), (0, 1))
        ((1, 0, 2, 1), (3, 0, 4, 1))
    """
    rows = _bands(height, unit[0], hole[0], start[0])
    columns = _bands(width, unit[1], hole[1], start[1])
    return tuple((x0, y0, x1, y1) for y0, y1 in rows for x0, x1 in columns)


def _bands(size: int, unit: int, hole: int, start: int) -> list[tuple[int, int]]:
    targets = range(start - unit, size, unit)
    bands = [(max(target, 0), min(target + hole, size)) for target in targets]
    return [(first, last) for first, last in bands if last > first]


def grid_tiles(
    height: int,
    width: int,
    rows: int,
    columns: int,
    *,
    heights: Sequence[int] | None = None,
    widths: Sequence[int] | None = None,
) -> tuple[Hole, ...]:
    """Return the tiles of an image, row by row; without heights and widths, their sides differ by at most 1.

    Args:
        height: the height of the image, in pixels.
        width: the width of the image, in pixels.
        rows: the number of rows of tiles.
        columns: the number of columns of tiles.
        heights: the heights of the rows; their sum is the image's height.
        widths: the widths of the columns; their sum is the image's width.

    Example:
        >>> grid_tiles(2, 5, 1, 2)
        ((0, 0, 2, 2), (2, 0, 5, 2))
        >>> grid_tiles(2, 5, 1, 2, widths=(3, 2))
        ((0, 0, 3, 2), (3, 0, 5, 2))
    """
    tops = _ends(height, rows) if heights is None else [0, *accumulate(heights)]
    lefts = _ends(width, columns) if widths is None else [0, *accumulate(widths)]
    return tuple(
        (lefts[column], tops[row], lefts[column + 1], tops[row + 1])
        for row in range(rows)
        for column in range(columns)
    )


def _ends(side: int, parts: int) -> list[int]:
    return [side * k // parts for k in range(parts + 1)]


@exact(EVERYWHERE)
def shuffle_tiles(image: Array, tiles: Sequence[Hole], order: Sequence[int]) -> Array:
    """Return an image with its tiles in a different order.

    Args:
        image: (H, W) or (H, W, C), any dtype.
        tiles: rectangles that cover the image.
        order: for each tile, the number of the tile of the same size that replaces it.

    Example:
        >>> shuffle_tiles(np.array([[1, 2, 3, 4]]), [(0, 0, 2, 1), (2, 0, 4, 1)], (1, 0)).tolist()
        [[3, 4, 1, 2]]
    """
    result = np.empty(image.shape, image.dtype)
    for (x0, y0, x1, y1), old in zip(tiles, order, strict=True):
        left, top, right, bottom = tiles[old]
        result[y0:y1, x0:x1] = image[top:bottom, left:right]
    return result


def shuffle_points(points: Array, tiles: Sequence[Hole], order: Sequence[int]) -> Array:
    """Return points (N, 2 or more), x and y of pixel centres first, moved with their tiles.

    A point outside the image stays where it is.

    Args:
        points: in pixels.
        tiles: x0, y0, x1, y1 of each, in pixels.
        order: see `shuffle_tiles`.

    Example:
        >>> shuffle_points(np.array([[0.0, 0.0]]), [(0, 0, 2, 1), (2, 0, 4, 1)], (1, 0)).tolist()
        [[2.0, 0.0]]
    """
    result = points.copy()
    edges = points[:, :2].astype(np.float64) + 0.5
    for target, old in enumerate(order):
        x0, y0, x1, y1 = tiles[old]
        inside = (edges[:, 0] >= x0) & (edges[:, 0] < x1) & (edges[:, 1] >= y0) & (edges[:, 1] < y1)
        source = widen(points[inside, :2])
        into = result[inside, :2]
        put(into, source + np.array([tiles[target][0] - x0, tiles[target][1] - y0], source.dtype))
        result[inside, :2] = into
    return result


def shuffle_boxes(boxes: Array, tiles: Sequence[Hole], order: Sequence[int]) -> Array:
    """Return boxes (N, 4 or more), x0, y0, x1, y1 first, cut to their largest part in one tile and moved with that tile.

    No box is removed; a box outside the image has an area of zero.

    Args:
        boxes: in pixels.
        tiles: x0, y0, x1, y1 of each, in pixels.
        order: see `shuffle_tiles`.

    Example:
        >>> shuffle_boxes(np.array([[1.0, 0.0, 4.0, 1.0]]), [(0, 0, 2, 1), (2, 0, 4, 1)], (1, 0)).tolist()
        [[0.0, 0.0, 2.0, 1.0]]
    """
    corners = np.array(tiles, np.float64)
    source = boxes[:, None, :4].astype(np.float64)
    low = np.maximum(source[..., :2], corners[None, :, :2])
    high = np.maximum(np.minimum(source[..., 2:], corners[None, :, 2:]), low)
    largest = np.argmax((high - low).prod(axis=2), axis=1)
    targets = np.empty(len(order), np.int64)
    targets[list(order)] = np.arange(len(order))
    rows = np.arange(len(boxes))
    step = corners[targets[largest], :2] - corners[largest, :2]
    result = boxes.copy()
    result[:, :2] = low[rows, largest] + step
    result[:, 2:4] = high[rows, largest] + step
    return result
