"""Keypoints with angles and scales, as points.

Two more points beside each keypoint carry its directions.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

__all__ = ["FORMATS", "split", "to_points", "to_rows"]

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


def to_points(points: Any, posed: bool, marked: bool) -> Any:
    """Return points for seedsafe: the keypoints, and if `posed`, a point to the right of each and one below each.

    Args:
        points: the keypoints, (N, 2).
        posed: whether there are angles or scales.
        marked: whether a third column marks the points in the image.
    """
    blocks = [points + np.array(step) for step in (((0.0, 0.0), *_STEPS) if posed else ((0.0, 0.0),))]
    result = np.concatenate(blocks)
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
