"""Resizes and pads."""

from __future__ import annotations

from typing import Any, Final

import seedsafe as ss
from seedsafe_albumentations.arguments import factors_of, is_number, several_of
from seedsafe_albumentations.table import Row

__all__ = ["ROWS"]


def _by_one_side(kind: Any) -> Row:
    """Return the row of a resize that sets one side."""

    def build(max_size: Any, interpolation: str) -> Any:
        max_size = 1024 if max_size is None else max_size
        if is_number(max_size) or isinstance(max_size, bool):
            return kind(max_size, interpolation=interpolation)
        return ss.OneOf([kind(one, interpolation=interpolation) for one in several_of(max_size, "max_size")])

    return Row(
        kind,
        "max_size=None, max_size_hw=None, interpolation=1, mask_interpolation=0, area_for_downscale=None, p=1.0",
        {"max_size_hw": None},
        ". Of several sizes one is drawn",
        build,
        then="max_size interpolation p",
    )


def _pad_if_needed(
    min_height: Any, min_width: Any, pad_height_divisor: Any, pad_width_divisor: Any, **options: Any
) -> Any:
    if pad_height_divisor is not None and min_height == 1024:
        min_height = None  # the default; only one of the two may count
    if pad_width_divisor is not None and min_width == 1024:
        min_width = None
    sides = ((min_height, pad_height_divisor), (min_width, pad_width_divisor))
    if any((low is None) == (divisor is None) for low, divisor in sides):
        raise ValueError(
            f"PadIfNeeded takes a minimum or a divisor for each side, got min_height={min_height!r}, min_width={min_width!r}, "
            f"pad_height_divisor={pad_height_divisor!r}, pad_width_divisor={pad_width_divisor!r}: pass one, and None for the other"
        )
    size = None if min_height is min_width is None else (min_height or 1, min_width or 1)
    if not pad_height_divisor is pad_width_divisor is None:
        options["divisor"] = (pad_height_divisor or 1, pad_width_divisor or 1)
    return ss.PadIfNeeded(size, **options)


def _sides(value: Any, name: str) -> Any:
    """Return (top, bottom, left, right) for (left, top, right, bottom), and (vertical, horizontal) for (horizontal, vertical)."""
    if is_number(value):
        return value
    sides = several_of(value, name)
    if len(sides) == 2:
        return sides[1], sides[0]
    if len(sides) == 4:
        left, top, right, bottom = sides
        return top, bottom, left, right
    return sides


ROWS: Final = {
    "Resize": Row(
        ss.Resize,
        "height, width, interpolation=1, mask_interpolation=0, area_for_downscale=None, p=1.0",
    ),
    "RandomScale": Row(
        ss.RandomScale,
        "scale_limit=(-0.1, 0.1), interpolation=1, mask_interpolation=0, area_for_downscale=None, p=0.5",
        {"scale_limit": ("scale", factors_of)},
        " by a factor of 1 + the limit",
    ),
    "LongestMaxSize": _by_one_side(ss.LongestMaxSize),
    "SmallestMaxSize": _by_one_side(ss.SmallestMaxSize),
    "PadIfNeeded": Row(
        ss.PadIfNeeded,
        "min_height=1024, min_width=1024, pad_height_divisor=None, pad_width_divisor=None, position='center', "
        "border_mode=0, fill=0, fill_mask=0, p=1.0",
        {"position": lambda value, name: str(getattr(value, "value", value))},
        build=_pad_if_needed,
    ),
    "Pad": Row(
        ss.Pad,
        "padding=0, fill=0, fill_mask=0, border_mode=0, p=1.0",
        {"padding": _sides},
        ". Four numbers are (left, top, right, bottom), two are (horizontal, vertical)",
    ),
}
