"""Transforms that fill or shuffle parts of images."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import only, pair_of, several_of, upward
from seedsafe_albumentations.table import Row, Rule

__all__ = ["ROWS"]


def _fill(value: Any, name: str) -> Any:
    """Return a number, one for each channel, or seedsafe's name of a random fill."""
    fill = value.tolist() if isinstance(value, np.ndarray) else value
    words = {"random": "noise", "random_uniform": "color"}
    if isinstance(fill, str):
        if fill not in words:
            raise ValueError(
                f"{name} must be a number, 'random' or 'random_uniform', got {value!r}: pass one of these, seedsafe does not "
                "inpaint"
            )
        return words[fill]
    return tuple(fill) if isinstance(fill, list) else fill


_FILLS: Final[dict[str, Rule]] = {"fill": _fill, "fill_mask": "mask_fill"}


def _coarse(
    num_holes_range: Any,
    hole_height_range: Any,
    hole_width_range: Any,
    max_holes: Any,
    max_height: Any,
    max_width: Any,
    min_holes: Any,
    min_height: Any,
    min_width: Any,
    **fills: Any,
) -> Any:
    if isinstance(num_holes_range, int):  # the first three arguments of 1.x
        max_holes, num_holes_range = num_holes_range, None
        max_height = hole_height_range if max_height is None else max_height
        max_width = hole_width_range if max_width is None else max_width
        hole_height_range = hole_width_range = None
    old = any(one is not None for one in (max_holes, max_height, max_width, min_holes, min_height, min_width))
    sides = (
        _range_of("num_holes_range", num_holes_range, min_holes, max_holes, old, (1, 2)),
        _range_of("hole_height_range", hole_height_range, min_height, max_height, old, (0.1, 0.2)),
        _range_of("hole_width_range", hole_width_range, min_width, max_width, old, (0.1, 0.2)),
    )
    return ss.CoarseDropout(*sides, **fills)


def _range_of(name: str, ends: Any, low: Any, high: Any, old: bool, default: Any) -> Any:
    """Return a range from `ends` (2.x) or from `low` and `high` (1.x, where `high` is 8 by default)."""
    if ends is not None and (low is not None or high is not None):
        raise ValueError(
            "CoarseDropout takes a range, or the largest and smallest number, got both: leave one out"
        )
    if ends is None:
        high = 8 if high is None and old else high
        ends = default if high is None else (high if low is None else low, high)
    return pair_of(ends, name)


def _unit(ratio: Any, unit_size_range: Any, unit_size_min: Any, unit_size_max: Any, **options: Any) -> Any:
    if unit_size_min is not None and unit_size_max is not None:
        unit_size_range = (unit_size_min, unit_size_max)
    unit = None if unit_size_range is None else pair_of(unit_size_range, "unit_size_range")
    return ss.GridDropout(ratio, unit, **options)


def _drop_value(value: Any, name: str) -> Any:
    if value is None:
        raise ValueError(f"{name}=None, a random value for each pixel, is not supported: pass a number")
    return value


_CELLS: Final = only(None, "pass unit_size_range, the side of a cell in pixels")
_LENGTH: Final = upward(0, whole=True)
_SHIFT: Final = "pass random_offset=True, or leave it out"

ROWS: Final = {
    "CoarseDropout": Row(
        ss.CoarseDropout,
        "num_holes_range=None, hole_height_range=None, hole_width_range=None, fill=0, fill_mask=None, p=0.5, *, "
        "max_holes=None, max_height=None, max_width=None, min_holes=None, min_height=None, min_width=None, "
        "fill_value=None, mask_fill_value=None",
        _FILLS,
        " for ranges (2.x), or for the largest and smallest numbers (1.x)",
        _coarse,
    ),
    "Cutout": Row(
        ss.CoarseDropout,
        "num_holes=8, max_h_size=8, max_w_size=8, fill_value=0, p=0.5",
        {"num_holes": "count", "max_h_size": "height", "max_w_size": "width", "fill": _fill},
        " with holes of one size, which may reach beyond the image (until albumentations 1.3)",
        lambda **options: ss.CoarseDropout(**options, overhang=True),
    ),
    "Erasing": Row(
        ss.RandomErasing,
        "scale=(0.02, 0.33), ratio=(0.3, 3.3), fill=0, fill_mask=None, p=0.5",
        {"scale": pair_of, "ratio": pair_of, **_FILLS},
        build=lambda **options: ss.RandomErasing(**options, fitting=True),
    ),
    "GridDropout": Row(
        ss.GridDropout,
        "ratio=0.5, random_offset=True, unit_size_range=None, holes_number_xy=None, shift_xy=(0, 0), fill=0, "
        "fill_mask=None, p=0.5, *, unit_size_min=None, unit_size_max=None, holes_number_x=None, holes_number_y=None, "
        "shift_x=0, shift_y=0, fill_value=None, mask_fill_value=None",
        {
            "holes_number_xy": _CELLS,
            "holes_number_x": _CELLS,
            "holes_number_y": _CELLS,
            "shift_xy": only((0, 0), _SHIFT, several_of),
            "shift_x": only(0, _SHIFT),
            "shift_y": only(0, _SHIFT),
            "random_offset": "shifted",
            **_FILLS,
        },
        build=_unit,
    ),
    "XYMasking": Row(
        ss.XYMasking,
        "num_masks_x=0, num_masks_y=0, mask_x_length=0, mask_y_length=0, fill=0, fill_mask=None, p=0.5, *, "
        "fill_value=None, mask_fill_value=None",
        {
            "num_masks_x": ("columns", pair_of),
            "num_masks_y": ("rows", pair_of),
            "mask_x_length": ("width", _LENGTH),
            "mask_y_length": ("height", _LENGTH),
            **_FILLS,
        },
    ),
    "RandomGridShuffle": Row(
        ss.GridShuffle,
        "grid=(3, 3), p=0.5",
        {"grid": several_of},
        build=lambda grid: ss.GridShuffle(grid, uneven="drawn"),
    ),
    "PixelDropout": Row(
        ss.PixelDropout,
        "dropout_prob=0.01, per_channel=False, drop_value=0, mask_drop_value=None, p=0.5",
        {"dropout_prob": "share", "drop_value": ("fill", _drop_value), "mask_drop_value": "mask_fill"},
    ),
}
