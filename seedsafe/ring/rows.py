"""Rows: samples written straight into their batch."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from seedsafe.ground.info import is_masked
from seedsafe.ground.process import is_worker
from seedsafe.ground.tree import mapped
from seedsafe.ring.arrays import Part, empty, new_part
from seedsafe.ring.writer import Send

__all__ = ["Rows", "batch_at", "is_plain", "pointer_of", "rows_at"]

_SMALL: Final = 1 << 15
"""Arrays of fewer bytes get no row: the allocator reuses their memory anyway, and stacking them is cheap."""


class _Column(NamedTuple):
    """The memory of one part of all samples of a batch."""

    memory: npt.NDArray[np.uint8]
    shape: tuple[int, ...]
    dtype: Any
    nbytes: int

    def row(self, number: int) -> npt.NDArray[np.uint8]:
        """Return the bytes of one sample's array."""
        return self.memory[number * self.nbytes : (number + 1) * self.nbytes]


class Rows:
    """Writes the arrays of each sample into the rows of columns, with one column for each array of a sample.

    `place` returns an equal sample whose arrays lie in the batch, so the memory of its argument is free for the next
    sample. Arrays whose shape or dtype differs from the first sample's stay where they are. So do small arrays, and arrays
    in containers other than dict, list, tuple and named tuples.

    Args:
        count: the largest number of samples.
        travels: whether a worker makes the batch for the process that started it. The default is `is_worker()`.

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
        """Whether the first sample had no array for a row."""
        self._offer: npt.NDArray[Any] | None = None

    def offer(self) -> npt.NDArray[Any] | None:
        """Return the next row as a buffer for the caller to fill, or None.

        The row is that of the next sample's first array. If the next sample begins with this buffer, it is not copied. It
        may begin with another array as well. In a worker the result is None.

        Example:
            >>> rows = Rows(2)
            >>> first = rows.place(np.zeros((96, 96), np.float32))
            >>> row = rows.offer()
            >>> row[...] = 1
            >>> rows.place(row) is row, batch_at([first, row])[:, 0, 0].tolist()
            (True, [0.0, 1.0])
        """
        ready = self._columns and not self._travels and self._row < self._count
        column = self._columns[0] if ready else None
        if column is None or not isinstance(column.dtype, np.dtype):
            return None
        self._offer = column.row(self._row).view(column.dtype).reshape(column.shape)
        return self._offer

    def room(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return memory to fill with one part of all samples at once."""
        small = math.prod(shape) * np.dtype(dtype).itemsize < _SMALL
        return np.empty(shape, dtype) if small else empty(shape, dtype, travels=self._travels)

    def place(self, sample: Any) -> Any:
        """Write a sample's arrays into the next row, and return the sample with the rows instead of them."""
        if self.idle:
            return sample
        if self._row >= self._count:
            raise ValueError(
                f"there are rows for {self._count} samples, got one more: pass the size of the batch as count"
            )
        self._part = 0
        result = mapped(self._place_part, sample)
        self._offer = None
        self._row += 1
        self.idle = not any(self._columns)
        return result

    def _place_part(self, part: Any) -> Any:
        nbytes = self.size(part)
        if nbytes is None:
            return part
        number = self._part
        self._part += 1
        if number == len(self._columns):
            self._columns.append(self._column(part, nbytes) if self._row == 0 else None)
        if part is self._offer and number == 0:
            return part
        column = self._columns[number]
        if column is None or column.dtype != part.dtype or column.shape != part.shape:
            return part
        return self.copy(part, column.row(self._row))

    def _column(self, part: Any, nbytes: int) -> _Column | None:
        if nbytes < _SMALL:
            return None
        parts = 1 + sum(column is not None for column in self._columns)
        column = new_part(nbytes * self._count, travels=self._travels, parts=parts)
        if column is None:
            return None
        _remember(column, nbytes)
        return _Column(column.memory, tuple(part.shape), part.dtype, nbytes)

    def size(self, part: Any) -> int | None:
        """Return the size of an array that can be a row, or None for anything else."""
        return part.nbytes or None if is_plain(part) else None

    def copy(self, part: Any, memory: npt.NDArray[np.uint8]) -> Any:
        """Copy an array into a row's memory, and return the copy."""
        row = memory.view(part.dtype).reshape(part.shape)
        row[...] = part
        return row


def is_plain(part: Any) -> bool:
    """Return whether a part is an array of numbers in this machine's byte order, with at least one axis."""
    if not isinstance(part, np.ndarray) or is_masked(part):
        return False
    return part.dtype.kind in "biufc" and part.dtype.isnative and part.ndim > 0


_live: Final[dict[int, tuple[weakref.ref[npt.NDArray[np.uint8]], Send | None, int]]] = {}
"""The columns of this process by the pointer to their first row, as long as an array lies over them: memory, sender, row's bytes."""


def _remember(column: Part, nbytes: int) -> None:
    pointer = pointer_of(column.memory)

    def forget(memory: Any) -> None:  # in any thread, when the next batch may lie there already
        live = _live.pop(pointer, None)
        if live is not None and live[0] is not memory:
            _live.setdefault(pointer, live)

    _live[pointer] = weakref.ref(column.memory, forget), column.send, nbytes


def pointer_of(array: npt.NDArray[Any]) -> int:
    """Return the pointer to an array's memory."""
    pointer: int = array.__array_interface__["data"][0]
    return pointer


def rows_at(parts: Sequence[Any], nbytes: int, pointer: Callable[[Any], int] = pointer_of) -> Part | None:
    """Return the column whose first rows are these contiguous parts, each of `nbytes`, or None if there is none."""
    first = pointer(parts[0])
    live = _live.get(first)
    if live is None or live[2] != nbytes:
        return None
    memory = live[0]()
    if memory is None or any(pointer(part) != first + row * nbytes for row, part in enumerate(parts)):
        return None
    return Part(memory, live[1])


def batch_at(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any] | None:
    """Return the batch whose rows are these arrays, without a copy, or None if they are not rows."""
    first = parts[0]
    if not all(is_plain(part) and part.flags.c_contiguous for part in parts):
        return None
    if any(part.dtype != first.dtype or part.shape != first.shape for part in parts):
        return None
    column = rows_at(parts, first.nbytes)
    return None if column is None else column.array(first.dtype, (len(parts), *first.shape))
