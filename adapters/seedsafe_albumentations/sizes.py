"""Resizes and pads."""

from __future__ import annotations

from typing import Any

import seedsafe as ss
from seedsafe_albumentations.arguments import (
    NO_AREA,
    ends_of,
    fires,
    interpolation_of,
    is_number,
    mask_fill_of,
    mode_of,
    only,
    several_of,
)

__all__ = [
    "LongestMaxSize",
    "Pad",
    "PadIfNeeded",
    "RandomScale",
    "Resize",
    "SmallestMaxSize",
]


def Resize(
    height: int,
    width: int,
    interpolation: int = 1,
    mask_interpolation: int = 0,
    area_for_downscale: str | None = None,
    p: float = 1.0,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Resize``."""
    only("area_for_downscale", area_for_downscale, None, NO_AREA)
    made = ss.Resize((height, width), interpolation=interpolation_of(interpolation, mask_interpolation))
    return fires(made, p, always_apply)


def RandomScale(
    scale_limit: Any = (-0.1, 0.1),
    interpolation: int = 1,
    mask_interpolation: int = 0,
    area_for_downscale: str | None = None,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.RandomScale`` by a factor of 1 + the limit."""
    only("area_for_downscale", area_for_downscale, None, NO_AREA)
    low, high = (-scale_limit, scale_limit) if is_number(scale_limit) else ends_of(scale_limit)
    made = ss.RandomScale(
        (1.0 + low, 1.0 + high), interpolation=interpolation_of(interpolation, mask_interpolation)
    )
    return fires(made, p, always_apply)


def LongestMaxSize(
    max_size: Any = None,
    interpolation: int = 1,
    *,
    max_size_hw: Any = None,
    mask_interpolation: int = 0,
    area_for_downscale: str | None = None,
    p: float = 1.0,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.LongestMaxSize``; of several sizes one is drawn."""
    only(
        "max_size_hw",
        max_size_hw,
        None,
        "seedsafe.Resize((larger, smaller), keep_ratio=True) keeps both limits",
    )
    only("area_for_downscale", area_for_downscale, None, NO_AREA)
    name = interpolation_of(interpolation, mask_interpolation)
    return _sided(ss.LongestMaxSize, 1024 if max_size is None else max_size, name, p, always_apply)


def SmallestMaxSize(
    max_size: Any = None,
    interpolation: int = 1,
    *,
    max_size_hw: Any = None,
    mask_interpolation: int = 0,
    area_for_downscale: str | None = None,
    p: float = 1.0,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.SmallestMaxSize``; of several sizes one is drawn."""
    only("max_size_hw", max_size_hw, None, "name one side's size with max_size=")
    only("area_for_downscale", area_for_downscale, None, NO_AREA)
    name = interpolation_of(interpolation, mask_interpolation)
    return _sided(ss.SmallestMaxSize, 1024 if max_size is None else max_size, name, p, always_apply)


def _sided(made_by: Any, max_size: Any, interpolation: str, p: float, always_apply: bool | None) -> Any:
    if is_number(max_size) or isinstance(max_size, bool):
        return fires(made_by(max_size, interpolation=interpolation), p, always_apply)
    return fires(
        ss.OneOf([made_by(one, interpolation=interpolation) for one in several_of("max_size", max_size)]),
        p,
        always_apply,
    )


def PadIfNeeded(
    min_height: int | None = 1024,
    min_width: int | None = 1024,
    pad_height_divisor: int | None = None,
    pad_width_divisor: int | None = None,
    position: Any = "center",
    border_mode: int = 0,
    fill: Any = 0,
    fill_mask: Any = 0,
    p: float = 1.0,
    *,
    value: Any = None,
    mask_value: Any = None,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.PadIfNeeded``."""
    if pad_height_divisor is not None and min_height == 1024:
        min_height = None  # one of the two counts, and the divisor was named
    if pad_width_divisor is not None and min_width == 1024:
        min_width = None
    if (min_height is None) == (pad_height_divisor is None) or (min_width is None) == (
        pad_width_divisor is None
    ):
        raise ValueError(
            f"PadIfNeeded takes a minimum or a divisor for each side, got min_height={min_height!r}, min_width={min_width!r}, "
            f"pad_height_divisor={pad_height_divisor!r}, pad_width_divisor={pad_width_divisor!r}: pass None for the others"
        )
    size = None if min_height is min_width is None else (min_height or 1, min_width or 1)
    divisor = None
    if pad_height_divisor is not None or pad_width_divisor is not None:
        divisor = (pad_height_divisor or 1, pad_width_divisor or 1)
    made = ss.PadIfNeeded(
        size,
        divisor=divisor,
        position=str(getattr(position, "value", position)),
        mode=mode_of(border_mode),
        fill=fill if value is None else value,
        mask_fill=mask_fill_of(fill_mask if mask_value is None else mask_value),
    )
    return fires(made, p, always_apply)


def Pad(
    padding: Any = 0,
    fill: Any = 0,
    fill_mask: Any = 0,
    border_mode: int = 0,
    p: float = 1.0,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Pad``; four numbers are (left, top, right, bottom), two (horizontal, vertical)."""
    if not is_number(padding):
        padding = several_of("padding", padding)
        if len(padding) == 2:
            padding = (padding[1], padding[0])
        elif len(padding) == 4:
            left, top, right, bottom = padding
            padding = (top, bottom, left, right)
    made = ss.Pad(padding, mode=mode_of(border_mode), fill=fill, mask_fill=mask_fill_of(fill_mask))
    return fires(made, p, always_apply)
