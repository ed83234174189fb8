"""Transforms that move pixels by a matrix: flips, turns, affine maps and perspective."""

from __future__ import annotations

from typing import Any

import seedsafe as ss
from seedsafe_albumentations.arguments import (
    around,
    ends_of,
    fires,
    flag_of,
    interpolation_of,
    is_number,
    mask_fill_of,
    method_of,
    mode_of,
    pair_of,
)
from seedsafe_albumentations.turned import PixelAffine, ScaledRotation

__all__ = [
    "D4",
    "Affine",
    "Flip",
    "HorizontalFlip",
    "NoOp",
    "Perspective",
    "RandomRotate90",
    "Rotate",
    "SafeRotate",
    "ShiftScaleRotate",
    "SquareSymmetry",
    "Transpose",
    "VerticalFlip",
]

_Range = tuple[float, float]


def HorizontalFlip(p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.HorizontalFlip``."""
    return fires(ss.HorizontalFlip(), p, always_apply)


def VerticalFlip(p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.VerticalFlip``."""
    return fires(ss.VerticalFlip(), p, always_apply)


def Flip(p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return one flip of three: vertical, horizontal, or both (until albumentations 1.4)."""
    both = ss.Compose([ss.HorizontalFlip(p=1), ss.VerticalFlip(p=1)])
    return fires(ss.OneOf([ss.VerticalFlip(p=1), ss.HorizontalFlip(p=1), both]), p, always_apply)


def Transpose(p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.Transpose``."""
    return fires(ss.Transpose(), p, always_apply)


def RandomRotate90(p: float = 1.0, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.RandomRotate90``."""
    return fires(ss.RandomRotate90(), p, always_apply)


def D4(p: float = 1.0, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.D4``."""
    return fires(ss.D4(), p, always_apply)


SquareSymmetry = D4


def NoOp(p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return a Compose of nothing."""
    return ss.Compose([])


def Affine(
    scale: Any = (1.0, 1.0),
    translate_percent: Any = None,
    translate_px: Any = None,
    rotate: Any = 0.0,
    shear: Any = (0.0, 0.0),
    interpolation: int = 1,
    mask_interpolation: int = 0,
    fit_output: bool = False,
    keep_ratio: bool = False,
    rotate_method: str = "largest_box",
    balanced_scale: bool = False,
    border_mode: int = 0,
    fill: Any = 0,
    fill_mask: Any = 0,
    p: float = 0.5,
    *,
    mode: int | None = None,
    cval: Any = None,
    cval_mask: Any = None,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Affine``; one number is that number, as albumentations has it."""
    if translate_percent is not None and translate_px is not None:
        raise ValueError("Affine takes translate_percent or translate_px, got both: leave one of them out")
    across, down = _axes(1.0 if scale is None else scale, 1.0)
    if flag_of("keep_ratio", keep_ratio) and across != down:
        raise ValueError(f"keep_ratio=True needs one range for both axes, got scale={scale!r}")
    options: dict[str, Any] = {
        "translate": _axes(0.0 if translate_percent is None else translate_percent, 0.0),
        "shear": _axes(0.0 if shear is None else shear, 0.0),
        "expand": fit_output,
        "rotate_method": method_of(rotate_method),
        "interpolation": interpolation_of(interpolation, mask_interpolation),
        "mode": mode_of(border_mode if mode is None else mode),
        "fill": fill if cval is None else cval,
        "mask_fill": mask_fill_of(fill_mask if cval_mask is None else cval_mask),
    }
    degrees = pair_of(0.0 if rotate is None else rotate)
    made = [
        ss.Affine(degrees, scale=factors, **options)
        if translate_px is None
        else PixelAffine(degrees, scale=factors, pixels=_axes(translate_px, 0), **options)
        for factors in _factors(across, down, keep_ratio, flag_of("balanced_scale", balanced_scale))
    ]
    return fires(made[0] if len(made) == 1 else ss.OneOf(made), p, always_apply)


def _factors(across: _Range, down: _Range, keep_ratio: bool, balanced: bool) -> list[Any]:
    """Return ranges of scales, each as likely; balanced, those below and above 1 are apart."""
    wide, high = (_halves(one) if balanced else [one] for one in (across, down))
    if across == down and (keep_ratio or across[0] == across[1]):
        return wide
    return [(one, other) for one in wide for other in high]


def _halves(one: _Range) -> list[_Range]:
    low, high = one
    return [(low, 1.0), (1.0, high)] if low < 1 < high else [one]


def _axes(value: Any, default: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return a range for x and one for y."""
    if isinstance(value, dict):
        if not {"x", "y"} & set(value):
            raise ValueError(f"a range by axis has the keys 'x' and 'y', got {value!r}")
        return pair_of(value.get("x", default)), pair_of(value.get("y", default))
    return pair_of(value), pair_of(value)


def ShiftScaleRotate(
    shift_limit: Any = (-0.0625, 0.0625),
    scale_limit: Any = (-0.1, 0.1),
    rotate_limit: Any = (-45, 45),
    interpolation: int = 1,
    border_mode: int = 0,
    value: Any = None,
    mask_value: Any = None,
    shift_limit_x: Any = None,
    shift_limit_y: Any = None,
    rotate_method: str = "largest_box",
    mask_interpolation: int = 0,
    fill: Any = 0,
    fill_mask: Any = 0,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Affine``: shifts are shares of the sides, the scale is added to 1."""
    made = ss.Affine.shift_scale_rotate(
        shift=(
            around(shift_limit if shift_limit_x is None else shift_limit_x),
            around(shift_limit if shift_limit_y is None else shift_limit_y),
        ),
        scale=around(scale_limit),
        rotate=around(rotate_limit),
        rotate_method=method_of(rotate_method),
        interpolation=interpolation_of(interpolation, mask_interpolation),
        mode=mode_of(border_mode),
        fill=fill if value is None else value,
        mask_fill=mask_fill_of(fill_mask if mask_value is None else mask_value),
    )
    return fires(made, p, always_apply)


def Rotate(
    limit: Any = (-90, 90),
    interpolation: int = 1,
    border_mode: int = 0,
    value: Any = None,
    mask_value: Any = None,
    rotate_method: str = "largest_box",
    crop_border: bool = False,
    mask_interpolation: int = 0,
    fill: Any = 0,
    fill_mask: Any = 0,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Rotate``."""
    made = ss.Rotate(
        around(limit),
        crop_border=crop_border,
        rotate_method=method_of(rotate_method),
        interpolation=interpolation_of(interpolation, mask_interpolation),
        mode=mode_of(border_mode),
        fill=fill if value is None else value,
        mask_fill=mask_fill_of(fill_mask if mask_value is None else mask_value),
    )
    return fires(made, p, always_apply)


def SafeRotate(
    limit: Any = (-90, 90),
    interpolation: int = 1,
    border_mode: int = 0,
    value: Any = None,
    mask_value: Any = None,
    rotate_method: str = "largest_box",
    mask_interpolation: int = 0,
    fill: Any = 0,
    fill_mask: Any = 0,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return a turn that keeps the image's size, and all of the image in it."""
    made = ScaledRotation(
        around(limit),
        rotate_method=method_of(rotate_method),
        interpolation=interpolation_of(interpolation, mask_interpolation),
        mode=mode_of(border_mode),
        fill=fill if value is None else value,
        mask_fill=mask_fill_of(fill_mask if mask_value is None else mask_value),
    )
    return fires(made, p, always_apply)


def Perspective(
    scale: Any = (0.05, 0.1),
    keep_size: bool = True,
    fit_output: bool = False,
    interpolation: int = 1,
    mask_interpolation: int = 0,
    border_mode: int = 0,
    fill: Any = 0,
    fill_mask: Any = 0,
    p: float = 0.5,
    *,
    pad_mode: int | None = None,
    pad_val: Any = None,
    mask_pad_val: Any = None,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Perspective``."""
    made = ss.Perspective(
        (0, scale) if is_number(scale) else ends_of(scale),
        keep_size=keep_size,
        fit_output=fit_output,
        interpolation=interpolation_of(interpolation, mask_interpolation),
        mode=mode_of(border_mode if pad_mode is None else pad_mode),
        fill=fill if pad_val is None else pad_val,
        mask_fill=mask_fill_of(fill_mask if mask_pad_val is None else mask_pad_val),
    )
    return fires(made, p, always_apply)
