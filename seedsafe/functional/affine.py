"""Affine and perspective maps: images, points and boxes.

A matrix maps the x and y of a pixel's centre in the image to those in the result. Its rows follow each other:
(a, b, c, d, e, f) stands for ``a x + b y + c`` and ``d x + e y + f``. A perspective map divides both by its third row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from seedsafe.functional.carrier import opencv
from seedsafe.functional.coordinates import put
from seedsafe.functional.remap import Coordinates, border_code, in_parts, interpolation_code, remap
from seedsafe.ground.exactness import EVERYWHERE, NEAREST, exact
from seedsafe.ground.info import Array

__all__ = [
    "Matrix",
    "cut_off",
    "inverse",
    "product",
    "warp",
    "warp_boxes",
    "warp_points",
]

Matrix = tuple[float, ...]
"""The six numbers of an affine map, or the nine of a perspective map."""

_BACKWARDS: Final = 16  # OpenCV's WARP_INVERSE_MAP: the matrix maps the result to the image


@exact(NEAREST)
def warp(
    image: Array,
    matrix: Matrix,
    height: int,
    width: int,
    *,
    interpolation: str = "bilinear",
    mode: str = "constant",
    fill: float | Sequence[float] = 0,
) -> Array:
    """Return an image moved by an affine or perspective map.

    Args:
        image: (H, W) or (H, W, C), any dtype for "nearest", else uint8, int16, uint16, float32 or float64.
        matrix: six or nine numbers, from pixel centres of the image to those of the result.
        height: the height of the result, in pixels.
        width: the width of the result, in pixels.
        interpolation: "nearest", "bilinear", "bicubic" or "lanczos".
        mode: how pixels outside the image are filled, one of ``seedsafe.functional.window.MODES``.
        fill: the value outside in the mode "constant", one for all channels or one for each.

    Returns:
        (height, width) or (height, width, C), a new array.

    Raises:
        TypeError: the image's dtype cannot be interpolated.
        ValueError: an option is unknown, fill does not fit, the image is empty, a side is longer than 32766, or the map has
            no inverse.

    Example:
        >>> warp(np.array([[1, 2, 3]], np.uint8), (1, 0, 1, 0, 1, 0), 1, 3).tolist()
        [[0, 1, 2]]
    """
    code = interpolation_code(interpolation) | _BACKWARDS
    way_back = inverse(matrix)
    if interpolation == "nearest":
        # By coordinates of our own, which `remap` rounds: OpenCV rounds them differently for each dtype.
        source = _coordinates(way_back, width)
        return remap(image, source, height, width, interpolation="nearest", mode=mode, fill=fill)
    back = np.array(way_back).reshape(-1, 3)
    cv2 = opencv()
    border = border_code(mode)
    turn = cv2.warpAffine if len(matrix) == 6 else cv2.warpPerspective

    def move(part: Array, value: Any, dst: Array | None) -> Array:
        target: Array = turn(
            part, back, (width, height), dst=dst, flags=code, borderMode=border, borderValue=value
        )
        return target

    return in_parts(image, move, height, width, interpolation, mode, fill)


def _coordinates(matrix: Matrix, width: int) -> Coordinates:
    x = np.arange(width, dtype=np.float64)

    def coordinates(first: int, last: int) -> tuple[Array, Array]:
        y = np.arange(first, last, dtype=np.float64)[:, None]
        if len(matrix) == 9:
            return _move(matrix, x, y)
        a, b, c, d, e, f = matrix
        return a * x + (b * y + c), d * x + (e * y + f)

    return coordinates


def inverse(matrix: Matrix) -> Matrix:
    """Return the matrix of the inverse map, of the same length.

    Raises:
        ValueError: the map has no inverse.

    Example:
        >>> inverse((2, 0, 1, 0, 4, 0))
        (0.5, 0.0, -0.5, 0.0, 0.25, 0.0)
    """
    a, b, c, d, e, f = matrix[:6]
    if len(matrix) == 6:
        size = _determinant(matrix, a * e - b * d)
        return (
            e / size,
            # 0.0 - x and not -x, which would turn 0.0 into -0.0.
            0.0 - b / size,
            (b * f - c * e) / size,
            0.0 - d / size,
            a / size,
            (c * d - a * f) / size,
        )
    g, h, i = matrix[6:]
    size = _determinant(matrix, a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))
    return (
        (e * i - f * h) / size,
        (c * h - b * i) / size,
        (b * f - c * e) / size,
        (f * g - d * i) / size,
        (a * i - c * g) / size,
        (c * d - a * f) / size,
        (d * h - e * g) / size,
        (b * g - a * h) / size,
        (a * e - b * d) / size,
    )


def _determinant(matrix: Matrix, size: float) -> float:
    if not 0 < abs(size) < float("inf"):
        raise ValueError(
            f"matrix must have an inverse, got {matrix}, which squashes the image to a line: pass other scales or corners"
        )
    return size


def product(second: Matrix, first: Matrix) -> Matrix:
    """Return the affine matrix of the map `first` followed by `second`, their product.

    Example:
        >>> product((2, 0, 0, 0, 2, 0), (1, 0, 3, 0, 1, 0))
        (2, 0, 6, 0, 2, 0)
    """
    a, b, c, d, e, f = second
    p, q, r, s, t, u = first
    return (
        a * p + b * s,
        a * q + b * t,
        a * r + b * u + c,
        d * p + e * s,
        d * q + e * t,
        d * r + e * u + f,
    )


def _move(matrix: Matrix, x: Array, y: Array) -> tuple[Array, Array]:
    """Return coordinates mapped by a matrix, in binary64, one operation after another."""
    a, b, c, d, e, f = matrix[:6]
    moved_x, moved_y = a * x + b * y + c, d * x + e * y + f
    if len(matrix) == 6:
        return moved_x, moved_y
    g, h, i = matrix[6:]
    depth = g * x + h * y + i
    depth = np.where(depth > 1e-9, depth, 1e-9)  # points behind the eye go far out
    return moved_x / depth, moved_y / depth


@exact(EVERYWHERE)
def warp_points(points: Array, matrix: Matrix) -> Array:
    """Return points (N, 2 or more), x and y of pixel centres first, mapped by a matrix.

    Example:
        >>> warp_points(np.array([[1.0, 2.0]]), (0, 1, 0, 1, 0, 0)).tolist()
        [[2.0, 1.0]]
    """
    result = points.copy()
    x, y = _move(matrix, points[:, 0].astype(np.float64), points[:, 1].astype(np.float64))
    put(result[:, 0], x)
    put(result[:, 1], y)
    return result


@exact(EVERYWHERE)
def warp_boxes(boxes: Array, matrix: Matrix, height: int, width: int, *, method: str = "corners") -> Array:
    """Return boxes (N, 4 or more), x0, y0, x1, y1 of pixel edges first, mapped by a matrix and cut off at the result's edges.

    No box is removed; a box outside the result has an area of zero.

    Args:
        boxes: floats or signed integers, which are rounded.
        matrix: six or nine numbers, for pixel centres.
        height: the height of the result, in pixels.
        width: the width of the result, in pixels.
        method: "corners" returns the box around the mapped corners; "ellipse" the box around the mapped ellipse inside the
            box, which fits round objects better and needs an affine map.

    Raises:
        ValueError: method is unknown, or "ellipse" for a perspective map.

    Example:
        >>> warp_boxes(np.array([[0, 0, 2, 1]]), (1, 0, 3, 0, 1, 0), 4, 4).tolist()
        [[3, 0, 4, 1]]
    """
    # Half a pixel less, because the matrix maps pixel centres and boxes end at edges.
    x0, y0, x1, y1 = (boxes[:, k].astype(np.float64) - 0.5 for k in range(4))
    if method == "corners":
        x, y = _move(matrix, np.stack([x0, x1, x1, x0]), np.stack([y0, y0, y1, y1]))
        sides = x.min(0), y.min(0), x.max(0), y.max(0)
    elif method == "ellipse" and len(matrix) == 6:
        a, b, _, d, e, _ = matrix
        x, y = _move(matrix, (x0 + x1) * 0.5, (y0 + y1) * 0.5)
        half_width, half_height = (x1 - x0) * 0.5, (y1 - y0) * 0.5
        reach_x = np.sqrt(a * half_width * (a * half_width) + b * half_height * (b * half_height))
        reach_y = np.sqrt(d * half_width * (d * half_width) + e * half_height * (e * half_height))
        sides = x - reach_x, y - reach_y, x + reach_x, y + reach_y
    else:
        raise ValueError(f'method must be "corners", or "ellipse" for an affine map, got {method!r}')
    return cut_off(boxes, sides, height, width)


def cut_off(boxes: Array, sides: Sequence[Array], height: int, width: int) -> Array:
    """Return boxes with new sides, in coordinates of pixel centres, cut off at the edges of an image."""
    result = boxes.copy()
    for k, (side, limit) in enumerate(zip(sides, (width, height, width, height), strict=True)):
        put(result[:, k], np.clip(side + 0.5, 0, limit))
    return result
