"""Points and boxes in a distorted image."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from seedsafe.functional.affine import cut_off
from seedsafe.functional.coordinates import put
from seedsafe.ground.exactness import EVERYWHERE, exact
from seedsafe.ground.info import Array

__all__ = ["Field", "distort_boxes", "distort_points", "way_back"]

Field = Callable[[Array, Array], tuple[Array, Array]]
"""Maps the x and y of pixel centres to others: float64 arrays, of one shape or of shapes that broadcast."""

_STEPS: Final = 40
_ALONG: Final = np.linspace(0.0, 1.0, 17)[:-1]
"""Where the points of an outline lie on a side: at its first corner, and 15 after it."""


@exact(EVERYWHERE)
def way_back(field: Field, x: Array, y: Array) -> tuple[Array, Array]:
    """Return the coordinates that a field maps to x and y, found in 40 steps.

    Where the field folds the image, the result is one of several solutions, or lies between them.

    Example:
        >>> x, y = way_back(lambda x, y: (x + 0.1 * x, y), np.array([11.0]), np.array([0.0]))
        >>> float(x[0]).__round__(6)
        10.0
    """
    found_x, found_y = x.copy(), y.copy()
    for step in range(_STEPS):
        there_x, there_y = field(found_x, found_y)
        share = 1.0 if step < _STEPS // 2 else 0.5  # damps oscillations
        found_x += (x - there_x) * share
        found_y += (y - there_y) * share
    return found_x, found_y


def distort_points(points: Array, forward: Field) -> Array:
    """Return points (N, 2 or more), x and y of pixel centres first, mapped by a field; points that are not finite are kept.

    Args:
        points: the points in pixels.
        forward: the Field that maps coordinates of the image to those of the result.

    Example:
        >>> distort_points(np.array([[1.0, 2.0, 7.0]]), lambda x, y: (x + 1, y)).tolist()
        [[2.0, 2.0, 7.0]]
    """
    result = points.copy()
    coordinates = points[:, :2].astype(np.float64)
    finite = np.isfinite(coordinates).all(axis=1)
    x, y = forward(coordinates[finite, 0], coordinates[finite, 1])
    coordinates[finite] = np.stack([x, y], axis=1)
    put(result[:, 0], coordinates[:, 0])
    put(result[:, 1], coordinates[:, 1])
    return result


def distort_boxes(boxes: Array, forward: Field, height: int, width: int) -> Array:
    """Return boxes (N, 4 or more), x0, y0, x1, y1 of pixel edges first, around their outlines mapped by a field.

    An outline has 64 points: the corners, and 15 on each side. Boxes are cut off at the edges of the result; none is
    removed.

    Args:
        boxes: the boxes in pixels.
        forward: the Field that maps coordinates of the image to those of the result.
        height: the height of the result, in pixels.
        width: the width of the result, in pixels.

    Example:
        >>> distort_boxes(np.array([[0, 0, 2, 1]]), lambda x, y: (x + 1, y), 4, 4).tolist()
        [[1, 0, 3, 1]]
    """
    x0, y0, x1, y1 = (boxes[:, k].astype(np.float64)[:, None] - 0.5 for k in range(4))
    along_x, along_y = x0 + (x1 - x0) * _ALONG, y0 + (y1 - y0) * _ALONG
    back_x, back_y = x1 - (x1 - x0) * _ALONG, y1 - (y1 - y0) * _ALONG
    still = np.zeros_like(along_x)
    x = np.concatenate([along_x, x1 + still, back_x, x0 + still], axis=1)
    y = np.concatenate([y0 + still, along_y, y1 + still, back_y], axis=1)
    x, y = forward(x, y)
    return cut_off(boxes, (x.min(1), y.min(1), x.max(1), y.max(1)), height, width)
