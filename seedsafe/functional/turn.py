"""Quarter turns and transposes: images, points, boxes."""

from __future__ import annotations

from typing import Final

import numpy as np

from seedsafe.functional.carrier import as_carrier, in_memory, need_image, opencv, restore
from seedsafe.functional.coordinates import put, widen
from seedsafe.functional.flip import flip_each
from seedsafe.ground.exactness import EVERYWHERE, exact
from seedsafe.ground.info import Array

__all__ = [
    "quarter_turn",
    "quarter_turn_boxes",
    "quarter_turn_each",
    "quarter_turn_points",
    "transpose",
    "transpose_boxes",
    "transpose_each",
    "transpose_points",
]

_TRANSPOSED: Final = frozenset({1, 2, 3, 4, 6, 8, 12, 16, 24, 32})
"""Bytes per pixel that OpenCV can transpose."""

_CODES: Final = {1: 2, 2: 1, 3: 0}
"""OpenCV's numbers for one, two and three quarters counter-clockwise."""


@exact(EVERYWHERE)
def quarter_turn(image: Array, turns: int) -> Array:
    """Return an image turned counter-clockwise by quarters, as ``numpy.rot90``.

    Args:
        image: (H, W) or (H, W, C), any dtype.
        turns: the number of quarters.

    Returns:
        A new array, or the image itself if turns is a multiple of 4.

    Example:
        >>> quarter_turn(np.array([[1, 2]], np.uint8), 1).tolist()
        [[2], [1]]
    """
    image = in_memory(image)
    need_image(image)
    turns %= 4
    if not turns:
        return image
    if image[0, 0].nbytes not in _TRANSPOSED:
        return np.rot90(image, turns).copy()
    return restore(opencv().rotate(as_carrier(image), _CODES[turns]), image)


def quarter_turn_each(images: Array, turns: Array, mirrored: Array) -> Array:
    """Return square images, each flipped horizontally or not, then turned counter-clockwise by quarters, as a new array.

    Args:
        images: (N, H, H) or (N, H, H, C), any dtype.
        turns: the number of quarters for each image.
        mirrored: True for each image to flip first.

    Example:
        >>> quarter_turn_each(np.array([[[1, 2], [3, 4]]], np.uint8), np.array([1]), np.array([True])).tolist()
        [[[1, 3], [2, 4]]]
    """
    result = images.copy()
    for kind in range(8):
        rows = np.flatnonzero((turns == kind % 4) & (mirrored == (kind >= 4)))
        if len(rows) and kind:
            some = flip_each(images[rows], 1) if kind >= 4 else images[rows]
            result[rows] = [quarter_turn(image, kind) for image in some]
    return result


@exact(EVERYWHERE)
def transpose(image: Array) -> Array:
    """Return an image with rows and columns swapped, as a new array.

    Args:
        image: (H, W) or (H, W, C), any dtype.

    Example:
        >>> transpose(np.array([[1, 2]], np.uint8)).tolist()
        [[1], [2]]
    """
    image = in_memory(image)
    need_image(image)
    if image[0, 0].nbytes not in _TRANSPOSED:
        return image.swapaxes(0, 1).copy()
    return restore(opencv().transpose(as_carrier(image)), image)


def transpose_each(images: Array) -> Array:
    """Return images with rows and columns of each swapped, as a new array.

    Example:
        >>> transpose_each(np.array([[[1, 2]]], np.uint8)).tolist()
        [[[1], [2]]]
    """
    return np.array([transpose(image) for image in images])


def quarter_turn_points(points: Array, turns: int, height: int, width: int) -> Array:
    """Return points (N, 2 or more), x and y of pixel centres first, in a turned image.

    Args:
        points: any dtype.
        turns: the number of quarters, counter-clockwise.
        height: the height of the original image, in pixels.
        width: the width of the original image, in pixels.

    Example:
        >>> quarter_turn_points(np.array([[0.0, 1.0]]), 1, 2, 10).tolist()
        [[1.0, 9.0]]
    """
    return _turn(points, (0, 1), turns, height - 1, width - 1)


def quarter_turn_boxes(boxes: Array, turns: int, height: int, width: int) -> Array:
    """Return boxes (N, 4 or more), x0, y0, x1, y1 of pixel edges first, in a turned image; see `quarter_turn_points`.

    Args:
        boxes: in pixels.
        turns: the number of quarters, counter-clockwise.
        height: the height of the original image, in pixels.
        width: the width of the original image, in pixels.

    Example:
        >>> quarter_turn_boxes(np.array([[0, 0, 3, 1]]), 1, 2, 10).tolist()
        [[0, 7, 1, 10]]
    """
    ends = _turn(_turn(boxes, (0, 1), turns, height, width), (2, 3), turns, height, width)
    result = ends.copy()
    for low in (0, 1):
        np.minimum(ends[:, low], ends[:, low + 2], out=result[:, low])
        np.maximum(ends[:, low], ends[:, low + 2], out=result[:, low + 2])
    return result


def _turn(points: Array, axes: tuple[int, int], turns: int, last_row: int, last_column: int) -> Array:
    x, y = axes
    result = points.copy()
    from_right, from_bottom = last_column - widen(points[:, x]), last_row - widen(points[:, y])
    turns %= 4
    if turns == 1:
        result[:, x] = points[:, y]
        put(result[:, y], from_right)
    elif turns == 2:
        put(result[:, x], from_right)
        put(result[:, y], from_bottom)
    elif turns == 3:
        put(result[:, x], from_bottom)
        result[:, y] = points[:, x]
    return result


def transpose_points(points: Array) -> Array:
    """Return points (N, 2 or more), x and y first, with x and y swapped.

    Example:
        >>> transpose_points(np.array([[0.0, 1.0, 7.0]])).tolist()
        [[1.0, 0.0, 7.0]]
    """
    result = points.copy()
    result[:, [0, 1]] = points[:, [1, 0]]
    return result


def transpose_boxes(boxes: Array) -> Array:
    """Return boxes (N, 4 or more), x0, y0, x1, y1 first, with rows and columns swapped.

    Example:
        >>> transpose_boxes(np.array([[0, 1, 2, 4]])).tolist()
        [[1, 0, 4, 2]]
    """
    result = boxes.copy()
    result[:, [0, 1, 2, 3]] = boxes[:, [1, 0, 3, 2]]
    return result
