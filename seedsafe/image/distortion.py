"""GridDistortion, and what distortions have in common."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedsafe.functional.distort import Field, distort_boxes, distort_points, way_back
from seedsafe.functional.remap import Places, remap
from seedsafe.ground.checks import choice, flag, probability, span
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import SMOOTH, Filled
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import checked_int
from seedsafe.pipeline.option import Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["Distorted", "Grid", "GridDistortion"]


@primitive()
class Distorted(Filled):
    """A transform whose result has the image's size; its parameters end in that size."""

    interpolation: str = option(choice, SMOOTH, default="bilinear", kw_only=True)
    p: float = option(probability, default=0.5, kw_only=True)

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

    Follows albumentations 2.0.8's ``GridDistortion``; its cells are whole pixels, and what is left over is one cell more.

    Example:
        >>> GridDistortion(p=1)(np.zeros((64, 48, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (64, 48, 3)
    """

    num_steps: int = option(checked_int, 1, 1000, "pass the number of columns and rows", default=5)
    distort_limit: Range = option(
        span, -1.0, 10.0, "pass 0.3 for -0.3 to 0.3, or a range", about=0.0, default=(-0.3, 0.3), kw_only=True
    )
    normalized: bool = option(flag, default=True, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Grid:
        """Return where the grid's lines come from."""
        rows, columns = info.image_size()
        return Grid(self._lines(rng, columns), self._lines(rng, rows), (rows, columns))

    def _lines(self, rng: Draws, side: int) -> tuple[float, ...]:
        low, high = self.distort_limit
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
