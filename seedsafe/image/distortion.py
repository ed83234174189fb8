"""GridDistortion and OpticalDistortion, and what distortions have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from seedsafe.checks import probability
from seedsafe.draws import Draws
from seedsafe.functional.distort import Field, distort_boxes, distort_points, way_back
from seedsafe.functional.remap import Places, remap
from seedsafe.image.options import Filled, around, choice, flag, put_option
from seedsafe.info import Array, Info
from seedsafe.key import checked_int
from seedsafe.primitive import primitive

__all__ = ["Distorted", "Grid", "GridDistortion", "Lens", "OpticalDistortion"]


@dataclass(frozen=True, slots=True, repr=False)
class Distorted(Filled):
    """A transform whose result has the image's size; its parameters end in that size."""

    interpolation: str = field(default="bilinear", kw_only=True)
    p: float = field(default=0.5, kw_only=True)

    def __post_init__(self) -> None:
        Filled.__post_init__(self)
        choice("interpolation", self.interpolation, ("nearest", "bilinear", "bicubic", "lanczos"))
        put_option(self, "p", probability(self.p))

    def source(self, params: Any) -> Field:
        """Return the field that takes the places of the result to those of the image."""
        raise NotImplementedError

    def forward(self, params: Any) -> Field:
        """Return the field that takes the places of the image to those of the result."""
        source = self.source(params)
        return lambda x, y: way_back(source, x, y)

    def apply_image(self, image: Array, params: Any) -> Array:
        """Return the image, distorted."""
        return self._distorted(image, params, self.interpolation, self.fill)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        """Return the mask, distorted without new labels."""
        return self._distorted(mask, params, "nearest", self.mask_fill)

    def _distorted(self, image: Array, params: Any, interpolation: str, fill: Any) -> Array:
        height, width = params[-1]
        places = self.places(params)
        return remap(image, places, height, width, interpolation=interpolation, mode=self.mode, fill=fill)

    def places(self, params: Any) -> Places:
        """Return where the pixels of the result's rows come from."""
        source = self.source(params)
        x = np.arange(params[-1][1], dtype=np.float64)[None]
        return lambda first, last: source(x, np.arange(first, last, dtype=np.float64)[:, None])

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        """Return the keypoints, moved; those outside stay, with coordinates outside."""
        return distort_points(keypoints, self.forward(params))

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return boxes around the moved outlines, cut off at the image's edges."""
        return distort_boxes(boxes, self.forward(params), *params[-1])


class Grid(NamedTuple):
    """Where the lines of an even grid come from, in pixels of edges, and the image's size."""

    across: tuple[float, ...]
    down: tuple[float, ...]
    size: tuple[int, int]


@primitive()
@dataclass(frozen=True, slots=True, repr=False)
class GridDistortion(Distorted):
    """Stretch and squeeze the columns and the rows of a grid, each by a drawn amount.

    Draws the widths of the columns (words 1 to num_steps) and the heights of the rows (words num_steps + 1 to 2
    num_steps). Masks, keypoints and boxes are equal on every machine; pixels only with the same build of OpenCV.

    Args:
        num_steps: how many columns and rows the grid has.
        distort_limit: how much larger or smaller a part of the image a cell shows: a range, or one number x for -x to x,
            in [-1, 10].
        normalized: bring the widths, and the heights, to the image's; False lets the last ones reach beyond it, or not to it.
        interpolation: "nearest", "bilinear", "bicubic" or "lanczos"; masks are always "nearest".
        mode: how pixels outside the image are filled: "constant", "edge", "reflect" or "symmetric", as in
            ``numpy.pad``.
        fill: the value outside in the mode "constant", one number or one for each channel.
        mask_fill: the same for masks.
        p: the probability that the transform fires.
        name: see Transform.

    Raises:
        TypeError: an argument is not a number.
        ValueError: an argument is out of its range.

    Follows albumentations 2.0.8's ``GridDistortion``; its cells are whole pixels, and what is left over is one cell more.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> GridDistortion(p=1)(np.zeros((64, 48, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (64, 48, 3)
    """

    num_steps: int = 5
    distort_limit: float | tuple[float, float] = field(default=(-0.3, 0.3), kw_only=True)
    normalized: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        Distorted.__post_init__(self)
        way_out = "pass the number of columns and rows"
        put_option(self, "num_steps", checked_int("num_steps", self.num_steps, 1, 1000, way_out))
        way_out = "pass 0.3 for -0.3 to 0.3, or a range"
        put_option(self, "distort_limit", around("distort_limit", self.distort_limit, -1.0, 10.0, way_out))
        flag("normalized", self.normalized)

    def draw(self, rng: Draws, info: Info) -> Grid:
        """Return where the grid's lines come from."""
        rows, columns = info.image_size()
        return Grid(self._lines(rng, columns), self._lines(rng, rows), (rows, columns))

    def _lines(self, rng: Draws, side: int) -> tuple[float, ...]:
        low, high = self.distort_limit  # type: ignore[misc]  # a pair since __post_init__
        lines = [0.0]
        for unit in rng.units(self.num_steps).tolist():
            lines.append(lines[-1] + 1.0 + (low + (high - low) * unit))
        whole = lines[-1] if self.normalized and lines[-1] > 0 else float(self.num_steps)
        return tuple(line * side / whole for line in lines)

    def source(self, params: Any) -> Field:
        """Return the field that takes the places of the result to those of the image."""
        across, down, (height, width) = params
        even_x, even_y = _even(width, len(across)), _even(height, len(down))
        return lambda x, y: (_line(x, even_x, np.array(across)), _line(y, even_y, np.array(down)))

    def places(self, params: Any) -> Places:
        """Return where the pixels of the result's rows come from: rows and columns, each by itself."""
        height, width = params[-1]
        x, y = self.source(params)(np.arange(width)[None], np.arange(height)[:, None])
        return lambda first, last: (x, y[first:last])

    def forward(self, params: Any) -> Field:
        """Return the field that takes the places of the image to those of the result."""
        across, down, (height, width) = params
        even_x, even_y = _even(width, len(across)), _even(height, len(down))
        return lambda x, y: (_line(x, np.array(across), even_x), _line(y, np.array(down), even_y))


def _even(side: int, lines: int) -> Array:
    even: Array = np.arange(lines) * (float(side) / (lines - 1))
    return even


def _line(places: Array, given: Array, made: Array) -> Array:
    """Return places of pixel centres, led from some lines to others; beyond the outermost they go on."""
    edge = places + 0.5
    part = np.minimum(np.maximum(np.searchsorted(given, edge, side="right") - 1, 0), len(given) - 2)
    length = given[part + 1] - given[part]
    slope = (made[part + 1] - made[part]) / np.where(length > 0, length, 1.0)
    led: Array = made[part] + (edge - given[part]) * slope - 0.5
    return led


class Lens(NamedTuple):
    """How much the lens distorts, and the image's size."""

    strength: float
    size: tuple[int, int]


@primitive()
@dataclass(frozen=True, slots=True, repr=False)
class OpticalDistortion(Distorted):
    """Look at the image through a lens that magnifies, or makes smaller, with the distance from the middle.

    Draws the strength k (word 1). With r the distance from the middle, a place comes from r · (1 + k r² + k r⁴) for
    "camera", where x and y are shares of width and height, and from r · (1 + k r²) for "fisheye", where r is a share
    of the distance to the corners. Masks, keypoints and boxes are equal on every machine; pixels only with the same
    build of OpenCV. It takes up to 0.6 MB of memory beside the result.

    Args:
        distort_limit: the strength: a range, or one number x for -x to x.
        lens: "camera" or "fisheye".
        interpolation: see GridDistortion.
        mode: see GridDistortion.
        fill: see GridDistortion.
        mask_fill: see GridDistortion.
        p: the probability that the transform fires.
        name: see Transform.

    Raises:
        TypeError: an argument is not a number.
        ValueError: an argument is out of its range.

    Follows albumentations 2.0.8's ``OpticalDistortion``, whose `mode` is `lens`; the middle is the image's.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> OpticalDistortion(0.5, p=1)(np.zeros((64, 48, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (64, 48, 3)
    """

    distort_limit: float | tuple[float, float] = (-0.05, 0.05)
    lens: str = field(default="camera", kw_only=True)

    def __post_init__(self) -> None:
        Distorted.__post_init__(self)
        way_out = "pass 0.05 for -0.05 to 0.05, or a range"
        put_option(self, "distort_limit", around("distort_limit", self.distort_limit, -100.0, 100.0, way_out))
        choice("lens", self.lens, ("camera", "fisheye"))

    def draw(self, rng: Draws, info: Info) -> Lens:
        """Return the strength."""
        return Lens(rng.uniform(*self.distort_limit), info.image_size())  # type: ignore[misc]  # a pair since __post_init__

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
            from_x, from_y = x - middle_x, y - middle_y
            u, v = from_x / across, from_y / down
            square = u * u + v * v
            larger = 1.0 + square * (second + fourth * square)
            return from_x * larger + middle_x, from_y * larger + middle_y

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


def _turning(second: float, fourth: float) -> float:
    """Return the distance up to which r (1 + second r² + fourth r⁴) grows, 1000 at most."""
    if second >= 0:
        return 1000.0
    if fourth == 0:
        return min(float(np.sqrt(-1.0 / (3.0 * second))), 1000.0)
    root = float(np.sqrt(9.0 * second * second - 20.0 * fourth))
    return min(float(np.sqrt((-3.0 * second - root) / (10.0 * fourth))), 1000.0)
