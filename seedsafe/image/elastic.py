"""ElasticTransform and PiecewiseAffine."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from seedsafe.functional.distort import Field
from seedsafe.functional.lattice import Folded, elastic_sheet
from seedsafe.ground.checks import flag, span
from seedsafe.ground.exactness import NEAREST
from seedsafe.ground.info import Array, Info
from seedsafe.image.distortion import Distorted
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import Address
from seedsafe.keys.words import normal_quantiles, sixteenths
from seedsafe.pipeline.option import Pair, Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["Bent", "ElasticTransform", "PiecewiseAffine", "Shifted"]


class Bent(NamedTuple):
    """The displacements' scale and smoothing in pixels, the address of their noise, and the image's size."""

    alpha: float
    sigma: float
    address: Address
    size: tuple[int, int]


_POINTS: Final = "pass a number of points, or a range (low, high)"


@primitive(exact=NEAREST)
class ElasticTransform(Distorted):
    """Displace every point of the image by smoothed noise.

    Draws alpha (word 1) and sigma (word 2); the noise starts at word 4. It is normal, scaled to [-1, 1], smoothed, and
    multiplied by alpha: the displacements' standard deviation is about 0.065 alpha ÷ sigma pixels. Masks, keypoints and
    boxes are equal on every machine. It takes up to 0.6 MB of memory besides the result.

    Args:
        alpha: the factor of the smoothed noise, in pixels: one number or a range (low, high).
        sigma: the smoothing's standard deviation in pixels: one number or a range.
        same_dxdy: displace x and y by the same amount.
        repeat_edges: continue the noise of the outermost pixels beyond the image, as albumentations 2.0.8 does: points
            near the edges move further than in the middle.

    Follows albumentations 2.0.8's ``ElasticTransform``, after P. Simard and others, "Best practices for convolutional
    neural networks applied to visual document analysis" (2003).

    Example:
        >>> ElasticTransform(120, 6, p=1)(np.zeros((64, 48, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (64, 48, 3)
    """

    alpha: Range = option(span, 0.0, 1e6, "pass a number of pixels, or a range", default=(1.0, 1.0))
    sigma: Range = option(span, 0.1, 1e4, "pass a number of pixels, or a range", default=(50.0, 50.0))
    same_dxdy: bool = option(flag, default=False, kw_only=True)
    repeat_edges: bool = option(flag, default=False, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Bent:
        alpha, sigma = rng.uniform(*self.alpha), rng.uniform(*self.sigma)
        return Bent(alpha, sigma, rng.noise(), info.image_size())

    def source(self, params: Any) -> Field:
        alpha, sigma, address, (height, width) = params
        return elastic_sheet(
            address, height, width, alpha, sigma, same=self.same_dxdy, repeat=self.repeat_edges
        )


class Shifted(NamedTuple):
    """The shifts' standard deviation as a share of the sides, the lattice, the noise's address, and the image's size."""

    scale: float
    lattice: tuple[int, int]
    address: Address
    size: tuple[int, int]


@primitive(exact=NEAREST)
class PiecewiseAffine(Distorted):
    """Shift the points of a lattice by normal noise; the triangles between them move along.

    Draws the shifts' scale (word 1) and the lattice's rows (word 2) and columns (word 3); the noise starts at word 4.
    Points stay within the image. Masks, keypoints and boxes are equal on every machine. It takes up to 0.6 MB of memory
    besides the result.

    Args:
        scale: the standard deviation of the shifts as a share of height and width: one number or a range.
        nb_rows: the number of rows of points, at least 2: one number or a range (low, high).
        nb_cols: the number of columns of points, at least 2: one number or a range.
        absolute_scale: whether scale is in pixels.

    Follows imgaug's and albumentations 1's ``PiecewiseAffine`` (2.0.8 weights all points by their distance instead).

    Example:
        >>> PiecewiseAffine(p=1)(np.zeros((64, 48, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (64, 48, 3)
    """

    scale: Range = option(span, 0.0, 1e4, "pass a share of the sides, or a range", default=(0.03, 0.05))
    nb_rows: Pair = option(span, 2, 999, _POINTS, whole=True, default=(4, 4), kw_only=True)
    nb_cols: Pair = option(span, 2, 999, _POINTS, whole=True, default=(4, 4), kw_only=True)
    absolute_scale: bool = option(flag, default=False, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Shifted:
        scale = rng.uniform(*self.scale)
        rows, columns = _between(rng, self.nb_rows), _between(rng, self.nb_cols)
        return Shifted(scale, (rows, columns), rng.noise(), info.image_size())

    def source(self, params: Any) -> Folded:
        scale, (rows, columns), address, (height, width) = params
        noise = normal_quantiles()[sixteenths(address, 2 * rows * columns)].reshape(2, rows, columns) * scale
        cell = width / (columns - 1), height / (rows - 1)
        shifts = []
        for one, side, even in (
            (noise[0], width, np.arange(columns) * cell[0]),
            (noise[1], height, (np.arange(rows) * cell[1])[:, None]),
        ):
            shift = one if self.absolute_scale else one * side
            shifts.append(np.minimum(np.maximum(even + shift, 0.0), side) - even)
        return Folded(shifts[0], shifts[1], (-0.5, -0.5), cell)

    def forward(self, params: Any) -> Field:
        return self.source(params).back

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return boxes around their visible parts in the result."""
        return self.source(params).boxes(boxes, *params[-1])


def _between(rng: Draws, ends: Any) -> int:
    low, high = ends
    return int(low + rng.integer(high - low + 1))
