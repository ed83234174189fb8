"""Perspective."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from seedsafe.functional.affine import Matrix, inverse
from seedsafe.ground.checks import flag, real
from seedsafe.ground.exactness import NEAREST
from seedsafe.ground.info import Info
from seedsafe.image.options import up_to
from seedsafe.image.warped import WarpTransform
from seedsafe.keys.decisions import normal
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Range, option
from seedsafe.pipeline.primitive import check_options, primitive

__all__ = ["Perspective", "Viewed"]

_FURTHEST: Final = 0.32
"""The largest shift of a corner, as a share of the side: the four stay apart."""

_MARGIN: Final = 3.0
"""The largest margin on each side with fit_output, in sizes of the image."""


class Viewed(NamedTuple):
    """The matrix that moves pixel centres, the result's size, and the corners it follows from."""

    matrix: Matrix
    size: tuple[int, int]
    corners: tuple[tuple[float, float], ...]


@primitive(exact=NEAREST)
class Perspective(WarpTransform):
    """Look at the image from a different point: move four corners by random amounts, and the rest along with them.

    With `scale`, four points near the corners become the result's corners: the image grows and fills the result. With
    `distortion_scale`, the image's corners move to four points nearer to the middle: the image shrinks. If they would
    fold the image, which is possible from 0.64 up, all move by 0.64 of the drawn amounts.

    Draws the standard deviation (word 1), and x and y of the upper left (words 2 and 3), upper right (4, 5), lower
    right (6, 7) and lower left corner (8, 9). Keypoints and boxes are equal on every machine.

    Args:
        scale: the standard deviation of the points' distances from the corners, as a share of the sides: one number x
            for 0 to x, or a range. A distance of 0.32 or more wraps around to 0.
        distortion_scale: instead of scale, the largest shift of the corners, as a share of half the sides, in [0, 1].
        keep_size: False makes the result as large as the sides between the four points, instead of the image.
        fit_output: show the whole image, including the part outside the four points; only with scale.

    Raises:
        ValueError: an argument is out of its range, or options cannot be used together.

    Follows albumentations 2.0.8's ``Perspective`` as documented for scale, and
    ``torchvision.transforms.RandomPerspective`` for distortion_scale.

    Example:
        >>> Perspective(p=1)(np.zeros((64, 48, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (64, 48, 3)
    """

    scale: Range = option(
        up_to,
        0.0,
        0.0,
        10.0,
        "pass a share of the image's sides such as 0.1, or a range (0.05, 0.1)",
        default=(0.05, 0.1),
    )
    distortion_scale: float | None = option(
        real, 0.0, 1.0, "pass a share of half the image's sides", default=None, kw_only=True
    )
    keep_size: bool = option(flag, default=True, kw_only=True)
    fit_output: bool = option(flag, default=False, kw_only=True)
    p: float = option(default=0.5, kw_only=True)

    def __post_init__(self) -> None:
        check_options(self)
        if self.distortion_scale is not None and (self.fit_output or not self.keep_size):
            raise ValueError(
                f"distortion_scale keeps the size and shows the whole image, got keep_size={self.keep_size} and "
                f"fit_output={self.fit_output}: leave keep_size and fit_output out"
            )

    def draw(self, rng: Draws, info: Info) -> Viewed:
        rows, columns = info.image_size()
        deviation = rng.uniform(*self.scale)
        if self.distortion_scale is not None:
            reach = [
                min(int(self.distortion_scale * (side // 2)), (side - 1) // 2) for side in (columns, rows)
            ]
            inwards = [float(rng.integer(reach[k % 2] + 1)) for k in range(8)]
            corners = _corners(rows, columns, inwards)
            if not _convex(corners):
                corners = _corners(rows, columns, [one * 2.0 * _FURTHEST for one in inwards])
            forward = _from_square(corners, 1.0 / columns, 1.0 / rows)
            return Viewed(_for_centres(forward), (rows, columns), corners)
        distances = [abs(deviation * normal(rng)) for _ in range(8)]
        shares = [distance - math.floor(distance / _FURTHEST) * _FURTHEST for distance in distances]
        corners = _corners(
            rows, columns, [share * (rows if k % 2 else columns) for k, share in enumerate(shares)]
        )
        height, width = rows, columns
        if not self.keep_size:
            width = max(int(max(_length(corners[0], corners[1]), _length(corners[3], corners[2]))), 1)
            height = max(int(max(_length(corners[1], corners[2]), _length(corners[0], corners[3]))), 1)
        forward = inverse(_from_square(corners, 1.0 / width, 1.0 / height))
        if self.fit_output:
            forward, height, width = _fit(forward, rows, columns, height, width, keep_size=self.keep_size)
        return Viewed(_for_centres(forward), (height, width), corners)


def _corners(rows: int, columns: int, inwards: list[float]) -> tuple[tuple[float, float], ...]:
    """Return the upper left, upper right, lower right and lower left corner moved inwards, in pixel edges."""
    x0, y0, x1, y1, x2, y2, x3, y3 = inwards
    return (x0, y0), (columns - x1, y1), (columns - x2, rows - y2), (x3, rows - y3)


def _convex(corners: tuple[tuple[float, float], ...]) -> bool:
    """Return whether each corner lies on its own side of the line between its neighbours."""
    for k, (x, y) in enumerate(corners):
        (x0, y0), (x1, y1) = corners[k - 1], corners[(k + 1) % 4]
        if (x - x0) * (y1 - y) - (y - y0) * (x1 - x) <= 0:
            return False
    return True


def _length(one: tuple[float, float], other: tuple[float, float]) -> float:
    across, down = one[0] - other[0], one[1] - other[1]
    return math.sqrt(across * across + down * down)


def _from_square(corners: tuple[tuple[float, float], ...], across: float, down: float) -> Matrix:
    """Return the matrix from a rectangle to four corners; `across` and `down` are 1 ÷ its width and height.

    Follows P. Heckbert, "Fundamentals of texture mapping and image warping" (1989), section 2.2.3.
    """
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    dx1, dx2, sx = x1 - x2, x3 - x2, x0 - x1 + x2 - x3
    dy1, dy2, sy = y1 - y2, y3 - y2, y0 - y1 + y2 - y3
    area = dx1 * dy2 - dx2 * dy1
    g, h = (sx * dy2 - dx2 * sy) / area, (dx1 * sy - sx * dy1) / area
    return (
        (x1 - x0 + g * x1) * across,
        (x3 - x0 + h * x3) * down,
        x0,
        (y1 - y0 + g * y1) * across,
        (y3 - y0 + h * y3) * down,
        y0,
        g * across,
        h * down,
        1.0,
    )


def _fit(
    matrix: Matrix, rows: int, columns: int, height: int, width: int, *, keep_size: bool
) -> tuple[Matrix, int, int]:
    """Return the matrix changed to show the whole image, and the result's height and width."""
    a, b, c, d, e, f, g, h, i = matrix
    seen_x, seen_y = [0.0, float(width)], [0.0, float(height)]
    for x, y in ((0, 0), (columns, 0), (columns, rows), (0, rows)):
        depth = max(g * x + h * y + i, 1e-6 * abs(i))  # a corner behind the eye lies far out
        seen_x.append(min(max((a * x + b * y + c) / depth, -_MARGIN * width), (1 + _MARGIN) * width))
        seen_y.append(min(max((d * x + e * y + f) / depth, -_MARGIN * height), (1 + _MARGIN) * height))
    left, top = min(seen_x), min(seen_y)
    wide, high = max(math.ceil(max(seen_x) - left), 1), max(math.ceil(max(seen_y) - top), 1)
    across, down = (columns / wide, rows / high) if keep_size else (1.0, 1.0)
    result = (
        (a - left * g) * across,
        (b - left * h) * across,
        (c - left * i) * across,
        (d - top * g) * down,
        (e - top * h) * down,
        (f - top * i) * down,
        g,
        h,
        i,
    )
    return result, *((rows, columns) if keep_size else (high, wide))


def _for_centres(matrix: Matrix) -> Matrix:
    """Return a matrix of pixel edges as one of pixel centres, which lie half a pixel further."""
    a, b, c, d, e, f, g, h, i = matrix
    c, f, i = c + (a + b) * 0.5, f + (d + e) * 0.5, i + (g + h) * 0.5
    a, b, c = a - 0.5 * g, b - 0.5 * h, c - 0.5 * i
    d, e, f = d - 0.5 * g, e - 0.5 * h, f - 0.5 * i
    return tuple(one / i for one in (a, b, c, d, e, f, g, h, i))
