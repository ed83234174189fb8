"""A call's boxes or keypoints as one array."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Rows", "labels_of"]


class Rows:
    """The rows of boxes or keypoints that a call has under one or several names.

    Args:
        data: the call's arguments.
        names: the names of the arguments that hold rows, at least one.
        count: how many columns seedsafe takes; further columns come back unchanged.

    Raises:
        ValueError: a row is too short, or its first columns are not numbers.
    """

    def __init__(self, data: dict[str, Any], names: list[str], count: int) -> None:
        self.names = names
        self._originals = [data[name] for name in names]
        blocks = [_columns(name, data[name], count) for name in names]
        self._more = [more for _, more in blocks]
        self._begins = np.cumsum([0, *(len(first) for first, _ in blocks)]).tolist()
        self.first = np.concatenate([first for first, _ in blocks])
        """The first columns of all rows, float64."""

    def __len__(self) -> int:
        return len(self.first)

    def select(self, first: Any, rows: Any) -> tuple[dict[str, Any], Any]:
        """Return the kept rows by name, in the form of the call, and the numbers of those under the first name.

        Args:
            first: the first columns of the kept rows.
            rows: their numbers.
        """
        out: dict[str, Any] = {}
        kept = []
        for k, name in enumerate(self.names):
            chosen = (rows >= self._begins[k]) & (rows < self._begins[k + 1])
            numbers = (rows[chosen] - self._begins[k]).tolist()
            kept.append(numbers)
            out[name] = _like(first[chosen], [self._more[k][row] for row in numbers], self._originals[k])
        return out, kept[0]


def labels_of(fields: Any, data: dict[str, Any], what: str, rows: Rows) -> dict[str, Any]:
    """Return the label fields of a call.

    Raises:
        ValueError: one is not in the call, has the wrong length, or could belong to several names.
    """
    labels: dict[str, Any] = {}
    for name in fields or ():
        if name not in data:
            raise ValueError(f"{name!r} is a label field of {what}, but was not passed: pass {name}=")
        if rows.names != [what]:
            raise ValueError(
                f"label field {name!r} would belong to all of {rows.names}: put the labels into the rows instead"
            )
        if len(data[name]) != len(rows):
            raise ValueError(
                f"{name!r} must have one element for each of the {len(rows)} {what}, got {data[name]!r}: pass as many"
            )
        labels[name] = data[name]
    return labels


def _columns(name: str, rows: Any, count: int) -> tuple[Any, list[Any]]:
    """Return the first columns of boxes or keypoints as floats, and the rest of each row."""
    if isinstance(rows, np.ndarray):
        if not rows.size:
            return np.zeros((0, count)), []
        if rows.ndim != 2 or rows.shape[1] < count:
            raise ValueError(f"{name} must have the shape (N, {count} or more), got {rows.shape}: reshape it")
        return rows[:, :count].astype(np.float64), [row[count:].tolist() for row in rows]
    lists = [list(row) for row in rows]
    if any(len(row) < count for row in lists):
        raise ValueError(f"{name} must have {count} or more numbers in each row, got {rows!r}: add them")
    first = np.array([row[:count] for row in lists], np.float64).reshape(-1, count)
    return first, [row[count:] for row in lists]


def _like(first: Any, more: list[Any], original: Any) -> Any:
    """Return rows in the form of the original: an array, or a list of lists."""
    if not isinstance(original, np.ndarray):
        return [[*row, *rest] for row, rest in zip(first.tolist(), more, strict=True)]
    width = original.shape[1] if original.ndim == 2 else first.shape[1]
    result = np.zeros((len(first), max(width, first.shape[1])), np.result_type(first, original.dtype))
    result[:, : first.shape[1]] = first
    result[:, first.shape[1] :] = np.array(more, result.dtype).reshape(len(first), -1) if more else 0
    return result.astype(original.dtype) if original.dtype.kind == "f" else result
