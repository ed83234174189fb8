"""Base classes of Affine, Rotate and Perspective."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from seedsafe.functional.affine import Matrix, product, warp, warp_boxes, warp_points
from seedsafe.ground.checks import choice, flag, probability
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import SMOOTH, FillTransform
from seedsafe.keys.decisions import cos_sin_degrees
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import primitive

__all__ = ["AffineTransform", "Moved", "WarpTransform"]


_Two = tuple[float, float]


class Moved(NamedTuple):
    """The matrix that moves pixel centres, the result's size, and the matrix's parameters."""

    matrix: Matrix
    size: tuple[int, int]
    degrees: float
    translate: tuple[float, float]
    scale: tuple[float, float]
    shear: tuple[float, float]


@primitive()
class WarpTransform(FillTransform):
    """A transform that moves pixels by a matrix; its parameters begin with the matrix and the result's size."""

    interpolation: str = option(choice, SMOOTH, default="bilinear", kw_only=True)
    p: float = option(probability, default=1.0, kw_only=True)

    def boxes_by(self) -> str:
        """Return which outline of a box is moved: its "corners" or the "ellipse" in it."""
        return "corners"

    def out_info(self, info: Info, params: Any) -> Info:
        return info.resized(*params[1])

    def apply_image(self, image: Array, params: Any) -> Array:
        matrix, (height, width) = params[0], params[1]
        return warp(
            image, matrix, height, width, interpolation=self.interpolation, mode=self.mode, fill=self.fill
        )

    def apply_mask(self, mask: Array, params: Any) -> Array:
        matrix, (height, width) = params[0], params[1]
        return warp(mask, matrix, height, width, interpolation="nearest", mode=self.mode, fill=self.mask_fill)

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        """Return the moved keypoints; those outside the image are kept."""
        return warp_points(keypoints, params[0])

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return boxes around the moved boxes, clipped at the result's edges."""
        return warp_boxes(boxes, params[0], *params[1], method=self.boxes_by())


@primitive()
class AffineTransform(WarpTransform):
    """A transform that turns an image around its middle, and may scale, shear and translate it."""

    expand: bool = option(flag, default=False, kw_only=True)
    rotate_method: str = option(
        choice,
        ("corners", "ellipse"),
        default="corners",
        kw_only=True,
        doc='whether a new box surrounds the moved "corners" of the old one or the moved "ellipse" in it.',
    )

    def boxes_by(self) -> str:
        """Return which outline of a box is moved."""
        return self.rotate_method

    def moved(self, info: Info, degrees: float, translate: _Two, scale: _Two, shear: _Two) -> Moved:
        """Return the matrix that shears, then scales, then turns around the middle, then translates."""
        rows, columns = info.image_size()
        cos, sin = cos_sin_degrees(degrees)
        tan_x, tan_y = _tangent(shear[0]), _tangent(shear[1])
        shear_matrix = (1.0, 0.0 - tan_x, 0.0, 0.0 - tan_y, 1.0 + tan_x * tan_y, 0.0)
        turn_matrix = (cos * scale[0], sin * scale[1], 0.0, 0.0 - sin * scale[0], cos * scale[1], 0.0)
        a, b, _, d, e, _ = product(turn_matrix, shear_matrix)
        x, y = (columns - 1) * 0.5, (rows - 1) * 0.5
        matrix: Matrix = (a, b, x - a * x - b * y + translate[0], d, e, y - d * x - e * y + translate[1])
        size = rows, columns
        if self.expand:
            matrix, size = _expand(matrix, rows, columns)
        return Moved(matrix, size, degrees, translate, scale, shear)


def _tangent(degrees: float) -> float:
    cos, sin = cos_sin_degrees(degrees)
    return sin / cos


def _expand(matrix: Matrix, rows: int, columns: int) -> tuple[Matrix, tuple[int, int]]:
    """Return the matrix shifted so that the result holds the whole image, and the result's size."""
    a, b, c, d, e, f = matrix
    corners = [(x - 0.5, y - 0.5) for x in (0, columns) for y in (0, rows)]
    across = [a * x + b * y + c for x, y in corners]
    down = [d * x + e * y + f for x, y in corners]
    # A millionth of a pixel of rounding error must not add a pixel.
    width = max(math.ceil(max(across) - min(across) - 1e-6), 1)
    height = max(math.ceil(max(down) - min(down) - 1e-6), 1)
    right = (width - 1) * 0.5 - (max(across) + min(across)) * 0.5
    below = (height - 1) * 0.5 - (max(down) + min(down)) * 0.5
    return (a, b, c + right, d, e, f + below), (height, width)
