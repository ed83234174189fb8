"""GridDistortion and the base class of distortions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedsafe.functional.distort import Field, distort_boxes, distort_points, way_back
from seedsafe.functional.remap import Coordinates, remap
from seedsafe.ground.checks import checked_int, choice, flag, probability, span
from seedsafe.ground.exactness import NEAREST
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import SMOOTH, FillTransform
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["Distorted", "Grid", "GridDistortion"]


@primitive()
class Distorted(FillTransform):
    """A transform that moves pixels within the image; its parameters end in the image's size."""

    interpolation: str = option(choice, SMOOTH, default="bilinear", kw_only=True)
    p: float = option(probability, default=0.5, kw_only=True)

    def source(self, params: Any) -> Field:
        """Return the field from points of the result to points of the image."""
        raise NotImplementedError

    def forward(self, params: Any) -> Field:
        """Return the field from points of the image to points of the result."""
        source = self.source(params)
        return lambda x, y: way_back(source, x, y)

    def apply_image(self, image: Array, params: Any) -> Array:
        return self._distort(image, params, self.interpolation, self.fill)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        return self._distort(mask, params, "nearest", self.mask_fill)

    def _distort(self, image: Array, params: Any, interpolation: str, fill: Any) -> Array:
        height, width = params[-1]
        coordinates = self.coordinates(params)
        return remap(
            image, coordinates, height, width, interpolation=interpolation, mode=self.mode, fill=fill
        )

    def coordinates(self, params: Any) -> Coordinates:
        """Return the image points that the result's rows show."""
        source = self.source(params)
        x = np.arange(params[-1][1], dtype=np.float64)[None]
        return lambda first, last: source(x, np.arange(first, last, dtype=np.float64)[:, None])

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        """Return the moved keypoints; those outside the image are kept."""
        return distort_points(keypoints, self.forward(params))

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return boxes around the moved outlines, clipped at the image's edges."""
        return distort_boxes(boxes, self.forward(params), *params[-1])


class Grid(NamedTuple):
    """The image points that an even grid's lines show, in pixel edges, and the image's size."""

    across: tuple[float, ...]
    down: tuple[float, ...]
    size: tuple[int, int]


@primitive(exact=NEAREST)
class GridDistortion(Distorted):
    """Stretch and squeeze the columns and rows of a grid, each by a random amount.

    Draws the widths of the columns (words 1 to num_steps) and the heights of the rows (words num_steps + 1 to 2
    num_steps). Masks, keypoints and boxes are equal on every machine.

    Args:
        num_steps: the number of columns and of rows of the grid.
        distort_limit: how much larger or smaller the part of the image in a cell is: a range, or one number x for -x to
            x, in [-1, 10].
        normalized: scale the widths and heights to add up to the image's. False lets the last ones end outside or
            inside it.

    Follows albumentations 2.0.8's ``GridDistortion``, where cells are whole pixels and the remainder is one more cell.

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
        (across, even_x), (down, even_y) = _lines_of(params)
        return lambda x, y: (_move(x, even_x, across), _move(y, even_y, down))

    def coordinates(self, params: Any) -> Coordinates:
        """Return the image points that the result's rows show: x and y are independent."""
        height, width = params[-1]
        x, y = self.source(params)(np.arange(width)[None], np.arange(height)[:, None])
        return lambda first, last: (x, y[first:last])

    def forward(self, params: Any) -> Field:
        (across, even_x), (down, even_y) = _lines_of(params)
        return lambda x, y: (_move(x, across, even_x), _move(y, down, even_y))


def _lines_of(params: Any) -> list[tuple[Array, Array]]:
    """Return the uneven and the even lines across, then those down."""
    across, down, (height, width) = params
    return [
        (np.array(lines), np.arange(len(lines)) * (float(side) / (len(lines) - 1)))
        for lines, side in ((across, width), (down, height))
    ]


def _move(centres: Array, start: Array, end: Array) -> Array:
    """Return coordinates of pixel centres moved with lines from start to end, and extrapolated beyond the outermost."""
    edge = centres + 0.5
    part = np.minimum(np.maximum(np.searchsorted(start, edge, side="right") - 1, 0), len(start) - 2)
    length = start[part + 1] - start[part]
    slope = (end[part + 1] - end[part]) / np.where(length > 0, length, 1.0)
    result: Array = end[part] + (edge - start[part]) * slope - 0.5
    return result
