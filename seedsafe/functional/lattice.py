"""Displacements that are given on a lattice: flat on triangles, or bent over cells; and one made of noise."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from seedsafe.ground.info import Array
from seedsafe.keys.decisions import exponential
from seedsafe.keys.draws import normal_quantiles, sixteenths
from seedsafe.keys.key import Address

__all__ = ["Folded", "Sheet", "elastic_sheet"]


class _Lattice:
    """Displacements in x and y at the corners of equal cells, float64, (rows, columns), at least 2 of each.

    Args:
        across: in x.
        down: in y.
        origin: x and y of the first corner.
        cell: width and height of a cell.
    """

    def __init__(
        self, across: Array, down: Array, origin: tuple[float, float], cell: tuple[float, float]
    ) -> None:
        self._known = across, down
        self._last_row, self._last_column = across.shape[0] - 2, across.shape[1] - 2
        self._origin, self._cell = origin, cell

    def _place(self, x: Array, y: Array) -> tuple[Array, Array, Array, Array]:
        """Return the cells' columns and rows, and where in the cells the places lie.

        Beyond the outermost they go on for a cell; farther out the displacement stays, so that the way back is found.
        """
        u = np.clip((x - self._origin[0]) / self._cell[0], -1.0, self._last_column + 2.0)
        v = np.clip((y - self._origin[1]) / self._cell[1], -1.0, self._last_row + 2.0)
        column = np.minimum(np.maximum(np.floor(u), 0.0), self._last_column)
        row = np.minimum(np.maximum(np.floor(v), 0.0), self._last_row)
        return column.astype(np.intp), row.astype(np.intp), u - column, v - row


class Folded(_Lattice):
    """A Field whose displacements are planes over the two triangles of each cell of a lattice. Exact on every machine.

    Args:
        across: displacements in x at the corners of equal cells, float64, (rows, columns), at least 2 of each.
        down: those in y.
        origin: x and y of the first corner.
        cell: width and height of a cell.

    Example:
        >>> field = Folded(np.array([[0.0, 4.0], [0.0, 4.0]]), np.zeros((2, 2)), (0.0, 0.0), (10.0, 10.0))
        >>> x, y = field(np.array([5.0]), np.array([1.0]))
        >>> x.tolist(), y.tolist()
        ([7.0], [1.0])
    """

    def __call__(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Return the places that are displaced from others."""
        column, row, u, v = self._place(x, y)
        lower = u + v > 1.0
        # The corner that only one of the triangles has, and the ways from it along the cell's sides.
        u, v = np.where(lower, 1.0 - u, u), np.where(lower, 1.0 - v, v)
        width = self._known[0].shape[1]
        corner = row * width + column + lower * (width + 1)
        way = np.where(lower, -1, 1)
        right, below = corner + way, corner + way * width
        moved = []
        for given, known in zip((x, y), self._known, strict=True):
            at_corner = known.take(corner)
            across, down = known.take(right), known.take(below)
            across -= at_corner
            across *= u
            at_corner += across
            down -= known.take(corner, out=across)
            down *= v
            at_corner += down
            moved.append(given + at_corner)
        return moved[0], moved[1]


class Sheet(_Lattice):
    """A Field whose displacements are bilinear over the cells of a lattice; see Folded. Exact on every machine.

    Example:
        >>> field = Sheet(np.array([[0.0, 4.0], [0.0, 0.0]]), np.zeros((2, 2)), (0.0, 0.0), (10.0, 10.0))
        >>> field(np.array([5.0]), np.array([5.0]))[0].tolist()
        [6.0]
    """

    def __call__(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Return the places that are displaced from others."""
        column, row, u, v = self._place(x, y)
        u, v = u.astype(np.float32), v.astype(np.float32)  # as fine as displacements are, and twice as fast
        if x.ndim == 2 and x.shape[0] == 1 and y.shape[1] == 1:  # whole rows, looked up row by row
            lines = row[:, 0]
            sides = [known[lines] + v * (known[lines + 1] - known[lines]) for known in self._known]
            dx, dy = (_between(side[:, column[0]], side[:, column[0] + 1], u) for side in sides)
        else:
            dx, dy = (
                _between(
                    known[row, column] + v * (known[row + 1, column] - known[row, column]),
                    known[row, column + 1] + v * (known[row + 1, column + 1] - known[row, column + 1]),
                    u,
                )
                for known in self._known
            )
        return x + dx, y + dy


def _between(left: Array, right: Array, share: Array) -> Array:
    """Return what lies between two values; both are used up."""
    right -= left
    right *= share
    left += right
    return left


_REACH: Final = 3.0
"""Standard deviations after which the bell curve ends."""


def elastic_sheet(
    noise: Address, height: int, width: int, alpha: float, sigma: float, *, same: bool, repeat: bool = False
) -> Sheet:
    """Return displacements made of noise in [-1, 1], smoothed and multiplied by a number. Exact on every machine.

    The noise stands on a lattice two of whose cells are a standard deviation of the smoothing wide, one pixel at least:
    between its corners there is little to see, and a wide smoothing costs no more than a narrow one.

    Args:
        noise: the address of its words; the first values are those in x.
        height: of the image, in pixels.
        width: of the image, in pixels.
        alpha: what the smoothed noise is multiplied by, in pixels.
        sigma: the smoothing's standard deviation, in pixels.
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
    total = bell[0] + 2.0 * sum(bell[1:])
    shape = int((height - 1) / cell) + 2 + 2 * reach, int((width - 1) / cell) + 2 + 2 * reach
    count = shape[0] * shape[1]
    values = normal_quantiles()[sixteenths(noise, count if same else 2 * count)].astype(np.float32)
    values = values.reshape(-1, *shape)
    if repeat:
        _repeat_edges(values, reach, cell, height, width)
    smooth = _smoothed(_smoothed(values, bell, 1), bell, 2)
    # The mean of a cell's pixels is nearer to zero than each of them.
    smooth *= np.float32(alpha / (4.325 * cell * total * total))
    return Sheet(smooth[0], smooth[-1], (0.0, 0.0), (cell, cell))


def _repeat_edges(values: Array, reach: int, cell: float, height: int, width: int) -> None:
    """Put the noise of the outermost pixels where the image has ended: a mean over a cell's side, not its whole area."""
    larger = np.float32(math.sqrt(cell))
    for part, side in ((values, height), (values.swapaxes(1, 2), width)):
        last = reach + int((side - 1) / cell + 0.5)
        part[:, :reach] = part[:, reach : reach + 1] * larger
        part[:, last + 1 :] = part[:, last : last + 1] * larger


def _smoothed(values: Array, bell: list[float], axis: int) -> Array:
    """Return the sum over neighbours along an axis, each times its weight, without the outermost values."""
    reach = len(bell) - 1
    length = values.shape[axis] - 2 * reach

    def shifted(by: int) -> Array:
        part = slice(reach + by, reach + by + length)
        return values[:, part] if axis == 1 else values[:, :, part]

    total: Array = shifted(0) * np.float32(bell[0])
    both = np.empty_like(total)
    for k in range(1, reach + 1):
        np.add(shifted(-k), shifted(k), out=both)
        both *= np.float32(bell[k])
        total += both
    return total
