"""OpticalDistortion."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from seedsafe.functional.distort import Field
from seedsafe.functional.remap import Coordinates
from seedsafe.ground.checks import choice, span
from seedsafe.ground.exactness import NEAREST
from seedsafe.ground.info import Array, Info
from seedsafe.image.distortion import Distorted
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["Lens", "OpticalDistortion"]


class Lens(NamedTuple):
    """The lens's strength, and the image's size."""

    strength: float
    size: tuple[int, int]


@primitive(exact=NEAREST)
class OpticalDistortion(Distorted):
    """Look at the image through a lens that enlarges or shrinks it, most of all far from the middle.

    Draws the strength k (word 1). A point at the distance r from the middle shows the image's point at r · (1 + k r² +
    k r⁴) for "camera", where x and y are shares of width and height, and at r · (1 + k r²) for "fisheye", where r is a
    share of the distance to the corners. Masks, keypoints and boxes are equal on every machine. It takes up to 0.6 MB
    of memory besides the result.

    Args:
        distort_limit: the strength: a range, or one number x for -x to x.
        lens: "camera" or "fisheye".

    Follows albumentations 2.0.8's ``OpticalDistortion``, where `lens` is called `mode`. The middle is that of the image.

    Example:
        >>> OpticalDistortion(0.5, p=1)(np.zeros((64, 48, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (64, 48, 3)
    """

    distort_limit: Range = option(
        span, -100.0, 100.0, "pass 0.05 for -0.05 to 0.05, or a range", about=0.0, default=(-0.05, 0.05)
    )
    lens: str = option(choice, ("camera", "fisheye"), default="camera", kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Lens:
        return Lens(rng.uniform(*self.distort_limit), info.image_size())

    def _optics(self, params: Any) -> tuple[float, float, float, float, float, float]:
        """Return the middle's x and y, the units of x and y in pixels, and the factors of r² and r⁴."""
        strength, (height, width) = params
        x, y = (width - 1) * 0.5, (height - 1) * 0.5
        if self.lens == "camera":
            return x, y, float(width), float(height), strength, strength
        corner = float(np.sqrt(width * width * 0.25 + height * height * 0.25))
        return x, y, corner, corner, strength, 0.0

    def source(self, params: Any) -> Field:
        middle_x, middle_y, across, down, second, fourth = self._optics(params)

        def field(x: Array, y: Array) -> tuple[Array, Array]:
            from_x, squares_x = _from_middle(x, middle_x, across)
            from_y, squares_y = _from_middle(y, middle_y, down)
            return _through_lens(from_x, from_y, squares_x + squares_y, middle_x, middle_y, second, fourth)

        return field

    def coordinates(self, params: Any) -> Coordinates:
        middle_x, middle_y, across, down, second, fourth = self._optics(params)
        from_x, squares_x = _axis(params[-1][1], middle_x, across)
        from_y, squares_y = (one.reshape(-1, 1) for one in _axis(params[-1][0], middle_y, down))

        def points(first: int, last: int) -> tuple[Array, Array]:
            squares = squares_x + squares_y[first:last]
            return _through_lens(from_x, from_y[first:last], squares, middle_x, middle_y, second, fourth)

        return points

    def forward(self, params: Any) -> Field:
        """Return the field from points of the image to points of the result.

        Find the distance by halving an interval 50 times, up to where the lens turns the image inside out.
        """
        middle_x, middle_y, across, down, second, fourth = self._optics(params)
        furthest = _reach(second, fourth)

        def field(x: Array, y: Array) -> tuple[Array, Array]:
            from_x, from_y = x - middle_x, y - middle_y
            u, v = from_x / across, from_y / down
            distance = np.sqrt(u * u + v * v)
            low, high = np.zeros_like(distance), np.full_like(distance, furthest)
            for _ in range(50):
                half = (low + high) * 0.5
                square = half * half
                near = half * (1.0 + square * (second + fourth * square)) < distance
                low, high = np.where(near, half, low), np.where(near, high, half)
            share = np.where(distance > 0, low / np.where(distance > 0, distance, 1.0), 1.0)
            return from_x * share + middle_x, from_y * share + middle_y

        return field


def _from_middle(points: Array, middle: float, whole: float) -> tuple[Array, Array]:
    """Return the distances of an axis's points from its middle, and their squares as shares of the whole."""
    distances = points - middle
    shares = distances / whole
    shares *= shares
    return distances, shares


@lru_cache(8)
def _axis(side: int, middle: float, whole: float) -> tuple[Array, Array]:
    """Return the result of `_from_middle` for each pixel of a side, read-only."""
    result = _from_middle(np.arange(side, dtype=np.float64), middle, whole)
    for one in result:
        one.flags.writeable = False
    return result


def _through_lens(
    from_x: Array, from_y: Array, squares: Array, x: float, y: float, second: float, fourth: float
) -> tuple[Array, Array]:
    """Return points whose distances from the middle (x, y) are multiplied by ``1 + second r² + fourth r⁴``."""
    factor = squares * fourth
    factor += second
    factor *= squares
    factor += 1.0
    result_x = factor * from_x
    result_x += x
    factor *= from_y
    factor += y
    return result_x, factor


def _reach(second: float, fourth: float) -> float:
    """Return the distance up to which r (1 + second r² + fourth r⁴) grows, at most 1000."""
    if second >= 0:
        return 1000.0
    # Where the derivative, 1 + 3 second r² + 5 fourth r⁴, is 0.
    if fourth == 0:
        return min(float(np.sqrt(-1.0 / (3.0 * second))), 1000.0)
    root = float(np.sqrt(9.0 * second * second - 20.0 * fourth))
    return min(float(np.sqrt((-3.0 * second - root) / (10.0 * fourth))), 1000.0)
