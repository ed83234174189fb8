"""Transforms of colours."""

from __future__ import annotations

from typing import Any

import seedsafe as ss
from seedsafe_albumentations.arguments import (
    around,
    ends_of,
    fires,
    is_number,
    known,
    only,
    pair_of,
    several_of,
)

__all__ = [
    "CLAHE",
    "AutoContrast",
    "ChannelDropout",
    "ChannelShuffle",
    "ColorJitter",
    "Equalize",
    "FancyPCA",
    "HueSaturationValue",
    "InvertImg",
    "Posterize",
    "RGBShift",
    "RandomBrightness",
    "RandomBrightnessContrast",
    "RandomContrast",
    "RandomGamma",
    "RandomToneCurve",
    "Solarize",
    "ToGray",
    "ToSepia",
]


def ColorJitter(
    brightness: Any = (0.8, 1.2),
    contrast: Any = (0.8, 1.2),
    saturation: Any = (0.8, 1.2),
    hue: Any = (-0.5, 0.5),
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.ColorJitter``; a hue above 0.5 goes more than half around the circle, as there."""
    if isinstance(hue, int | float) and hue > 0.5:
        hue = (-hue, hue)
    made = ss.ColorJitter(brightness=brightness, contrast=contrast, saturation=saturation, hue=hue)
    return fires(made, p, always_apply)


def RandomBrightnessContrast(
    brightness_limit: Any = (-0.2, 0.2),
    contrast_limit: Any = (-0.2, 0.2),
    brightness_by_max: bool = True,
    ensure_safe_range: bool = False,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.RandomBrightnessContrast``."""
    only("ensure_safe_range", ensure_safe_range, False, "pass narrower limits")
    made = ss.RandomBrightnessContrast(
        around(brightness_limit), around(contrast_limit), by_max=brightness_by_max
    )
    return fires(made, p, always_apply)


def RandomBrightness(limit: Any = 0.2, p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.RandomBrightnessContrast`` of the brightness alone (until albumentations 1.3)."""
    return fires(ss.RandomBrightnessContrast(around(limit), (0.0, 0.0)), p, always_apply)


def RandomContrast(limit: Any = 0.2, p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.RandomBrightnessContrast`` of the contrast alone (until albumentations 1.3)."""
    return fires(ss.RandomBrightnessContrast((0.0, 0.0), around(limit)), p, always_apply)


def HueSaturationValue(
    hue_shift_limit: Any = (-20, 20),
    sat_shift_limit: Any = (-30, 30),
    val_shift_limit: Any = (-20, 20),
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.HueSaturationValue``."""
    made = ss.HueSaturationValue(around(hue_shift_limit), around(sat_shift_limit), around(val_shift_limit))
    return fires(made, p, always_apply)


def RGBShift(
    r_shift_limit: Any = (-20, 20),
    g_shift_limit: Any = (-20, 20),
    b_shift_limit: Any = (-20, 20),
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.RGBShift``."""
    made = ss.RGBShift(around(r_shift_limit), around(g_shift_limit), around(b_shift_limit))
    return fires(made, p, always_apply)


def ChannelShuffle(p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.ChannelShuffle``."""
    return fires(ss.ChannelShuffle(), p, always_apply)


def ChannelDropout(
    channel_drop_range: tuple[int, int] = (1, 1),
    fill: float = 0,
    p: float = 0.5,
    *,
    fill_value: float | None = None,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.ChannelDropout``."""
    low, high = ends_of(channel_drop_range)
    count = low if low == high else (low, high)
    return fires(ss.ChannelDropout(count, fill=fill if fill_value is None else fill_value), p, always_apply)


def ToGray(
    num_output_channels: int = 3,
    method: str = "weighted_average",
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.ToGray``."""
    only("num_output_channels", num_output_channels, 3, "read the images as grey ones")
    only("method", method, "weighted_average", "the core has the usual weights alone")
    return fires(ss.ToGray(), p, always_apply)


def ToSepia(p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.ToSepia``."""
    return fires(ss.ToSepia(), p, always_apply)


def RandomGamma(
    gamma_limit: Any = (80, 120), p: float = 0.5, *, eps: Any = None, always_apply: bool | None = None
) -> Any:
    """Return ``seedsafe.Gamma``; a hundred is the power 1."""
    low, high = (100 - gamma_limit, 100 + gamma_limit) if is_number(gamma_limit) else ends_of(gamma_limit)
    return fires(ss.Gamma((low / 100, high / 100)), p, always_apply)


def CLAHE(
    clip_limit: Any = 4.0, tile_grid_size: Any = (8, 8), p: float = 0.5, *, always_apply: bool | None = None
) -> Any:
    """Return ``seedsafe.CLAHE``."""
    clip = clip_limit if is_number(clip_limit) else pair_of(clip_limit)
    return fires(ss.CLAHE(clip, tiles=several_of("tile_grid_size", tile_grid_size)), p, always_apply)


_EQUALIZERS = {"cv": "opencv", "pil": "pillow"}


def Equalize(
    mode: str = "cv",
    by_channels: bool = True,
    mask: Any = None,
    mask_params: Any = (),
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Equalize``."""
    only("by_channels", by_channels, True, "the core equalizes each channel")
    only("mask", mask, None, "the core equalizes the whole image")
    if not isinstance(mode, str) or mode not in _EQUALIZERS:
        raise ValueError(f"mode must be 'cv' or 'pil', got {mode!r}")
    return fires(ss.Equalize(method=_EQUALIZERS[mode]), p, always_apply)


def AutoContrast(
    cutoff: float = 0,
    ignore: int | None = None,
    method: str = "cdf",
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.AutoContrast``."""
    only("ignore", ignore, None, "the core counts every value")
    known("method", method, ("cdf", "pil"))
    return fires(ss.AutoContrast(cutoff=cutoff), p, always_apply)


def Solarize(
    threshold_range: Any = (0.5, 0.5),
    p: float = 0.5,
    *,
    threshold: Any = None,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Solarize``; `threshold`, of 1.x, counts to 255."""
    if threshold is not None:
        low, high = pair_of(threshold)
        top = 255 if max(low, high) > 1 else 1
        threshold_range = (low / top, high / top)
    return fires(ss.Solarize(pair_of(threshold_range)), p, always_apply)


def Posterize(num_bits: Any = 4, p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.Posterize``."""
    bits = tuple(num_bits) if isinstance(num_bits, tuple | list) else num_bits
    if not is_number(bits) and not (isinstance(bits, tuple) and len(bits) == 2 and all(map(is_number, bits))):
        raise ValueError(
            f"num_bits must be one number or a range, got {num_bits!r}: seedsafe keeps the same number in each channel"
        )
    return fires(ss.Posterize(bits), p, always_apply)


def InvertImg(p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.Invert``."""
    return fires(ss.Invert(), p, always_apply)


def RandomToneCurve(
    scale: float = 0.1, per_channel: bool = False, p: float = 0.5, *, always_apply: bool | None = None
) -> Any:
    """Return ``seedsafe.ToneCurve``."""
    return fires(ss.ToneCurve(scale, per_channel=per_channel), p, always_apply)


def FancyPCA(alpha: float = 0.1, p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.FancyPCA``."""
    return fires(ss.FancyPCA(alpha), p, always_apply)
