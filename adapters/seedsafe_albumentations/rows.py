"""Boxes and keypoints of a call, perhaps under several names, as one array of rows for seedsafe, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Rows", "labels_of"]


class Rows:
    """The rows that a call has under some names.

    Args:
        data: the call's arguments.
        names: of the arguments that hold rows, one at least.
        count: how many columns seedsafe takes; what else is in a row comes back as it is.

    Raises:
        ValueError: a row is too short, or its first columns are not numbers.
    """

    def __init__(self, data: dict[str, Any], names: list[str], count: int) -> None:
        self.names = names
        self._given = [data[name] for name in names]
        blocks = [_columns(name, data[name], count) for name in names]
        self._more = [more for _, more in blocks]
        self._begins = np.cumsum([0, *(len(first) for first, _ in blocks)]).tolist()
        self.first = np.concatenate([first for first, _ in blocks])
        """The first columns of all rows, float64."""

    def __len__(self) -> int:
        return len(self.first)

    def returned(self, first: Any, rows: Any) -> tuple[dict[str, Any], Any]:
        """Return the rows under their names, in the form in which they were given, and which of the first name's are kept.

        Args:
            first: the first columns of the rows that are kept.
            rows: their numbers.
        """
        out: dict[str, Any] = {}
        kept = []
        for k, name in enumerate(self.names):
            chosen = (rows >= self._begins[k]) & (rows < self._begins[k + 1])
            numbers = (rows[chosen] - self._begins[k]).tolist()
            kept.append(numbers)
            out[name] = _as_given(first[chosen], [self._more[k][row] for row in numbers], self._given[k])
        return out, kept[0]


def labels_of(fields: Any, data: dict[str, Any], what: str, rows: Rows) -> dict[str, Any]:
    """Return the label fields of a call.

    Raises:
        ValueError: one is not in the call, has another length, or it is not clear which rows it is of.
    """
    found: dict[str, Any] = {}
    for name in fields or ():
        if name not in data:
            raise ValueError(f"{name!r} is a label field of {what}, but was not passed: pass {name}=")
        if rows.names != [what]:
            raise ValueError(
                f"label_fields name {name!r}, which would belong to all of {rows.names}: put labels into the rows instead"
            )
        if len(data[name]) != len(rows):
            raise ValueError(
                f"{name!r} must have one element for each of the {len(rows)} {what}, got {data[name]!r}"
            )
        found[name] = data[name]
    return found


def _columns(name: str, rows: Any, count: int) -> tuple[Any, list[Any]]:
    """Return the first columns of boxes or keypoints as floats, and what else is in each row."""
    if isinstance(rows, np.ndarray):
        if not rows.size:
            return np.zeros((0, count)), []
        if rows.ndim != 2 or rows.shape[1] < count:
            raise ValueError(f"{name} must have the shape (N, {count} or more), got {rows.shape}: reshape it")
        return rows[:, :count].astype(np.float64), [row[count:].tolist() for row in rows]
    given = [list(row) for row in rows]
    if any(len(row) < count for row in given):
        raise ValueError(f"{name} must have {count} or more numbers in each row, got {rows!r}")
    return np.array([row[:count] for row in given], np.float64).reshape(-1, count), [
        row[count:] for row in given
    ]


def _as_given(first: Any, more: list[Any], given: Any) -> Any:
    """Return rows in the form in which they were given: an array, or a list of lists."""
    if not isinstance(given, np.ndarray):
        return [[*row, *rest] for row, rest in zip(first.tolist(), more, strict=True)]
    width = given.shape[1] if given.ndim == 2 else first.shape[1]
    result = np.zeros((len(first), max(width, first.shape[1])), np.result_type(first, given.dtype))
    result[:, : first.shape[1]] = first
    result[:, first.shape[1] :] = np.array(more, result.dtype).reshape(len(first), -1) if more else 0
    return result.astype(given.dtype) if given.dtype.kind == "f" else result
