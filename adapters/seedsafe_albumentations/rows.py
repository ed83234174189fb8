"""A call's boxes or keypoints as one array."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

__all__ = ["FORMATS", "Rows", "labels_of", "split", "to_points", "to_rows"]


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
        self._originals = [
            rows if isinstance(rows, list | tuple) else np.asarray(rows) for rows in map(data.get, names)
        ]
        blocks = [_columns(name, rows, count) for name, rows in zip(names, self._originals, strict=True)]
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
    lists = [np.ravel(row).tolist() if isinstance(rows, np.ndarray) else list(row) for row in rows]
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


FORMATS: Final = ("xy", "yx", "xya", "xys", "xyas", "xysa")
"""Formats of keypoints: x, y, a for the angle, s for the scale."""

_STEP: Final = 0.0009765625  # 2**-10: a power of two, because adding it to a coordinate rounds little
_STEPS: Final = ((_STEP, 0.0), (0.0, _STEP))
"""The offsets of a keypoint's two further points, which carry its directions, in pixels."""


def split(rows: Any, format: str, degrees: bool) -> tuple[Any, Any, Any]:  # as in albumentations
    """Return x and y (N, 2), and angles in radians and scales (N,), or None if the format has none."""
    columns = {letter: rows[:, k] for k, letter in enumerate(format)}
    angles = columns.get("a")
    if angles is not None and degrees:
        angles = np.radians(angles)
    return np.stack([columns["x"], columns["y"]], axis=1), angles, columns.get("s")


def to_points(points: Any, angles: Any, scales: Any, marked: bool) -> Any:
    """Return points for seedsafe: the keypoints, and with angles or scales a point to the right of each and one below each.

    Args:
        points: the keypoints, (N, 2).
        angles: their angles, or None.
        scales: their scales, or None.
        marked: whether a third column marks the points in the image.
    """
    steps = ((0.0, 0.0),) if angles is scales is None else ((0.0, 0.0), *_STEPS)
    result = np.concatenate([points + np.array(step) for step in steps])
    return np.concatenate([result, np.ones((len(result), 1))], axis=1) if marked else result


def to_rows(moved: Any, points: Any, angles: Any, scales: Any, format: str, degrees: bool) -> Any:
    """Return moved keypoints in a format, (N, columns).

    An angle counts from the direction of x to that of y, as in albumentations, from 0 up to a full turn. A scale is multiplied by
    the larger of the factors along x and y.

    Args:
        moved: the points of `to_points`, moved.
        points: the original x and y, (N, 2).
        angles: the original angles, in radians, or None.
        scales: the original scales, or None.
        format: one of FORMATS.
        degrees: whether the result has angles in degrees.
    """
    count = len(points)
    columns = {"x": moved[:count, 0], "y": moved[:count, 1]}
    if angles is not None or scales is not None:
        # The rounded steps, so that nothing changes where nothing moved.
        along = (moved[count : 2 * count, :2] - moved[:count, :2]) / (points[:, :1] + _STEP - points[:, :1])
        down = (moved[2 * count :, :2] - moved[:count, :2]) / (points[:, 1:] + _STEP - points[:, 1:])
        still = np.abs(np.concatenate([along - (1.0, 0.0), down - (0.0, 1.0)], axis=1)).max(axis=1) < 1e-8
    if angles is not None:
        cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
        turned = along * cos + down * sin
        angles = np.where(still, angles, np.arctan2(turned[:, 1], turned[:, 0]))
        full = 360.0 if degrees else 2.0 * np.pi
        angles = (np.degrees(angles) if degrees else angles) % full
        columns["a"] = np.where(angles < full, angles, 0.0)  # -1e-17 % 360 is 360
    if scales is not None:
        larger = np.sqrt(np.maximum((along * along).sum(axis=1), (down * down).sum(axis=1)))
        columns["s"] = np.where(still, scales, scales * larger)
    return np.stack([columns[letter] for letter in format], axis=1).reshape(count, len(format))
