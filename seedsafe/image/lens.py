"""OpticalDistortion."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from seedsafe.functional.distort import Field
from seedsafe.functional.remap import Places
from seedsafe.ground.checks import choice, span
from seedsafe.ground.info import Array, Info
from seedsafe.image.distortion import Distorted
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["Lens", "OpticalDistortion"]


class Lens(NamedTuple):
    """How much the lens distorts, and the image's size."""

    strength: float
    size: tuple[int, int]


@primitive()
class OpticalDistortion(Distorted):
    """Look at the image through a lens that magnifies, or makes smaller, with the distance from the middle.

    Draws the strength k (word 1). With r the distance from the middle, a place comes from r · (1 + k r² + k r⁴) for
    "camera", where x and y are shares of width and height, and from r · (1 + k r²) for "fisheye", where r is a share
    of the distance to the corners. Masks, keypoints and boxes are equal on every machine; pixels only with the same
    build of OpenCV. It takes up to 0.6 MB of memory beside the result.

    Args:
        distort_limit: the strength: a range, or one number x for -x to x.
        lens: "camera" or "fisheye".

    Follows albumentations 2.0.8's ``OpticalDistortion``, whose `mode` is `lens`; the middle is the image's.

    Example:
        >>> OpticalDistortion(0.5, p=1)(np.zeros((64, 48, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (64, 48, 3)
    """

    distort_limit: Range = option(
        span, -100.0, 100.0, "pass 0.05 for -0.05 to 0.05, or a range", about=0.0, default=(-0.05, 0.05)
    )
    lens: str = option(choice, ("camera", "fisheye"), default="camera", kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Lens:
        """Return the strength."""
        return Lens(rng.uniform(*self.distort_limit), info.image_size())

    def _optics(self, params: Any) -> tuple[float, float, float, float, float, float]:
        """Return the middle's x and y, what x and y are shares of, and the factors of r² and r⁴."""
        strength, (height, width) = params
        x, y = (width - 1) * 0.5, (height - 1) * 0.5
        if self.lens == "camera":
            return x, y, float(width), float(height), strength, strength
        corner = float(np.sqrt(width * width * 0.25 + height * height * 0.25))
        return x, y, corner, corner, strength, 0.0

    def source(self, params: Any) -> Field:
        """Return the field that takes the places of the result to those of the image."""
        middle_x, middle_y, across, down, second, fourth = self._optics(params)

        def led(x: Array, y: Array) -> tuple[Array, Array]:
            from_x, squares_x = _from_middle(x, middle_x, across)
            from_y, squares_y = _from_middle(y, middle_y, down)
            return _led(from_x, from_y, squares_x + squares_y, middle_x, middle_y, second, fourth)

        return led

    def places(self, params: Any) -> Places:
        """Return where the pixels of the result's rows come from."""
        middle_x, middle_y, across, down, second, fourth = self._optics(params)
        from_x, squares_x = _axis(params[-1][1], middle_x, across)
        from_y, squares_y = (one.reshape(-1, 1) for one in _axis(params[-1][0], middle_y, down))

        def led(first: int, last: int) -> tuple[Array, Array]:
            squares = squares_x + squares_y[first:last]
            return _led(from_x, from_y[first:last], squares, middle_x, middle_y, second, fourth)

        return led

    def forward(self, params: Any) -> Field:
        """Return the field that takes the places of the image to those of the result.

        The distance is found by halving an interval 50 times, up to where the lens turns the image inside out.
        """
        middle_x, middle_y, across, down, second, fourth = self._optics(params)
        furthest = _turning(second, fourth)

        def led(x: Array, y: Array) -> tuple[Array, Array]:
            from_x, from_y = x - middle_x, y - middle_y
            u, v = from_x / across, from_y / down
            there = np.sqrt(u * u + v * v)
            low, high = np.zeros_like(there), np.full_like(there, furthest)
            for _ in range(50):
                half = (low + high) * 0.5
                square = half * half
                near = half * (1.0 + square * (second + fourth * square)) < there
                low, high = np.where(near, half, low), np.where(near, high, half)
            share = np.where(there > 0, low / np.where(there > 0, there, 1.0), 1.0)
            return from_x * share + middle_x, from_y * share + middle_y

        return led


def _from_middle(places: Array, middle: float, whole: float) -> tuple[Array, Array]:
    """Return how far places of an axis are from its middle, and the squares of that as a share."""
    distances = places - middle
    shares = distances / whole
    shares *= shares
    return distances, shares


@lru_cache(8)
def _axis(side: int, middle: float, whole: float) -> tuple[Array, Array]:
    """Return what `_from_middle` does for each pixel of a side, read-only."""
    found = _from_middle(np.arange(side, dtype=np.float64), middle, whole)
    for one in found:
        one.flags.writeable = False
    return found


def _led(
    from_x: Array, from_y: Array, squares: Array, x: float, y: float, second: float, fourth: float
) -> tuple[Array, Array]:
    """Return places, from the middle and from their squared distances, times ``1 + second r² + fourth r⁴``."""
    larger = squares * fourth
    larger += second
    larger *= squares
    larger += 1.0
    there_x = larger * from_x
    there_x += x
    larger *= from_y
    larger += y
    return there_x, larger


def _turning(second: float, fourth: float) -> float:
    """Return the distance up to which r (1 + second r² + fourth r⁴) grows, 1000 at most."""
    if second >= 0:
        return 1000.0
    if fourth == 0:
        return min(float(np.sqrt(-1.0 / (3.0 * second))), 1000.0)
    root = float(np.sqrt(9.0 * second * second - 20.0 * fourth))
    return min(float(np.sqrt((-3.0 * second - root) / (10.0 * fourth))), 1000.0)
