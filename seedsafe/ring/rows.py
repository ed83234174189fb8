"""Rows: samples are written, one by one, where their batch is to be."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from seedsafe.ground.info import is_masked
from seedsafe.ground.process import is_worker
from seedsafe.ring.arrays import Part, empty, new_part
from seedsafe.ring.writer import Lease

__all__ = ["Rows", "address_of", "batch_at", "is_plain", "rows_at"]

_SMALL: Final = 1 << 15
"""Arrays below so many bytes are not worth it: their memory is used again anyway, and putting them together is cheap."""


class _Column:
    """The arrays of one part of all samples of a batch."""

    __slots__ = ("dtype", "memory", "nbytes", "shape")

    def __init__(self, memory: npt.NDArray[np.uint8], part: Any, nbytes: int) -> None:
        self.memory = memory
        self.shape, self.dtype, self.nbytes = tuple(part.shape), part.dtype, nbytes

    def row(self, number: int) -> npt.NDArray[np.uint8]:
        """Return the bytes of a sample's array."""
        return self.memory[number * self.nbytes : (number + 1) * self.nbytes]


class Rows:
    """Takes samples as they are made and writes their arrays into the rows of columns, one for each array of a sample.

    A sample that comes back is equal to the one given, and its arrays lie where the batch is to be: so the memory of the
    one given can be used for the next. Arrays of another shape or dtype than those of the first sample stay as they are,
    and so do small ones and what is in containers other than dict, list, tuple and named tuples.

    Args:
        count: of samples, at most.
        travels: whether the batch is made in a worker, for the process that started it; by default `is_worker()` tells.

    Example:
        >>> rows = Rows(64)
        >>> samples = [rows.place((np.full((96, 96), i, np.float32), i)) for i in range(64)]
        >>> images = batch_at([image for image, _ in samples])  # nothing is copied here
        >>> images.shape, images[63, 0, 0].item(), samples[63][1]
        ((64, 96, 96), 63.0, 63)
    """

    def __init__(self, count: int, *, travels: bool | None = None) -> None:
        self._count, self._travels = count, is_worker() if travels is None else travels
        self._columns: list[_Column | None] = []
        self._row = self._part = 0
        self.idle = False
        """Whether the first sample had nothing worth it."""
        self._offered: npt.NDArray[Any] | None = None

    def offer(self) -> npt.NDArray[Any] | None:
        """Return the row of the next sample's first array, for whoever makes it to fill; None where there is none.

        There is none in a worker either, where it was measured to gain nothing.

        The sample that is placed next may begin with it, filled, and is not copied then; it may also be another one.

        Example:
            >>> rows = Rows(2)
            >>> first = rows.place(np.zeros((96, 96), np.float32))
            >>> row = rows.offer()
            >>> row[...] = 1
            >>> rows.place(row) is row, batch_at([first, row])[:, 0, 0].tolist()
            (True, [0.0, 1.0])
        """
        column = self._columns[0] if self._columns else None
        if (
            self._travels
            or column is None
            or self._row >= self._count
            or not isinstance(column.dtype, np.dtype)
        ):
            return None
        self._offered = column.row(self._row).view(column.dtype).reshape(column.shape)
        return self._offered

    def room(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return memory for the arrays of one part of all samples at once, to fill."""
        small = math.prod(shape) * np.dtype(dtype).itemsize < _SMALL
        return np.empty(shape, dtype) if small else empty(shape, dtype, travels=self._travels)

    def place(self, sample: Any) -> Any:
        """Return a sample whose arrays lie in the next row."""
        if self.idle:
            return sample
        if self._row >= self._count:
            raise ValueError(
                f"there are rows for {self._count} samples, and this is one more: pass the batch's size"
            )
        self._part = 0
        result = self._placed(sample)
        self._offered = None
        self._row += 1
        self.idle = not any(self._columns)
        return result

    def _placed(self, part: Any) -> Any:
        kind = type(part)
        if kind is dict:
            return {name: self._placed(value) for name, value in part.items()}
        if kind is tuple or kind is list:
            return kind([self._placed(value) for value in part])
        if isinstance(part, tuple) and hasattr(part, "_fields"):
            return type(part)(*(self._placed(value) for value in part))
        nbytes = self.size(part)
        return part if nbytes is None else self._in_row(part, nbytes)

    def _in_row(self, part: Any, nbytes: int) -> Any:
        number = self._part
        self._part += 1
        if number == len(self._columns):
            self._columns.append(self._column(part, nbytes) if self._row == 0 else None)
        if part is self._offered and number == 0:
            return part
        column = self._columns[number]
        if column is None or column.dtype != part.dtype or column.shape != part.shape:
            return part
        return self.copied(part, column.row(self._row))

    def _column(self, part: Any, nbytes: int) -> _Column | None:
        if nbytes < _SMALL:
            return None
        parts = 1 + sum(column is not None for column in self._columns)
        column = new_part(nbytes * self._count, travels=self._travels, parts=parts)
        if column is None:
            return None
        _remember(column, nbytes)
        return _Column(column.memory, part, nbytes)

    def size(self, part: Any) -> int | None:
        """Return the bytes of an array that can be a row; None for anything else."""
        return part.nbytes or None if is_plain(part) else None

    def copied(self, part: Any, memory: npt.NDArray[np.uint8]) -> Any:
        """Return a copy of an array in a row's memory."""
        row = memory.view(part.dtype).reshape(part.shape)
        row[...] = part
        return row


def is_plain(part: Any) -> bool:
    """Return whether a part is an array of numbers, in this machine's byte order, with at least one axis."""
    if not isinstance(part, np.ndarray) or is_masked(part):
        return False
    return part.dtype.kind in "biufc" and part.dtype.isnative and part.ndim > 0


class _Rows(NamedTuple):
    memory: weakref.ref[npt.NDArray[np.uint8]]
    lease: Lease | None
    nbytes: int


_begun: dict[int, _Rows] = {}
"""The columns of this process by the address of their first row, as long as an array lies over them."""


def _remember(column: Part, nbytes: int) -> None:
    address = address_of(column.memory)

    def forget(memory: Any) -> None:  # in any thread, when the next batch may lie there already
        rows = _begun.pop(address, None)
        if rows is not None and rows.memory is not memory:
            _begun.setdefault(address, rows)

    _begun[address] = _Rows(weakref.ref(column.memory, forget), column.lease, nbytes)


def address_of(array: npt.NDArray[Any]) -> int:
    """Return where an array's memory begins."""
    address: int = array.__array_interface__["data"][0]
    return address


def rows_at(parts: Sequence[Any], nbytes: int, address: Callable[[Any], int] = address_of) -> Part | None:
    """Return the column whose first rows these contiguous parts are, of so many bytes each; None if there is none."""
    first = address(parts[0])
    rows = _begun.get(first)
    if rows is None or rows.nbytes != nbytes:
        return None
    memory = rows.memory()
    if memory is None or any(address(part) != first + row * nbytes for row, part in enumerate(parts)):
        return None
    return Part(memory, rows.lease)


def batch_at(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any] | None:
    """Return the batch whose rows these arrays are, without copying them; None if they are not."""
    first = parts[0]
    if not all(is_plain(part) and part.flags.c_contiguous for part in parts):
        return None
    if any(part.dtype != first.dtype or part.shape != first.shape for part in parts):
        return None
    column = rows_at(parts, first.nbytes)
    return None if column is None else column.array(first.dtype, (len(parts), *first.shape))
