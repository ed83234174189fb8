"""Transforms that fill or shuffle parts of images."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import ends_of, pair_of, several_of, upward, word_of
from seedsafe_albumentations.table import Row, Rule

__all__ = ["ROWS"]


_random: Final = word_of({"random": "noise", "random_uniform": "color"}, "pass a number or one of these")


def _fill(value: Any, name: str) -> Any:
    """Return a number, one for each channel, or seedsafe's name of a random fill."""
    if isinstance(value, str):
        return _random(value, name)
    return tuple(np.asarray(value).tolist()) if isinstance(value, list | np.ndarray) else value


_FILLS: Final[dict[str, Rule]] = {"fill": _fill, "fill_mask": "mask_fill"}


def _coarse(**options: Any) -> Any:
    """Return the holes for the largest and smallest numbers of 1.x, where a range of 2.x replaces them."""
    sides = []
    for side, name in (("holes", "num_holes"), ("height", "hole_height"), ("width", "hole_width")):
        high, low, ends = (options.pop(one) for one in (f"max_{side}", f"min_{side}", f"{name}_range"))
        sides.append(pair_of((high if low is None else low, high) if ends is None else ends, f"{name}_range"))
    return ss.CoarseDropout(*sides, **options)


_LENGTH: Final = upward(0, whole=True)

ROWS: Final = {
    "CoarseDropout": Row(
        ss.CoarseDropout,
        "num_holes_range=(1, 2), hole_height_range=(0.1, 0.2), hole_width_range=(0.1, 0.2), fill=0, fill_mask=None, p=0.5",
        {
            "num_holes_range": ("count", ends_of),
            "hole_height_range": ("height", pair_of),
            "hole_width_range": ("width", pair_of),
            **_FILLS,
        },
        " for ranges (2.x), or for the largest and smallest numbers (1.x)",
        older=Row(
            ss.CoarseDropout,
            "max_holes=8, max_height=8, max_width=8, min_holes=None, min_height=None, min_width=None, fill=0, fill_mask=None, "
            "p=0.5, *, num_holes_range=None, hole_height_range=None, hole_width_range=None",
            _FILLS,
            build=_coarse,
        ),
    ),
    "Cutout": Row(
        ss.CoarseDropout,
        "num_holes=8, max_h_size=8, max_w_size=8, fill=0, p=0.5",
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
        "fill_mask=None, p=0.5",
        {
            **dict.fromkeys(("holes_number_xy", "shift_xy")),
            "unit_size_range": ("unit", lambda value, name: None if value is None else pair_of(value, name)),
            "random_offset": "shifted",
            **_FILLS,
        },
        then="ratio unit_size_min unit_size_max holes_number_x holes_number_y shift_x shift_y random_offset fill_value "
        "mask_fill_value p",
    ),
    "XYMasking": Row(
        ss.XYMasking,
        "num_masks_x=0, num_masks_y=0, mask_x_length=0, mask_y_length=0, fill=0, fill_mask=None, p=0.5",
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
        {"dropout_prob": "share", "drop_value": "fill", "mask_drop_value": "mask_fill"},
    ),
}
