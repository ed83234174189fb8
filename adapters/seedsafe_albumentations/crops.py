"""Crops, with and without a resize."""

from __future__ import annotations

from typing import Any, Final

import seedsafe as ss
from seedsafe_albumentations.arguments import (
    interpolation_of,
    number_of,
    only,
    pair_of,
    several_of,
    without_effect,
)
from seedsafe_albumentations.geometry import BORDERS
from seedsafe_albumentations.table import Row

__all__ = ["ROWS"]


def _resized_crop(size: Any, positional: Any, height: Any, width: Any, options: dict[str, Any]) -> Any:
    values = list(positional)
    if height is None and width is None and isinstance(size, int):
        if not values or not isinstance(values[0], int):
            raise ValueError(f"size must be (height, width), got {size!r}: pass size=({size}, {size})")
        size = (size, values.pop(0))
    elif size is None:
        if height is None or width is None:
            raise ValueError(
                f"RandomResizedCrop needs both sides, got height={height!r}, width={width!r}: pass size=(height, width)"
            )
        size = (height, width)
    elif width is not None or height is not None:
        if not isinstance(size, int) or height is not None:
            raise ValueError(
                f"RandomResizedCrop takes size, or height and width, got size={size!r}, height={height!r}, width={width!r}: "
                "leave one of them out"
            )
        size = (size, width)
    options = _merge("RandomResizedCrop", ("scale", "ratio", "interpolation"), values, options)
    return ss.RandomResizedCrop(
        several_of(size, "size"),
        scale=pair_of(options.get("scale", (0.08, 1.0)), "scale"),
        ratio=pair_of(options.get("ratio", (0.75, 1.3333333333333333)), "ratio"),
        interpolation=interpolation_of(options.get("interpolation", 1)),
    )


def _sized_crop(
    heights: tuple[int, int], size: Any, positional: Any, height: Any, width: Any, options: dict[str, Any]
) -> Any:
    values = list(positional)
    if isinstance(size, int):
        size = (size, values.pop(0) if values else width)
    elif size is None:
        size = (height, width)
    options = _merge("RandomSizedCrop", ("w2h_ratio", "interpolation"), values, options)
    return ss.RandomSizedCrop(
        several_of(size, "size"),
        heights=heights,
        ratio=options.get("w2h_ratio", 1.0),
        interpolation=interpolation_of(options.get("interpolation", 1)),
    )


def _merge(name: str, names: tuple[str, ...], values: list[Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return positional and named arguments together, by name."""
    first = dict(zip(names, values, strict=False))
    wrong = sorted(set(options) - set(names)) or sorted(set(first) & set(options))
    if wrong:
        raise TypeError(f"{name} got the arguments {wrong}, which it does not take: leave them out")
    return first | options


def _crop(x_min: int, y_min: int, x_max: int, y_max: int) -> Any:
    return ss.Crop(y_min, x_min, y_max - y_min, x_max - x_min)


def _to_size(kind: Any) -> Row:
    """Return the row of a crop to a fixed size."""
    return Row(
        kind,
        "height, width, pad_if_needed=False, pad_position='center', border_mode=0, fill=0, fill_mask=0, p=1.0",
        {"pad_position": only("center", "put PadIfNeeded(position=...) before it")},
        build=lambda height, width, **options: kind((height, width), **options),
    )


_SIZED: Final = (
    "size=None, *positional, height=None, width=None, always_apply=None, p=1.0, mask_interpolation=0, "
    "area_for_downscale=None, **options"
)

ROWS: Final = {
    "RandomResizedCrop": Row(
        ss.RandomResizedCrop,
        _SIZED,
        note=" for a size (2.x), or for a height and a width (1.x)",
        build=_resized_crop,
    ),
    "RandomSizedCrop": Row(
        ss.RandomSizedCrop,
        f"min_max_height, {_SIZED}",
        {"min_max_height": ("heights", pair_of)},
        " for a size (2.x), or for a height and a width (1.x)",
        _sized_crop,
    ),
    "RandomCrop": _to_size(ss.RandomCrop),
    "CenterCrop": _to_size(ss.CenterCrop),
    "Crop": Row(
        ss.Crop,
        "x_min=0, y_min=0, x_max=1024, y_max=1024, pad_if_needed=False, pad_position='center', border_mode=0, fill=0, fill_mask=0, "
        "p=1.0",
        {
            **dict.fromkeys(("pad_position", "border_mode", "fill", "fill_mask"), ""),
            "pad_if_needed": only(False, "put PadIfNeeded before it"),
            **dict.fromkeys(("x_min", "y_min", "x_max", "y_max"), number_of),
        },
        build=_crop,
    ),
    "CropAndPad": Row(
        ss.CropAndPad,
        "px=None, percent=None, keep_size=True, sample_independently=True, interpolation=1, mask_interpolation=0, "
        "border_mode=0, fill=0, fill_mask=0, p=1.0, *, pad_mode=None, pad_cval=None, pad_cval_mask=None",
    ),
    "IAACropAndPad": Row(
        ss.CropAndPad,
        "px=None, percent=None, pad_mode='constant', pad_cval=0, keep_size=True, p=1.0",
        {"pad_mode": ("mode", BORDERS)},
    ),
    "RandomCropFromBorders": Row(
        ss.RandomCropFromBorders,
        "crop_left=0.1, crop_right=0.1, crop_top=0.1, crop_bottom=0.1, p=1.0, *, crop_value=None",
        {"crop_value": without_effect("use CropAndPad to fill the edges")},
    ),
    "RandomSizedBBoxSafeCrop": Row(
        ss.BBoxSafeCrop,
        "height, width, erosion_rate=0.0, interpolation=1, mask_interpolation=0, p=1.0",
        note=" with a size",
        build=lambda height, width, **options: ss.BBoxSafeCrop((height, width), **options),
    ),
    "BBoxSafeRandomCrop": Row(ss.BBoxSafeCrop, "erosion_rate=0.0, p=1.0"),
    "CropNonEmptyMaskIfExists": Row(
        ss.CropNonEmptyMask,
        "height, width, ignore_values=None, ignore_channels=None, p=1.0",
        dict.fromkeys(
            ("ignore_values", "ignore_channels"),
            lambda value, name: several_of(() if value is None else value, name),
        ),
        build=lambda height, width, **ignored: ss.CropNonEmptyMask((height, width), **ignored),
    ),
}
