"""Transforms that fill parts of an image, or change their places."""

from __future__ import annotations

from typing import Any

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import fires, only, pair_of, several_of

__all__ = [
    "CoarseDropout",
    "Cutout",
    "Erasing",
    "GridDropout",
    "PixelDropout",
    "RandomGridShuffle",
    "XYMasking",
]


def _fill(fill: Any) -> Any:
    if isinstance(fill, np.ndarray):
        fill = fill.tolist()
    if fill == "random":
        return "noise"
    if fill == "random_uniform":
        return "color"
    if isinstance(fill, str):
        raise ValueError(
            f"fill must be a number, 'random' or 'random_uniform', got {fill!r}: seedsafe does not inpaint"
        )
    return tuple(fill) if isinstance(fill, list) else fill


def CoarseDropout(
    num_holes_range: Any = None,
    hole_height_range: Any = None,
    hole_width_range: Any = None,
    fill: Any = 0,
    fill_mask: Any = None,
    p: float = 0.5,
    *,
    max_holes: int | None = None,
    max_height: Any = None,
    max_width: Any = None,
    min_holes: int | None = None,
    min_height: Any = None,
    min_width: Any = None,
    fill_value: Any = None,
    mask_fill_value: Any = None,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.CoarseDropout``; of ranges (2.x), or of the largest and smallest numbers (1.x)."""
    if isinstance(num_holes_range, int):  # the first three arguments of 1.x
        max_holes, num_holes_range = num_holes_range, None
        max_height = hole_height_range if max_height is None else max_height
        max_width = hole_width_range if max_width is None else max_width
        hole_height_range = hole_width_range = None
    old = any(one is not None for one in (max_holes, max_height, max_width, min_holes, min_height, min_width))
    num_holes_range = _upwards(num_holes_range, min_holes, max_holes, old)
    hole_height_range = _upwards(hole_height_range, min_height, max_height, old)
    hole_width_range = _upwards(hole_width_range, min_width, max_width, old)
    made = ss.CoarseDropout(
        pair_of((1, 2) if num_holes_range is None else num_holes_range),
        pair_of((0.1, 0.2) if hole_height_range is None else hole_height_range),
        pair_of((0.1, 0.2) if hole_width_range is None else hole_width_range),
        fill=_fill(fill if fill_value is None else fill_value),
        mask_fill=fill_mask if mask_fill_value is None else mask_fill_value,
    )
    return fires(made, p, always_apply)


def _upwards(given: Any, low: Any, high: Any, old: bool) -> Any:
    """Return a range, given as such or by its ends; without any, 8 where other ends are given, as in albumentations 1.x."""
    if given is not None:
        if low is not None or high is not None:
            raise ValueError(
                "CoarseDropout takes a range, or the largest and smallest number, got both: leave one out"
            )
        return given
    if high is None:
        high = 8 if old else None
    return None if high is None else (high if low is None else low, high)


def Cutout(
    num_holes: int = 8,
    max_h_size: int = 8,
    max_w_size: int = 8,
    fill_value: Any = 0,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.CoarseDropout`` of holes of one size, that may reach beyond the image (until albumentations 1.3)."""
    made = ss.CoarseDropout(num_holes, max_h_size, max_w_size, overhang=True, fill=_fill(fill_value))
    return fires(made, p, always_apply)


def Erasing(
    scale: Any = (0.02, 0.33),
    ratio: Any = (0.3, 3.3),
    fill: Any = 0,
    fill_mask: Any = None,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.RandomErasing``."""
    made = ss.RandomErasing(
        pair_of(scale), pair_of(ratio), fitting=True, fill=_fill(fill), mask_fill=fill_mask
    )
    return fires(made, p, always_apply)


def GridDropout(
    ratio: float = 0.5,
    random_offset: bool = True,
    unit_size_range: Any = None,
    holes_number_xy: Any = None,
    shift_xy: Any = (0, 0),
    fill: Any = 0,
    fill_mask: Any = None,
    p: float = 0.5,
    *,
    unit_size_min: int | None = None,
    unit_size_max: int | None = None,
    holes_number_x: int | None = None,
    holes_number_y: int | None = None,
    shift_x: int = 0,
    shift_y: int = 0,
    fill_value: Any = None,
    mask_fill_value: Any = None,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.GridDropout``."""
    for name, value in (
        ("holes_number_xy", holes_number_xy),
        ("holes_number_x", holes_number_x),
        ("holes_number_y", holes_number_y),
    ):
        only(name, value, None, "pass unit_size_range, the side of a cell in pixels")
    for name, value in (
        ("shift_xy", several_of("shift_xy", shift_xy)),
        ("shift_x", (shift_x, 0)),
        ("shift_y", (shift_y, 0)),
    ):
        only(name, value, (0, 0), "pass random_offset=True, or leave it out")
    if unit_size_min is not None and unit_size_max is not None:
        unit_size_range = (unit_size_min, unit_size_max)
    made = ss.GridDropout(
        ratio,
        None if unit_size_range is None else pair_of(unit_size_range),
        shifted=random_offset,
        fill=_fill(fill if fill_value is None else fill_value),
        mask_fill=fill_mask if mask_fill_value is None else mask_fill_value,
    )
    return fires(made, p, always_apply)


def XYMasking(
    num_masks_x: Any = 0,
    num_masks_y: Any = 0,
    mask_x_length: Any = 0,
    mask_y_length: Any = 0,
    fill: Any = 0,
    fill_mask: Any = None,
    p: float = 0.5,
    *,
    fill_value: Any = None,
    mask_fill_value: Any = None,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.XYMasking``."""
    made = ss.XYMasking(
        pair_of(num_masks_x),
        pair_of(num_masks_y),
        width=_length(mask_x_length),
        height=_length(mask_y_length),
        fill=_fill(fill if fill_value is None else fill_value),
        mask_fill=fill_mask if mask_fill_value is None else mask_fill_value,
    )
    return fires(made, p, always_apply)


def _length(value: Any) -> tuple[int, int]:
    return (0, value) if isinstance(value, int) else pair_of(value)


def RandomGridShuffle(grid: Any = (3, 3), p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.GridShuffle``."""
    return fires(ss.GridShuffle(several_of("grid", grid), uneven="drawn"), p, always_apply)


def PixelDropout(
    dropout_prob: float = 0.01,
    per_channel: bool = False,
    drop_value: Any = 0,
    mask_drop_value: Any = None,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.PixelDropout``."""
    if drop_value is None:
        raise ValueError("drop_value=None, a random value for each pixel, is not supported: pass a number")
    made = ss.PixelDropout(dropout_prob, per_channel=per_channel, fill=drop_value, mask_fill=mask_drop_value)
    return fires(made, p, always_apply)
