"""Displacement fields on lattices, from corners or noise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from seedsafe.functional.affine import cut_off
from seedsafe.functional.distort import distort_boxes, way_back
from seedsafe.ground.exactness import EVERYWHERE, exact
from seedsafe.ground.info import Array
from seedsafe.keys.decisions import added, exponential
from seedsafe.keys.key import Address
from seedsafe.keys.words import normal_quantiles, sixteenths

__all__ = ["Folded", "Sheet", "elastic_sheet"]

_AT_ONCE: Final = 2**15
"""Triangles, or their sides, times points, processed at once."""

_NEAR: Final = 1e-9
"""Tolerance for points just outside a triangle, as a share of its sides, so that none is lost between two triangles."""


class _Lattice:
    """Displacements at the corners of equal cells; see Folded."""

    def __init__(
        self, across: Array, down: Array, origin: tuple[float, float], cell: tuple[float, float]
    ) -> None:
        self._grids = across, down
        self._last_row, self._last_column = across.shape[0] - 2, across.shape[1] - 2
        self._origin, self._cell = origin, cell

    def _locate(self, x: Array, y: Array) -> tuple[Array, Array, Array, Array]:
        """Return the columns and rows of the points' cells, and the points' positions inside the cells.

        The outermost cells continue for one cell; farther out the displacement is constant, so that `way_back` converges.
        """
        u = np.clip((x - self._origin[0]) / self._cell[0], -1.0, self._last_column + 2.0)
        v = np.clip((y - self._origin[1]) / self._cell[1], -1.0, self._last_row + 2.0)
        column = np.minimum(np.maximum(np.floor(u), 0.0), self._last_column)
        row = np.minimum(np.maximum(np.floor(v), 0.0), self._last_row)
        return column.astype(np.intp), row.astype(np.intp), u - column, v - row


@exact(EVERYWHERE)
class Folded(_Lattice):
    """A Field whose displacements are linear in each of the two triangles of a lattice's cells.

    Args:
        across: displacements in x at the corners of equal cells, float64, (rows, columns), at least 2 of each.
        down: displacements in y.
        origin: x and y of the first corner.
        cell: width and height of a cell.

    Example:
        >>> field = Folded(np.array([[0.0, 4.0], [0.0, 4.0]]), np.zeros((2, 2)), (0.0, 0.0), (10.0, 10.0))
        >>> x, y = field(np.array([5.0]), np.array([1.0]))
        >>> x.tolist(), y.tolist()
        ([7.0], [1.0])
    """

    def __call__(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Return the displaced coordinates."""
        column, row, u, v = self._locate(x, y)
        lower = u + v > 1.0
        # The corner that belongs to this triangle alone, and the steps from it along the cell's sides.
        u, v = np.where(lower, 1.0 - u, u), np.where(lower, 1.0 - v, v)
        width = self._grids[0].shape[1]
        corner = row * width + column + lower * (width + 1)
        way = np.where(lower, -1, 1)
        right, below = corner + way, corner + way * width
        result = []
        for source, grid in zip((x, y), self._grids, strict=True):
            at_corner = grid.take(corner)
            across, down = grid.take(right), grid.take(below)
            across -= at_corner
            across *= u
            at_corner += across
            down -= grid.take(corner, out=across)
            down *= v
            at_corner += down
            result.append(source + at_corner)
        return result[0], result[1]

    def back(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Return the coordinates that this maps to x and y: exact inside the lattice, by `way_back` beyond it.

        Where the field folds the image, the result is the first of several solutions.

        Example:
            >>> field = Folded(np.array([[0.0, 4.0], [0.0, 4.0]]), np.zeros((2, 2)), (0.0, 0.0), (10.0, 10.0))
            >>> x, y = field.back(np.array([7.0]), np.array([1.0]))
            >>> x.tolist(), y.tolist()
            ([5.0], [1.0])
        """
        across, down = x.ravel(), y.ravel()
        result = np.zeros((2, x.size))
        done = np.zeros(x.size, np.bool_)
        for inside, *points in self._triangles_at(across, down):
            first = inside.argmax(axis=1)
            new = np.flatnonzero(inside.any(axis=1) & ~done)
            for one, values in zip(result, points, strict=True):
                one[new] = values[new, first[new]]
            done[new] = True
        missing = ~done
        if missing.any():
            result[0, missing], result[1, missing] = way_back(self, across[missing], down[missing])
        return result[0].reshape(x.shape), result[1].reshape(x.shape)

    def boxes(self, boxes: Array, height: int, width: int) -> Array:
        """Return boxes (N, 4 or more), x0, y0, x1, y1 of pixel edges first, around all points that this maps into them.

        The outermost of these points lie on sides of triangles or are mapped to corners of the box. Boxes outside the lattice
        follow their outlines, as in `distort_boxes`.

        Args:
            boxes: the boxes in the image that the field maps to.
            height: the height of the result, in pixels; boxes are cut off at its edges.
            width: the width of the result, in pixels.

        Example:
            >>> field = Folded(np.array([[0.0, 4.0], [0.0, 4.0]]), np.zeros((2, 2)), (-0.5, -0.5), (10.0, 10.0))
            >>> field.boxes(np.array([[7.0, 1.0, 14.0, 4.0]]), 10, 10).tolist()
            [[5.0, 1.0, 10.0, 4.0]]
        """
        edges = boxes[:, :4].astype(np.float64) - 0.5
        around = np.stack([np.full((len(boxes), 2), np.inf), np.full((len(boxes), 2), -np.inf)])

        def take(hits: Array, x: Array, y: Array) -> None:
            for k, values in enumerate((x, y)):
                around[0, :, k] = np.minimum(around[0, :, k], np.where(hits, values, np.inf).min(axis=1))
                around[1, :, k] = np.maximum(around[1, :, k], np.where(hits, values, -np.inf).max(axis=1))

        for x, y in ((0, 1), (2, 1), (0, 3), (2, 3)):
            for inside, *points in self._triangles_at(edges[:, x], edges[:, y]):
                take(inside, points[0], points[1])
        nodes = self._nodes()
        sides = [
            (nodes[:, :, :-1], nodes[:, :, 1:]),
            (nodes[:, :-1], nodes[:, 1:]),
            (nodes[:, :-1, 1:], nodes[:, 1:, :-1]),
        ]
        starts, ends = (np.concatenate([one[k].reshape(4, -1) for one in sides], axis=1) for k in (0, 1))
        for part in _parts(starts.shape[1], len(boxes)):
            start, way = starts[:, part], ends[:, part] - starts[:, part]
            enters, leaves = _crossings(start[2:], way[2:], edges)
            for share in (enters, leaves):
                take(enters <= leaves, start[0] + share * way[0], start[1] + share * way[1])
        hits = (around[0] <= around[1]).all(axis=1)
        result = cut_off(boxes, (*around[0].T, *around[1].T), height, width)
        result[~hits] = distort_boxes(boxes[~hits], self.back, height, width)
        return result

    def _nodes(self) -> Array:
        """Return the corners of the cells (4, rows, columns): x and y, and their displaced x and y."""
        rows, columns = self._grids[0].shape
        x = np.broadcast_to(self._origin[0] + np.arange(columns) * self._cell[0], (rows, columns))
        y = np.broadcast_to(self._origin[1] + np.arange(rows)[:, None] * self._cell[1], (rows, columns))
        return np.stack([x, y, x + self._grids[0], y + self._grids[1]])

    def _triangles_at(self, x: Array, y: Array) -> Iterator[tuple[Array, Array, Array]]:
        """Yield masks of the displaced triangles that hold the points, and the x and y there: arrays (points, triangles)."""
        nodes = self._nodes()
        above = nodes[:, :-1, :-1], nodes[:, :-1, 1:], nodes[:, 1:, :-1]
        below = nodes[:, 1:, 1:], nodes[:, 1:, :-1], nodes[:, :-1, 1:]
        corner, one, two = (
            np.concatenate([a.reshape(4, -1), b.reshape(4, -1)], axis=1)
            for a, b in zip(above, below, strict=True)
        )
        one -= corner
        two -= corner
        area = one[2] * two[3] - one[3] * two[2]
        flat = np.flatnonzero(area)  # triangles without an area are covered by their neighbours' sides
        corner, one, two, area = corner[:, flat], one[:, flat], two[:, flat], area[flat]
        for part in _parts(len(flat), len(x)):
            c, a, b = corner[:, part], one[:, part], two[:, part]
            with np.errstate(invalid="ignore"):  # points that are not finite lie in no triangle
                right, down = x[:, None] - c[2], y[:, None] - c[3]
                u = (right * b[3] - down * b[2]) / area[part]
                v = (down * a[2] - right * a[3]) / area[part]
                inside = (u >= -_NEAR) & (v >= -_NEAR) & (u + v <= 1.0 + _NEAR)
                yield inside, c[0] + u * a[0] + v * b[0], c[1] + u * a[1] + v * b[1]


def _parts(count: int, points: int) -> Iterator[slice]:
    step = max(_AT_ONCE // max(points, 1), 1)
    return (slice(first, first + step) for first in range(0, count, step))


def _crossings(start: Array, way: Array, edges: Array) -> tuple[Array, Array]:
    """Return the shares of lines (2, K) at which they enter and leave boxes (N, 4): arrays (N, K).

    A line that misses a box leaves it before it enters it.
    """
    enters, leaves = np.zeros((len(edges), start.shape[1])), np.ones((len(edges), start.shape[1]))
    for k in (0, 1):
        still = way[k] == 0
        low, high = (edges[:, one, None] - start[k] for one in (k, k + 2))
        length = np.where(still, 1.0, way[k])
        first, last = low / length, high / length
        misses = still & ((low > 0) | (high < 0))
        enters = np.maximum(enters, np.where(still, np.where(misses, 2.0, 0.0), np.minimum(first, last)))
        leaves = np.minimum(leaves, np.where(still, 1.0, np.maximum(first, last)))
    return enters, leaves


@exact(EVERYWHERE)
class Sheet(_Lattice):
    """A Field whose displacements are bilinear over the cells of a lattice; see Folded.

    Args:
        across: displacements in x at the corners of the cells, in pixels.
        down: displacements in y there.
        origin: x and y of the first corner.
        cell: the width and height of a cell.

    Example:
        >>> field = Sheet(np.array([[0.0, 4.0], [0.0, 0.0]]), np.zeros((2, 2)), (0.0, 0.0), (10.0, 10.0))
        >>> field(np.array([5.0]), np.array([5.0]))[0].tolist()
        [6.0]
    """

    def __call__(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Return the displaced coordinates."""
        column, row, u, v = self._locate(x, y)
        # The precision of displacements, and twice as fast (python -m benchmarks --only ElasticTransform).
        u, v = u.astype(np.float32), v.astype(np.float32)
        if x.ndim == 2 and x.shape[0] == 1 and y.shape[1] == 1:  # a grid, looked up row by row
            lines = row[:, 0]
            sides = [grid[lines] + v * (grid[lines + 1] - grid[lines]) for grid in self._grids]
            dx, dy = (_interpolate(side[:, column[0]], side[:, column[0] + 1], u) for side in sides)
        else:
            dx, dy = (
                _interpolate(
                    grid[row, column] + v * (grid[row + 1, column] - grid[row, column]),
                    grid[row, column + 1] + v * (grid[row + 1, column + 1] - grid[row, column + 1]),
                    u,
                )
                for grid in self._grids
            )
        return x + dx, y + dy


def _interpolate(left: Array, right: Array, share: Array) -> Array:
    """Return values interpolated linearly between two arrays, which are both overwritten."""
    right -= left
    right *= share
    left += right
    return left


_REACH: Final = 3.0
"""Standard deviations at which the bell curve is cut off."""


@exact(EVERYWHERE)
def elastic_sheet(
    noise: Address, height: int, width: int, alpha: float, sigma: float, *, same: bool, repeat: bool = False
) -> Sheet:
    """Return displacements from noise in [-1, 1], smoothed and multiplied by alpha.

    The noise lies on a lattice of cells half a standard deviation of the smoothing wide, but at least one pixel. A finer
    lattice would hardly look different, and so a wide smoothing costs no more than a narrow one.

    Args:
        noise: the address of its words; the displacements in x come first.
        height: the height of the image, in pixels.
        width: the width of the image, in pixels.
        alpha: the factor of the smoothed noise, in pixels.
        sigma: the standard deviation of the smoothing, in pixels.
        same: use one displacement for x and y.
        repeat: continue the noise of the outermost pixels beyond the image.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> sheet = elastic_sheet(address(SampleKey(0, 0, 0)), 8, 8, 20.0, 2.0, same=False)
        >>> sheet(np.array([3.0]), np.array([4.0]))[0].round(3).tolist()
        [2.696]
    """
    cell = float(max(int(sigma / 2.0), 1))
    spread = sigma / cell
    reach = max(int(_REACH * spread + 0.5), 1)
    bell = [exponential(-0.5 * (k / spread) * (k / spread)) for k in range(reach + 1)]
    total = bell[0] + 2.0 * added(bell[1:])
    shape = int((height - 1) / cell) + 2 + 2 * reach, int((width - 1) / cell) + 2 + 2 * reach
    count = shape[0] * shape[1]
    values = normal_quantiles()[sixteenths(noise, count if same else 2 * count)].astype(np.float32)
    values = values.reshape(-1, *shape)
    if repeat:
        _repeat_edges(values, reach, cell, height, width)
    smooth = _smooth(_smooth(values, bell, 1), bell, 2)
    # The mean of a cell's pixels is nearer to zero than the single pixels.
    smooth *= np.float32(alpha / (4.325 * cell * total * total))
    return Sheet(smooth[0], smooth[-1], (0.0, 0.0), (cell, cell))


def _repeat_edges(values: Array, reach: int, cell: float, height: int, width: int) -> None:
    """Repeat the noise of the outermost pixels beyond the image; it is the mean over a cell's side, not over its area."""
    larger = np.float32(math.sqrt(cell))
    for part, side in ((values, height), (values.swapaxes(1, 2), width)):
        last = reach + int((side - 1) / cell + 0.5)
        part[:, :reach] = part[:, reach : reach + 1] * larger
        part[:, last + 1 :] = part[:, last : last + 1] * larger


def _smooth(values: Array, bell: list[float], axis: int) -> Array:
    """Return the weighted sum over neighbours along an axis, without the outermost values."""
    reach = len(bell) - 1
    length = values.shape[axis] - 2 * reach

    def shift(by: int) -> Array:
        part = slice(reach + by, reach + by + length)
        return values[:, part] if axis == 1 else values[:, :, part]

    total: Array = shift(0) * np.float32(bell[0])
    both = np.empty_like(total)
    for k in range(1, reach + 1):
        np.add(shift(-k), shift(k), out=both)
        both *= np.float32(bell[k])
        total += both
    return total
