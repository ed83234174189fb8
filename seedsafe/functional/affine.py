"""Affine and perspective maps: of images, points and boxes.

A matrix takes the x and y of a pixel's centre in the given image to those in the result, row by row: (a, b, c, d, e, f)
for ``a x + b y + c`` and ``d x + e y + f``; a perspective map has a third row that both are divided by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from seedsafe.functional.carrier import carried, opencv
from seedsafe.functional.resize import need_interpolated, put
from seedsafe.functional.scratch import scratch
from seedsafe.functional.window import MODES, check_fill
from seedsafe.info import Array

__all__ = [
    "MAX_SIDE",
    "Matrix",
    "Places",
    "gather",
    "inverse",
    "product",
    "warp",
    "warp_boxes",
    "warp_points",
]

Matrix = tuple[float, ...]
"""Six numbers of an affine map, or nine of a perspective one."""

MAX_SIDE: Final = 32766
"""The longest side that OpenCV warps."""

_CODES: Final = {"nearest": 0, "bilinear": 1, "bicubic": 2, "lanczos": 4}
_BORDERS: Final = {"constant": 0, "edge": 1, "symmetric": 2, "reflect": 4}
_BACKWARDS: Final = 16  # OpenCV's WARP_INVERSE_MAP: the matrix leads from the result to the image


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
    """Return an image moved by an affine or perspective map. Exact on every machine for "nearest", else for one build of OpenCV.

    Args:
        image: (H, W) or (H, W, C), any dtype for "nearest", else uint8, int16, uint16, float32 or float64.
        matrix: of six or nine numbers, from pixel centres of the image to those of the result.
        height: of the result, in pixels.
        width: of the result, in pixels.
        interpolation: "nearest", "bilinear", "bicubic" or "lanczos".
        mode: what stands outside the image, one of ``seedsafe.functional.window.MODES``.
        fill: the value outside in the mode "constant", one for all channels or one for each.

    Returns:
        (height, width) or (height, width, C), a new array.

    Raises:
        TypeError: the image's dtype cannot be interpolated.
        ValueError: an option is unknown, fill does not fit, a side is longer than 32766, or the map has no inverse.

    Example:
        >>> warp(np.array([[1, 2, 3]], np.uint8), (1, 0, 1, 0, 1, 0), 1, 3).tolist()
        [[0, 1, 2]]
    """
    code = interpolation_code(interpolation) | _BACKWARDS
    way_back = inverse(matrix)
    if interpolation == "nearest":
        return gather(image, _Lines(way_back, width), height, width, mode=mode, fill=fill)
    back = np.array(way_back).reshape(-1, 3)
    cv2 = opencv()
    border = border_code(mode)
    turn = cv2.warpAffine if len(matrix) == 6 else cv2.warpPerspective

    def move(part: Array, value: Any, dst: Array | None) -> Array:
        moved: Array = turn(
            part, back, (width, height), dst=dst, flags=code, borderMode=border, borderValue=value
        )
        return moved

    return in_parts(image, move, height, width, interpolation, fill)


Places = Callable[[int, int], tuple[Array, Array]]
"""Gives the x and y that the rows from one to before another are taken from: float64, (rows, width), its own to change."""


def gather(
    image: Array,
    places: Places,
    height: int,
    width: int,
    *,
    mode: str = "constant",
    fill: float | Sequence[float] = 0,
) -> Array:
    """Return the pixels of an image that are nearest to given places. Exact on every machine.

    Args:
        image: (H, W) or (H, W, C), any dtype.
        places: see Places; 0 is the middle of the first column and row.
        height: of the result, in pixels.
        width: of the result, in pixels.
        mode: what stands outside the image, one of ``seedsafe.functional.window.MODES``.
        fill: the value outside in the mode "constant", one for all channels or one for each.

    Returns:
        (height, width) or (height, width, C), a new array.

    Example:
        >>> gather(np.array([[1, 2, 3]]), lambda first, last: (np.array([[2.0, 0.4]]), np.zeros((1, 2))), 1, 2).tolist()
        [[3, 1]]
    """
    border, cv2 = border_code(mode), opencv()

    rows = rows_in_cache(width)
    whole = scratch((rows, width, 2), np.int16)  # OpenCV rounds fractions in another way for each dtype

    def move(part: Array, value: Any, dst: Array | None) -> Array:
        made = np.empty((height, width, *part.shape[2:]), part.dtype)
        for first in range(0, height, rows):
            last = min(first + rows, height)
            band = whole[: last - first]
            for axis, values in enumerate(places(first, last)):
                np.rint(values, out=values)
                np.minimum(np.maximum(values, -32768.0, out=values), 32767.0, out=values)
                band[..., axis] = values
            cv2.remap(part, band, None, 0, dst=made[first:last], borderMode=border, borderValue=value)
        return made

    return in_parts(image, move, height, width, "nearest", fill)


def rows_in_cache(width: int) -> int:
    """Return how many rows of float64 fit into a processor's cache."""
    return max(2**13 // width, 1)


class _Lines:
    """The places that a matrix leads rows to."""

    def __init__(self, matrix: Matrix, width: int) -> None:
        self._matrix = matrix
        self._x = np.arange(width, dtype=np.float64)

    def __call__(self, first: int, last: int) -> tuple[Array, Array]:
        y = np.arange(first, last, dtype=np.float64)[:, None]
        if len(self._matrix) == 9:
            return _moved(self._matrix, self._x, y)
        a, b, c, d, e, f = self._matrix
        return a * self._x + (b * y + c), d * self._x + (e * y + f)


def interpolation_code(interpolation: str) -> int:
    """Return OpenCV's number for an interpolation of a warp, or raise ValueError."""
    if interpolation not in _CODES:
        raise ValueError(f"interpolation must be one of {', '.join(_CODES)}, got {interpolation!r}")
    return _CODES[interpolation]


def border_code(mode: str) -> int:
    """Return OpenCV's number for what stands outside, or raise ValueError."""
    if mode not in _BORDERS:
        raise ValueError(f"mode must be one of {', '.join(MODES)}, got {mode!r}")
    return _BORDERS[mode]


def in_parts(
    image: Array, move: Any, height: int, width: int, interpolation: str, fill: float | Sequence[float]
) -> Array:
    """Return what `move` makes of an image, given to it as OpenCV takes it: up to four channels at a time.

    Args:
        image: (H, W) or (H, W, C).
        move: is called with the part, the value outside, and a buffer for the result or None.
        height: of the result.
        width: of the result.
        interpolation: with "nearest" any dtype is moved; with another, only what has values between its own.
        fill: the value outside, one for all channels or one for each.
    """
    if image.ndim not in (2, 3):
        raise ValueError(f"an image must have the shape (H, W) or (H, W, C), got {image.shape}: reshape it")
    if max(*image.shape[:2], height, width) > MAX_SIDE:
        raise ValueError(
            f"an image can be warped up to {MAX_SIDE} pixels a side, got {image.shape[:2]} to {(height, width)}: "
            "crop or resize it before"
        )
    channels = image.shape[2] if image.ndim == 3 else 1
    if interpolation == "nearest":
        given = carried(image)
    else:
        need_interpolated(image)
        given = image
    if isinstance(fill, int | float) and fill == 0:
        values = [0.0] * channels
    else:
        check_fill(fill, image)
        values = (
            np.broadcast_to(np.ravel(fill).astype(image.dtype), channels).copy().view(given.dtype).tolist()
        )
    if image.ndim == 3 and channels == 3 and interpolation != "nearest" and image.dtype.char in "BHf":
        return _in_four(given, move, height, width, values)
    if channels == 1 and given.ndim == 3:
        given = given[..., 0]
    if channels <= 4:
        made: Array = move(given, values, None)
    else:
        made = np.empty((height, width, channels), given.dtype)
        for first in range(0, channels, 4):
            last = min(first + 4, channels)
            taken = given[..., first:last] if last - first > 1 else given[..., first]
            part = move(taken, values[first:last], None)
            made[..., first:last] = part if part.ndim == 3 else part[..., None]
    made = made.view(image.dtype)
    return made if made.ndim == image.ndim else made[..., None]


def _in_four(image: Array, move: Any, height: int, width: int, values: list[float]) -> Array:
    """Return an RGB image, moved as RGBA: OpenCV's loops over four channels are twice as fast, to the same bytes."""
    rows, columns = image.shape[:2]
    cv2 = opencv()
    buffer = scratch((4 * (rows * columns + height * width),), image.dtype)
    four = buffer[: 4 * rows * columns].reshape(rows, columns, 4)
    moved = buffer[4 * rows * columns :].reshape(height, width, 4)
    cv2.cvtColor(image, cv2.COLOR_RGB2RGBA, four)
    move(four, values, moved)
    made: Array = cv2.cvtColor(moved, cv2.COLOR_RGBA2RGB)
    return made


def inverse(matrix: Matrix) -> Matrix:
    """Return the matrix of the way back, of as many numbers.

    Raises:
        ValueError: there is none.

    Example:
        >>> inverse((2, 0, 1, 0, 4, 0))
        (0.5, 0.0, -0.5, 0.0, 0.25, 0.0)
    """
    a, b, c, d, e, f = matrix[:6]
    if len(matrix) == 6:
        size = a * e - b * d
        if not 0 < abs(size) < float("inf"):
            raise ValueError(
                f"a map must have an inverse, got the matrix {matrix}: it makes the image a line"
            )
        return (
            e / size,
            0.0 - b / size,
            (b * f - c * e) / size,
            0.0 - d / size,
            a / size,
            (c * d - a * f) / size,
        )
    g, h, i = matrix[6:]
    size = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if not 0 < abs(size) < float("inf"):
        raise ValueError(f"a map must have an inverse, got the matrix {matrix}: it makes the image a line")
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


def product(second: Matrix, first: Matrix) -> Matrix:
    """Return the affine matrix of a map and then another, the last one first, as matrices are multiplied.

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


def _moved(matrix: Matrix, x: Array, y: Array) -> tuple[Array, Array]:
    """Return coordinates moved by a matrix, in binary64, one operation after another."""
    a, b, c, d, e, f = matrix[:6]
    moved_x, moved_y = a * x + b * y + c, d * x + e * y + f
    if len(matrix) == 6:
        return moved_x, moved_y
    g, h, i = matrix[6:]
    depth = g * x + h * y + i
    depth = np.where(depth > 1e-9, depth, 1e-9)  # what lies behind the eye goes far out
    return moved_x / depth, moved_y / depth


def warp_points(points: Array, matrix: Matrix) -> Array:
    """Return points (N, 2 or more), x and y of pixel centres first, moved by a matrix. Exact on every machine.

    Example:
        >>> warp_points(np.array([[1.0, 2.0]]), (0, 1, 0, 1, 0, 0)).tolist()
        [[2.0, 1.0]]
    """
    made = points.copy()
    x, y = _moved(matrix, points[:, 0].astype(np.float64), points[:, 1].astype(np.float64))
    put(made[:, 0], x)
    put(made[:, 1], y)
    return made


def warp_boxes(boxes: Array, matrix: Matrix, height: int, width: int, *, method: str = "corners") -> Array:
    """Return boxes (N, 4 or more), x0, y0, x1, y1 of pixel edges first, moved by a matrix and cut off at the result's edges.

    No box is removed; one that lies outside has an area of zero. Exact on every machine.

    Args:
        boxes: floats or signed integers, which are rounded.
        matrix: of six or nine numbers, of pixel centres.
        height: of the result, in pixels.
        width: of the result, in pixels.
        method: "corners" gives the box around the moved corners, "ellipse" that around the moved ellipse in the box,
            which is closer where things are round; of an affine map alone.

    Raises:
        ValueError: method is unknown, or "ellipse" for a perspective map.

    Example:
        >>> warp_boxes(np.array([[0, 0, 2, 1]]), (1, 0, 3, 0, 1, 0), 4, 4).tolist()
        [[3, 0, 4, 1]]
    """
    x0, y0, x1, y1 = (boxes[:, k].astype(np.float64) - 0.5 for k in range(4))
    if method == "corners":
        x, y = _moved(matrix, np.stack([x0, x1, x1, x0]), np.stack([y0, y0, y1, y1]))
        sides = x.min(0), y.min(0), x.max(0), y.max(0)
    elif method == "ellipse" and len(matrix) == 6:
        a, b, _, d, e, _ = matrix
        x, y = _moved(matrix, (x0 + x1) * 0.5, (y0 + y1) * 0.5)
        half_width, half_height = (x1 - x0) * 0.5, (y1 - y0) * 0.5
        reach_x = np.sqrt(a * half_width * (a * half_width) + b * half_height * (b * half_height))
        reach_y = np.sqrt(d * half_width * (d * half_width) + e * half_height * (e * half_height))
        sides = x - reach_x, y - reach_y, x + reach_x, y + reach_y
    else:
        raise ValueError(f'method must be "corners", or "ellipse" for an affine map, got {method!r}')
    return cut_off(boxes, sides, height, width)


def cut_off(boxes: Array, sides: Sequence[Array], height: int, width: int) -> Array:
    """Return boxes with new sides, of pixel centres' coordinates, cut off at the edges of an image."""
    made = boxes.copy()
    for k, (side, limit) in enumerate(zip(sides, (width, height, width, height), strict=True)):
        put(made[:, k], np.clip(side + 0.5, 0, limit))
    return made
