"""Crops, with and without a resize."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import seedsafe as ss
from seedsafe_albumentations.arguments import number_of, pair_of, several_of
from seedsafe_albumentations.table import Row, Rule

__all__ = ["ROWS"]


def _sized(kind: Any, first: str, options: str, rules: Mapping[str, Rule]) -> Row:
    """Return the row of a crop that is resized: to a size (2.x), or to a height and a width (1.x)."""
    more = f"{options}, mask_interpolation=0, area_for_downscale=None, p=1.0"
    older = Row(kind, f"{first}height, width, {more}", rules)
    note = " for a size (2.x), or for a height and a width (1.x)"
    return Row(kind, f"{first}size, {more}", {"size": several_of, **rules}, note, older=older)


def _crop(x_min: int, y_min: int, x_max: int, y_max: int) -> Any:
    return ss.Crop(y_min, x_min, y_max - y_min, x_max - x_min)


def _to_size(kind: Any) -> Row:
    """Return the row of a crop to a fixed size."""
    return Row(
        kind,
        "height, width, pad_if_needed=False, pad_position='center', border_mode=0, fill=0, fill_mask=0, p=1.0",
        {"pad_position": None},
    )


ROWS: Final = {
    "RandomResizedCrop": _sized(
        ss.RandomResizedCrop,
        "",
        "scale=(0.08, 1.0), ratio=(0.75, 1.3333333333333333), interpolation=1",
        {"scale": pair_of, "ratio": pair_of},
    ),
    "RandomSizedCrop": _sized(
        ss.RandomSizedCrop,
        "min_max_height, ",
        "w2h_ratio=1.0, interpolation=1",
        {"min_max_height": ("heights", pair_of), "w2h_ratio": "ratio"},
    ),
    "RandomCrop": _to_size(ss.RandomCrop),
    "CenterCrop": _to_size(ss.CenterCrop),
    "Crop": Row(
        ss.Crop,
        "x_min=0, y_min=0, x_max=1024, y_max=1024, pad_if_needed=False, pad_position='center', border_mode=0, fill=0, fill_mask=0, "
        "p=1.0",
        {
            **dict.fromkeys(("pad_position", "border_mode", "fill", "fill_mask"), ""),
            "pad_if_needed": None,
            **dict.fromkeys(("x_min", "y_min", "x_max", "y_max"), number_of),
        },
        build=_crop,
    ),
    "CropAndPad": Row(
        ss.CropAndPad,
        "px=None, percent=None, keep_size=True, sample_independently=True, interpolation=1, mask_interpolation=0, "
        "border_mode=0, fill=0, fill_mask=0, p=1.0",
        {"fill": number_of},
        then="px percent pad_mode pad_cval pad_cval_mask keep_size sample_independently interpolation p",
    ),
    "IAACropAndPad": Row(
        ss.CropAndPad,
        "px=None, percent=None, border_mode='constant', fill=0, keep_size=True, p=1.0",
        {"fill": number_of},
    ),
    "RandomCropFromBorders": Row(
        ss.RandomCropFromBorders,
        "crop_left=0.1, crop_right=0.1, crop_top=0.1, crop_bottom=0.1, p=1.0",
    ),
    "RandomSizedBBoxSafeCrop": Row(
        ss.BBoxSafeCrop,
        "height, width, erosion_rate=0.0, interpolation=1, mask_interpolation=0, p=1.0",
        note=" with a size",
    ),
    "BBoxSafeRandomCrop": Row(ss.BBoxSafeCrop, "erosion_rate=0.0, p=1.0"),
    "CropNonEmptyMaskIfExists": Row(
        ss.CropNonEmptyMask,
        "height, width, ignore_values=None, ignore_channels=None, p=1.0",
        dict.fromkeys(
            ("ignore_values", "ignore_channels"),
            lambda value, name: several_of(() if value is None else value, name),
        ),
    ),
}
