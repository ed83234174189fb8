"""Noise and loss of quality."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import interpolation_of, is_number, only, pair_of
from seedsafe_albumentations.table import Row

__all__ = ["ROWS"]


@dataclass(frozen=True, repr=False)
class ShareNoise(ss.GaussianNoise):
    """GaussianNoise whose std is a share of the dtype's range: 255 for uint8, 1 for floats."""

    def draw(self, rng: ss.Draws, info: ss.Info) -> Any:
        """Return the standard deviation in the image's units, and the address of the noise."""
        params = ss.GaussianNoise.draw(self, rng, info)
        return params._replace(std=params.std * 255.0) if info.dtype == np.uint8 else params


def _gauss(std_range: Any, per_channel: bool, var_limit: Any) -> Any:
    if std_range is not None and var_limit is None and max(pair_of(std_range, "std_range")) > 1:
        std_range, var_limit = None, std_range  # in 1.x var_limit came first
    if var_limit is not None:
        if std_range is not None:
            raise ValueError("GaussNoise takes std_range or var_limit, got both: leave one of them out")
        limit = (0, var_limit) if is_number(var_limit) else pair_of(var_limit, "var_limit")
        return ss.GaussianNoise(variance=limit, per_channel=per_channel)
    share = (0.2, 0.44) if std_range is None else pair_of(std_range, "std_range")
    return ShareNoise(share, per_channel=per_channel)


def _of_255(value: Any, name: str) -> tuple[float, float]:
    low, high = pair_of(value, name)
    return low / 255, high / 255


def _compression(compression_type: Any, quality_range: Any, quality_lower: Any, quality_upper: Any) -> Any:
    if isinstance(compression_type, int) and not isinstance(compression_type, bool):
        quality_lower, compression_type = int(compression_type), "jpeg"
        if isinstance(quality_range, int | float):
            quality_upper, quality_range = int(quality_range), (99, 100)
    if quality_lower is not None or quality_upper is not None:
        quality_range = (
            99 if quality_lower is None else quality_lower,
            100 if quality_upper is None else quality_upper,
        )
    file_format = str(getattr(compression_type, "name", compression_type)).lower()
    return ss.ImageCompression(pair_of(quality_range, "quality_range"), file_format=file_format)


def _downscale(
    scale_range: Any, interpolation_pair: Any, scale_min: Any, scale_max: Any, interpolation: Any
) -> Any:
    if isinstance(scale_range, int | float):
        scale_min, scale_range = scale_range, None
        if isinstance(interpolation_pair, int | float):
            scale_max, interpolation_pair = interpolation_pair, None
    if scale_min is not None or scale_max is not None:
        scale_range = (0.25 if scale_min is None else scale_min, 0.25 if scale_max is None else scale_max)
    pair: Any = {} if interpolation_pair is None else interpolation_pair
    if interpolation is not None:
        both = {"downscale": interpolation, "upscale": interpolation}
        pair = interpolation if isinstance(interpolation, dict) else both
    if not isinstance(pair, dict) or set(pair) - {"downscale", "upscale"}:
        raise TypeError(
            f"interpolation_pair must be a dict with 'downscale' and 'upscale', got {pair!r}: pass values of cv2.INTER_*"
        )
    return ss.Downscale(
        (0.25, 0.25) if scale_range is None else pair_of(scale_range, "scale_range"),
        down=interpolation_of(pair.get("downscale", 0)),
        up=interpolation_of(pair.get("upscale", 0)),
    )


_BRIGHTEN: Final = "shift the brightness with RandomBrightnessContrast"

ROWS: Final = {
    "GaussNoise": Row(
        ss.GaussianNoise,
        "std_range=None, mean_range=(0.0, 0.0), per_channel=True, noise_scale_factor=1, p=0.5, *, var_limit=None, mean=0",
        {
            "mean_range": only((0.0, 0.0), _BRIGHTEN, pair_of),
            "mean": only(0, _BRIGHTEN),
            "noise_scale_factor": only(1, "leave it out, seedsafe draws a value for each pixel"),
        },
        ". `var_limit`, from 1.x, is a variance in units of 0 to 255",
        _gauss,
    ),
    "IAAAdditiveGaussianNoise": Row(
        ss.GaussianNoise,
        "loc=0, scale=(0.01 * 255, 0.05 * 255), per_channel=False, p=0.5",
        {"loc": only(0, "shift the brightness with RandomBrightness"), "scale": ("std", _of_255)},
        " with a standard deviation in units of 0 to 255 (until albumentations 1.3)",
        ShareNoise,
    ),
    "ISONoise": Row(
        ss.ISONoise,
        "color_shift=(0.01, 0.05), intensity=(0.1, 0.5), p=0.5",
        {"color_shift": pair_of, "intensity": pair_of},
    ),
    "MultiplicativeNoise": Row(
        ss.MultiplicativeNoise,
        "multiplier=(0.9, 1.1), per_channel=False, elementwise=False, p=0.5",
        {"multiplier": ("factor", pair_of), "elementwise": "per_pixel"},
    ),
    "SaltAndPepper": Row(
        ss.SaltAndPepper,
        "amount=(0.01, 0.06), salt_vs_pepper=(0.4, 0.6), p=0.5",
        {"amount": pair_of, "salt_vs_pepper": ("salt", pair_of)},
    ),
    "ShotNoise": Row(ss.ShotNoise, "scale_range=(0.1, 0.3), p=0.5", {"scale_range": ("scale", pair_of)}),
    "ImageCompression": Row(
        ss.ImageCompression,
        "compression_type='jpeg', quality_range=(99, 100), p=0.5, *, quality_lower=None, quality_upper=None",
        note=". In 1.x the first two arguments are the ends of the quality",
        build=_compression,
    ),
    "JpegCompression": Row(
        ss.ImageCompression,
        "quality_lower=99, quality_upper=100, p=0.5",
        note=" as JPEG (until albumentations 1.3)",
        build=lambda **ends: _compression("jpeg", (99, 100), **ends),
    ),
    "Downscale": Row(
        ss.Downscale,
        "scale_range=None, interpolation_pair=None, p=0.5, *, scale_min=None, scale_max=None, interpolation=None",
        {"interpolation": "interpolation"},
        ". In 1.x the first two arguments are the ends of the scale",
        _downscale,
    ),
}
