"""Transforms of colours."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import seedsafe as ss
from seedsafe_albumentations.arguments import (
    any_of,
    ends_of,
    is_number,
    limits_of,
    pair_of,
    several_of,
    word_of,
)
from seedsafe_albumentations.table import Row

__all__ = ["ROWS"]


def _hue(value: Any, name: str) -> Any:
    return (-value, value) if isinstance(value, int | float) and value > 0.5 else value


def _hundredths(value: Any, name: str) -> tuple[float, float]:
    low, high = (100 - value, 100 + value) if is_number(value) else ends_of(value, name)
    return low / 100, high / 100


def _clip(value: Any, name: str) -> Any:
    return value if is_number(value) else pair_of(value, name)


def _shift(value: Any, name: str) -> tuple[float, float]:
    """Return the range of a shift in units of 255. Limits up to 1 are shares of it."""
    low, high = limits_of(value, name)
    return (low * 255, high * 255) if max(-low, high) <= 1 else (low, high)


def _of_255(value: Any, name: str) -> tuple[float, float]:
    low, high = pair_of(value, name)
    top = 255 if high > 1 else 1
    return low / top, high / top


def _alone(name: str, **other: Any) -> Row:
    """Return the row of the brightness or the contrast alone."""
    note = f" of the {name} alone (until albumentations 1.3)"
    build = partial(ss.RandomBrightnessContrast, **other)
    return Row(ss.RandomBrightnessContrast, "limit=0.2, p=0.5", {"limit": (name, limits_of)}, note, build)


ROWS: Final = {
    "ColorJitter": Row(
        ss.ColorJitter,
        "brightness=(0.8, 1.2), contrast=(0.8, 1.2), saturation=(0.8, 1.2), hue=(-0.5, 0.5), p=0.5",
        {"hue": _hue},
        ". As in albumentations, a hue above 0.5 goes more than half around the circle",
    ),
    "RandomBrightnessContrast": Row(
        ss.RandomBrightnessContrast,
        "brightness_limit=(-0.2, 0.2), contrast_limit=(-0.2, 0.2), brightness_by_max=True, ensure_safe_range=False, p=0.5",
        {
            "brightness_limit": ("brightness", limits_of),
            "contrast_limit": ("contrast", limits_of),
            "brightness_by_max": "by_max",
            "ensure_safe_range": None,
        },
    ),
    "RandomBrightness": _alone("brightness", contrast=(0.0, 0.0)),
    "RandomContrast": _alone("contrast", brightness=(0.0, 0.0)),
    "HueSaturationValue": Row(
        ss.HueSaturationValue,
        "hue_shift_limit=(-20, 20), sat_shift_limit=(-30, 30), val_shift_limit=(-20, 20), p=0.5",
        {
            "hue_shift_limit": ("hue", limits_of),
            "sat_shift_limit": ("saturation", limits_of),
            "val_shift_limit": ("value", limits_of),
        },
    ),
    "RGBShift": Row(
        ss.RGBShift,
        "r_shift_limit=(-20, 20), g_shift_limit=(-20, 20), b_shift_limit=(-20, 20), p=0.5",
        {
            "r_shift_limit": ("red", _shift),
            "g_shift_limit": ("green", _shift),
            "b_shift_limit": ("blue", _shift),
        },
    ),
    "ChannelShuffle": Row(ss.ChannelShuffle, "p=0.5"),
    "ChannelDropout": Row(
        ss.ChannelDropout,
        "channel_drop_range=(1, 1), fill=0, p=0.5",
        {"channel_drop_range": ("count", ends_of)},
    ),
    "ToGray": Row(
        ss.ToGray,
        "num_output_channels=3, method='weighted_average', p=0.5",
        dict.fromkeys(("num_output_channels", "method")),
    ),
    "ToSepia": Row(ss.ToSepia, "p=0.5"),
    "RandomGamma": Row(
        ss.Gamma,
        "gamma_limit=(80, 120), p=0.5",
        {"gamma_limit": ("gamma", _hundredths)},
        ". A hundred is the power 1",
        then="gamma_limit eps p",
    ),
    "CLAHE": Row(
        ss.CLAHE,
        "clip_limit=4.0, tile_grid_size=(8, 8), p=0.5",
        {"clip_limit": ("clip", _clip), "tile_grid_size": ("tiles", several_of)},
    ),
    "Equalize": Row(
        ss.Equalize,
        "mode='cv', by_channels=True, mask=None, mask_params=(), p=0.5",
        {
            **dict.fromkeys(("by_channels", "mask")),
            "mask_params": "",
            "mode": ("method", word_of({"cv": "opencv", "pil": "pillow"})),
        },
    ),
    "AutoContrast": Row(
        ss.AutoContrast,
        "cutoff=0, ignore=None, method='cdf', p=0.5",
        {"ignore": None, "method": any_of("cdf", "pil")},
    ),
    "Solarize": Row(
        ss.Solarize,
        "threshold_range=(0.5, 0.5), p=0.5",
        {"threshold_range": ("threshold", pair_of)},
        ". `threshold`, from 1.x, counts to 255",
        older=Row(ss.Solarize, "threshold, p=0.5", {"threshold": _of_255}),
    ),
    "Posterize": Row(ss.Posterize, "num_bits=4, p=0.5", {"num_bits": "bits"}),
    "InvertImg": Row(ss.Invert, "p=0.5"),
    "RandomToneCurve": Row(ss.ToneCurve, "scale=0.1, per_channel=False, p=0.5"),
    "FancyPCA": Row(ss.FancyPCA, "alpha=0.1, p=0.5"),
}
