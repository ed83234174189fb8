"""Keypoints with angles and sizes: their directions are carried along as further points."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

__all__ = ["FORMATS", "carried", "read", "written"]

FORMATS: Final = ("xy", "yx", "xya", "xys", "xyas", "xysa")
"""Formats of keypoints: x, y, a for the angle, s for the scale."""

_STEP: Final = 0.0009765625
_STEPS: Final = ((_STEP, 0.0), (0.0, _STEP))
"""How far from a keypoint the points lie that say what becomes of its directions, in pixels."""


def read(rows: Any, format: str, degrees: bool) -> tuple[Any, Any, Any]:  # albumentations' word
    """Return x and y (N, 2), and angles in radians and scales (N,), None where the format has none."""
    columns = {letter: rows[:, k] for k, letter in enumerate(format)}
    angles = columns.get("a")
    if angles is not None and degrees:
        angles = np.radians(angles)
    return np.stack([columns["x"], columns["y"]], axis=1), angles, columns.get("s")


def carried(points: Any, posed: bool, marked: bool) -> Any:
    """Return points for seedsafe: the keypoints, then, if they have an angle or a scale, a place beside each and one below.

    Args:
        points: (N, 2).
        posed: whether there are angles or scales.
        marked: whether a third column says what is in the image.
    """
    blocks = [points + np.array(step) for step in (((0.0, 0.0), *_STEPS) if posed else ((0.0, 0.0),))]
    result = np.concatenate(blocks)
    return np.concatenate([result, np.ones((len(result), 1))], axis=1) if marked else result


def written(made: Any, given: Any, angles: Any, scales: Any, format: str, degrees: bool) -> Any:
    """Return moved keypoints in a format, (N, columns).

    An angle counts from the direction of x to that of y, as albumentations has it, and is returned from 0 up to a full
    turn; a scale is multiplied by the larger of the factors along x and y.

    Args:
        made: what became of the points of `carried`.
        given: x and y as they were, (N, 2).
        angles: as they were, in radians, or None.
        scales: as they were, or None.
        format: one of FORMATS.
        degrees: whether angles are written in degrees.
    """
    count = len(given)
    columns = {"x": made[:count, 0], "y": made[:count, 1]}
    if angles is not None or scales is not None:
        # As computed with the given floats, so that where nothing moved nothing is changed.
        along = (made[count : 2 * count, :2] - made[:count, :2]) / (given[:, :1] + _STEP - given[:, :1])
        down = (made[2 * count :, :2] - made[:count, :2]) / (given[:, 1:] + _STEP - given[:, 1:])
        still = np.abs(np.concatenate([along - (1.0, 0.0), down - (0.0, 1.0)], axis=1)).max(axis=1) < 1e-8
    if angles is not None:
        cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
        turned = along * cos + down * sin
        angles = np.where(still, angles, np.arctan2(turned[:, 1], turned[:, 0]))
        full = 360.0 if degrees else 2.0 * np.pi
        angles = (np.degrees(angles) if degrees else angles) % full
        columns["a"] = np.where(angles < full, angles, 0.0)  # what is negative by rounding alone
    if scales is not None:
        larger = np.sqrt(np.maximum((along * along).sum(axis=1), (down * down).sum(axis=1)))
        columns["s"] = np.where(still, scales, scales * larger)
    return np.stack([columns[letter] for letter in format], axis=1).reshape(count, len(format))
