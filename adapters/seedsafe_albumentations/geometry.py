"""Flips, rotations, affine maps and perspective."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import seedsafe as ss
from seedsafe_albumentations.arguments import (
    ends_of,
    factors_of,
    flag_of,
    is_number,
    limits_of,
    pair_of,
    upward,
    word_of,
)
from seedsafe_albumentations.table import Row

__all__ = ["ROWS", "PixelAffine", "ScaledRotation"]

_Range = tuple[float, float]


@dataclass(frozen=True, repr=False)
class PixelAffine(ss.Affine):
    """Apply ``seedsafe.Affine``, and shift by a whole number of pixels.

    Args:
        pixels: the ranges of the shift in x and in y, both ends included. For the rest see ``seedsafe.Affine``.

    Raises:
        TypeError: a number of pixels is not an integer.
        ValueError: the low end of a range is above its high end.
    """

    pixels: Any = field(default=((0, 0), (0, 0)), kw_only=True)

    def __post_init__(self) -> None:
        ss.Affine.__post_init__(self)
        ends = [end for one in self.pixels for end in one]
        if not all(is_number(end) and end == end // 1 for end in ends):
            raise TypeError(f"translate_px must be whole numbers, got {self.pixels!r}: round them")
        object.__setattr__(self, "pixels", tuple((int(low), int(high)) for low, high in self.pixels))

    def draw(self, rng: Any, info: ss.Info) -> Any:
        """Return the matrix and its parts."""
        result = ss.Affine.draw(self, rng, info)
        across, down = (low + rng.integer(high - low + 1) for low, high in self.pixels)
        a, b, c, d, e, f = result.matrix
        if self.expand:  # all of the image is shown, so a shift has no effect
            across = down = 0
        shift = result.translate[0] + across, result.translate[1] + down
        return result._replace(matrix=(a, b, c + across, d, e, f + down), translate=shift)


@dataclass(frozen=True, repr=False)
class ScaledRotation(ss.Rotate):
    """Rotate as ``seedsafe.Rotate``, and scale each axis separately, so that the whole image fits its size.

    Follows ``SafeRotate`` of albumentations 2.0.8.
    """

    def draw(self, rng: Any, info: ss.Info) -> Any:
        """Return the matrix and its parts."""
        result = ss.Rotate.draw(self, rng, info)
        rows, columns = info.image_size()
        cos, sin = result.matrix[:2]
        wide, high = abs(cos) * columns + abs(sin) * rows, abs(sin) * columns + abs(cos) * rows
        scale = columns / wide, rows / high
        x, y = (columns - 1) * 0.5, (rows - 1) * 0.5
        a, b, d, e = cos * scale[0], sin * scale[0], 0.0 - sin * scale[1], cos * scale[1]
        matrix = a, b, x - a * x - b * y, d, e, y - d * x - e * y
        return result._replace(matrix=matrix, scale=scale)


def _flip() -> Any:
    both = ss.Compose([ss.HorizontalFlip(p=1), ss.VerticalFlip(p=1)])
    return ss.OneOf([ss.VerticalFlip(p=1), ss.HorizontalFlip(p=1), both])


def _affine(
    scale: Any,
    translate_percent: Any,
    translate_px: Any,
    rotate: Any,
    shear: Any,
    keep_ratio: bool = False,
    **options: Any,
) -> Any:
    if translate_percent is not None and translate_px is not None:
        raise ValueError("Affine takes translate_percent or translate_px, got both: leave one of them out")
    across, down = _axes(1.0 if scale is None else scale, "scale", 1.0)
    if keep_ratio and across != down:
        raise ValueError(
            f"keep_ratio=True needs one range for both axes, got scale={scale!r}: pass one range"
        )
    options["translate"] = _axes(
        0.0 if translate_percent is None else translate_percent, "translate_percent", 0.0
    )
    options["shear"] = _axes(0.0 if shear is None else shear, "shear", 0.0)
    degrees = pair_of(0.0 if rotate is None else rotate, "rotate")
    factors = across if across == down and (keep_ratio or across[0] == across[1]) else (across, down)
    if translate_px is None:
        return ss.Affine(degrees, scale=factors, **options)
    return PixelAffine(degrees, scale=factors, pixels=_axes(translate_px, "translate_px", 0), **options)


def _axes(value: Any, name: str, default: float) -> tuple[_Range, _Range]:
    """Return a range for x and one for y."""
    if isinstance(value, dict):
        if not {"x", "y"} & set(value):
            raise ValueError(f"{name} must have the keys 'x' and 'y', got {value!r}: pass a range for each")
        return pair_of(value.get("x", default), name), pair_of(value.get("y", default), name)
    return pair_of(value, name), pair_of(value, name)


def _shift_scale_rotate(
    shift_limit: Any, scale: _Range, rotate: _Range, shift_limit_x: Any, shift_limit_y: Any, **options: Any
) -> Any:
    across, down = (shift_limit if one is None else one for one in (shift_limit_x, shift_limit_y))
    shift = limits_of(across, "shift_limit"), limits_of(down, "shift_limit")
    return ss.Affine(
        rotate, translate=shift, scale=(scale, scale) if scale[0] < scale[1] else scale, **options
    )


_D4: Final = Row(ss.D4, "p=1.0")

ROWS: Final = {
    "HorizontalFlip": Row(ss.HorizontalFlip, "p=0.5"),
    "IAAFliplr": Row(ss.HorizontalFlip, "p=0.5"),
    "VerticalFlip": Row(ss.VerticalFlip, "p=0.5"),
    "IAAFlipud": Row(ss.VerticalFlip, "p=0.5"),
    "Flip": Row(
        ss.OneOf,
        "p=0.5",
        note=" of a vertical flip, a horizontal one, and both (until albumentations 1.4)",
        build=_flip,
    ),
    "Transpose": Row(ss.Transpose, "p=0.5"),
    "RandomRotate90": Row(ss.RandomRotate90, "p=1.0"),
    "D4": _D4,
    "SquareSymmetry": _D4,
    "Affine": Row(
        ss.Affine,
        "scale=(1.0, 1.0), translate_percent=None, translate_px=None, rotate=0.0, shear=(0.0, 0.0), interpolation=1, "
        "mask_interpolation=0, fit_output=False, keep_ratio=False, rotate_method='largest_box', balanced_scale=False, "
        "border_mode=0, fill=0, fill_mask=0, p=0.5",
        {
            "fit_output": "expand",
            "keep_ratio": flag_of,
            "balanced_scale": None,
        },
        ". One number is that number, as in albumentations",
        _affine,
    ),
    "IAAAffine": Row(
        ss.Affine,
        "scale=1.0, translate_percent=None, translate_px=None, rotate=0.0, shear=0.0, order=1, fill=0, "
        "border_mode='reflect', "
        "p=0.5",
        {
            "scale": upward(1.0, None),
            "translate_percent": upward(0.0, None),
            "rotate": limits_of,
            "shear": lambda value, name: {"x": limits_of(value, name)},
            "order": ("interpolation", word_of({0: "nearest", 1: "bilinear", 3: "bicubic"})),
        },
        ". One number of scale or translate_percent is a range from 1 or 0, one of rotate or shear goes to both sides",
        _affine,
    ),
    "ShiftScaleRotate": Row(
        ss.Affine,
        "shift_limit=(-0.0625, 0.0625), scale_limit=(-0.1, 0.1), rotate_limit=(-45, 45), interpolation=1, border_mode=0, "
        "shift_limit_x=None, shift_limit_y=None, rotate_method='largest_box', mask_interpolation=0, fill=0, fill_mask=0, "
        "p=0.5",
        {"scale_limit": ("scale", factors_of), "rotate_limit": ("rotate", limits_of)},
        ". Shifts are shares of the sides; the scales of x and y are drawn apart and added to 1",
        _shift_scale_rotate,
        then="shift_limit scale_limit rotate_limit interpolation border_mode value mask_value shift_limit_x shift_limit_y "
        "rotate_method p",
    ),
    "Rotate": Row(
        ss.Rotate,
        "limit=(-90, 90), interpolation=1, border_mode=0, rotate_method='largest_box', crop_border=False, "
        "mask_interpolation=0, fill=0, fill_mask=0, p=0.5",
        {"limit": ("degrees", limits_of)},
        then="limit interpolation border_mode value mask_value rotate_method crop_border p",
    ),
    "SafeRotate": Row(
        ss.Rotate,
        "limit=(-90, 90), interpolation=1, border_mode=0, rotate_method='largest_box', mask_interpolation=0, fill=0, "
        "fill_mask=0, p=0.5",
        {"limit": ("degrees", limits_of)},
        " that keeps the image's size, with all of the image in it",
        ScaledRotation,
        then="limit interpolation border_mode value mask_value rotate_method p",
    ),
    "Perspective": Row(
        ss.Perspective,
        "scale=(0.05, 0.1), keep_size=True, fit_output=False, interpolation=1, mask_interpolation=0, border_mode=0, fill=0, "
        "fill_mask=0, p=0.5",
        {"scale": upward(0, ends_of)},
        then="scale keep_size pad_mode pad_val mask_pad_val fit_output interpolation p",
    ),
    "IAAPerspective": Row(
        ss.Perspective, "scale=(0.05, 0.1), keep_size=True, p=0.5", {"scale": upward(1.0, ends_of)}
    ),
}
