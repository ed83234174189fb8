"""Flips of images, points and boxes."""

from __future__ import annotations

from typing import Final

import numpy as np

from seedsafe.functional.carrier import MAX_CHANNELS, as_carrier, in_memory, is_native, need_image, opencv
from seedsafe.functional.coordinates import put, widen
from seedsafe.ground.exactness import EVERYWHERE, exact
from seedsafe.ground.info import FLOAT32, UINT8, Array

__all__ = [
    "flip_each",
    "horizontal_flip",
    "horizontal_flip_boxes",
    "horizontal_flip_points",
    "vertical_flip",
    "vertical_flip_boxes",
    "vertical_flip_points",
]

_PAIRWISE: Final = 2**21
"""Above this many bytes, NumPy reverses rows twice as fast as OpenCV, which swaps them from both ends of the image
(python -m benchmarks --only VerticalFlip --sizes 1024)."""


@exact(EVERYWHERE)
def horizontal_flip(image: Array) -> Array:
    """Return an image with its columns in reverse order, as a new array.

    Args:
        image: (H, W) or (H, W, C), any dtype.

    Example:
        >>> horizontal_flip(np.array([[1, 2, 3]], np.uint8)).tolist()
        [[3, 2, 1]]
    """
    return _flip(image, 1)


@exact(EVERYWHERE)
def vertical_flip(image: Array) -> Array:
    """Return an image with its rows in reverse order, as a new array.

    Args:
        image: (H, W) or (H, W, C), any dtype.

    Example:
        >>> vertical_flip(np.array([[1], [2]], np.uint8)).tolist()
        [[2], [1]]
    """
    return _flip(image, 0)


def _flip(image: Array, axis: int) -> Array:
    image = in_memory(image)
    shape = image.shape
    if len(shape) not in (2, 3):
        need_image(image)
    foreign = len(shape) == 3 and not 1 < shape[2] <= MAX_CHANNELS
    if foreign or (axis == 0 and image.nbytes > _PAIRWISE):
        return _reverse(image, axis)
    dtype = image.dtype
    try:
        cv2 = opencv()
    except ImportError:
        return _reverse(image, axis)
    # The usual dtypes skip a call (python -m benchmarks --only HorizontalFlip).
    if dtype is UINT8 or dtype is FLOAT32 or is_native(image):
        return cv2.flip(image, axis)  # type: ignore[no-any-return]
    result = np.empty(shape, image.dtype)
    cv2.flip(as_carrier(image), axis, as_carrier(result))
    return result


def flip_each(images: Array, axis: int) -> Array:
    """Return images with the columns (axis 1) or rows (axis 0) of each in reverse order, as a new array.

    Args:
        images: (N, H, W) or (N, H, W, C), any dtype.
        axis: the axis of an image.

    Example:
        >>> flip_each(np.array([[[1, 2]], [[3, 4]]], np.uint8), 1).tolist()
        [[[2, 1]], [[4, 3]]]
    """
    if axis == 0:
        return images[:, ::-1].copy()
    count, height, width, *channels = images.shape
    # As images without an axis for it: with one, `_flip` leaves a single channel to NumPy.
    if channels == [1]:
        channels = []
    rows = np.ascontiguousarray(images).reshape(count * height, width, *channels)
    return _flip(rows, 1).reshape(images.shape)


def _reverse(image: Array, axis: int) -> Array:
    return (image[::-1] if axis == 0 else image[:, ::-1]).copy()


def horizontal_flip_points(points: Array, width: int) -> Array:
    """Return points (N, 2 or more), x of pixel centres first, in a mirrored image: x becomes width - 1 - x.

    Example:
        >>> horizontal_flip_points(np.array([[0.0, 5.0]]), 10).tolist()
        [[9.0, 5.0]]
    """
    return _mirror(points, 0, width - 1)


def vertical_flip_points(points: Array, height: int) -> Array:
    """Return points (N, 2 or more), y of pixel centres second, in a mirrored image: y becomes height - 1 - y.

    Example:
        >>> vertical_flip_points(np.array([[0.0, 5.0]]), 10).tolist()
        [[0.0, 4.0]]
    """
    return _mirror(points, 1, height - 1)


def _mirror(points: Array, column: int, last: int) -> Array:
    result = points.copy()
    put(result[:, column], last - widen(points[:, column]))
    return result


def horizontal_flip_boxes(boxes: Array, width: int) -> Array:
    """Return boxes (N, 4 or more), x0, y0, x1, y1 of pixel edges first, in a mirrored image.

    Args:
        boxes: in pixels.
        width: the width of the image, in pixels.

    Example:
        >>> horizontal_flip_boxes(np.array([[0, 0, 3, 3]]), 10).tolist()
        [[7, 0, 10, 3]]
    """
    return _mirror_boxes(boxes, 0, width)


def vertical_flip_boxes(boxes: Array, height: int) -> Array:
    """Return boxes (N, 4 or more), x0, y0, x1, y1 of pixel edges first, in a mirrored image.

    Args:
        boxes: in pixels.
        height: the height of the image, in pixels.

    Example:
        >>> vertical_flip_boxes(np.array([[0, 0, 3, 3]]), 10).tolist()
        [[0, 7, 3, 10]]
    """
    return _mirror_boxes(boxes, 1, height)


def _mirror_boxes(boxes: Array, column: int, size: int) -> Array:
    result = boxes.copy()
    wide = widen(boxes)
    put(result[:, column], size - wide[:, column + 2])
    put(result[:, column + 2], size - wide[:, column])
    return result
