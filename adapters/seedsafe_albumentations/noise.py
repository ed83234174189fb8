"""Noise, and lost quality."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import fires, interpolation_of, is_number, only, pair_of

__all__ = [
    "Downscale",
    "GaussNoise",
    "IAAAdditiveGaussianNoise",
    "ISONoise",
    "ImageCompression",
    "JpegCompression",
    "MultiplicativeNoise",
    "SaltAndPepper",
    "ShotNoise",
]


@dataclass(frozen=True, repr=False)
class ShareNoise(ss.GaussianNoise):
    """GaussianNoise whose std is a share of the range of the dtype: 255 of uint8, 1 of floats."""

    def draw(self, rng: ss.Draws, info: ss.Info) -> Any:
        """Return the standard deviation in the image's units, and the address of the noise."""
        drawn = ss.GaussianNoise.draw(self, rng, info)
        return drawn._replace(std=drawn.std * 255.0) if info.dtype == np.uint8 else drawn


def GaussNoise(
    std_range: Any = None,
    mean_range: Any = (0.0, 0.0),
    per_channel: bool = True,
    noise_scale_factor: float = 1,
    p: float = 0.5,
    *,
    var_limit: Any = None,
    mean: float = 0,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.GaussianNoise``; `var_limit`, of 1.x, is a variance in units of 0 to 255."""
    only("mean_range", pair_of(mean_range), (0.0, 0.0), "shift the brightness with RandomBrightnessContrast")
    only("mean", mean, 0, "shift the brightness with RandomBrightnessContrast")
    only("noise_scale_factor", noise_scale_factor, 1, "the core draws a value for each pixel")
    legacy = std_range is not None and max(pair_of(std_range)) > 1  # the first argument of 1.x was var_limit
    if legacy and var_limit is None:
        std_range, var_limit = None, std_range
    if var_limit is not None:
        if std_range is not None:
            raise ValueError("GaussNoise takes std_range or var_limit, got both: leave one of them out")
        limit = (0, var_limit) if is_number(var_limit) else pair_of(var_limit)
        return fires(ss.GaussianNoise(variance=limit, per_channel=per_channel), p, always_apply)
    share = (0.2, 0.44) if std_range is None else pair_of(std_range)
    return fires(ShareNoise(share, per_channel=per_channel, name=None), p, always_apply)


def IAAAdditiveGaussianNoise(
    loc: float = 0,
    scale: Any = (0.01 * 255, 0.05 * 255),
    per_channel: bool = False,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.GaussianNoise`` of a standard deviation in units of 0 to 255 (until albumentations 1.3)."""
    only("loc", loc, 0, "shift the brightness with RandomBrightness")
    low, high = pair_of(scale)
    return fires(ShareNoise((low / 255, high / 255), per_channel=per_channel), p, always_apply)


def ISONoise(
    color_shift: Any = (0.01, 0.05),
    intensity: Any = (0.1, 0.5),
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.ISONoise``."""
    return fires(ss.ISONoise(pair_of(color_shift), pair_of(intensity)), p, always_apply)


def MultiplicativeNoise(
    multiplier: Any = (0.9, 1.1),
    per_channel: bool = False,
    elementwise: bool = False,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.MultiplicativeNoise``."""
    made = ss.MultiplicativeNoise(pair_of(multiplier), per_channel=per_channel, per_pixel=elementwise)
    return fires(made, p, always_apply)


def SaltAndPepper(
    amount: Any = (0.01, 0.06),
    salt_vs_pepper: Any = (0.4, 0.6),
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.SaltAndPepper``."""
    return fires(ss.SaltAndPepper(pair_of(amount), pair_of(salt_vs_pepper)), p, always_apply)


def ShotNoise(scale_range: Any = (0.1, 0.3), p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.ShotNoise``."""
    return fires(ss.ShotNoise(pair_of(scale_range)), p, always_apply)


def ImageCompression(
    compression_type: Any = "jpeg",
    quality_range: Any = (99, 100),
    p: float = 0.5,
    *,
    quality_lower: int | None = None,
    quality_upper: int | None = None,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.ImageCompression``; 1.x named the two ends of the quality, first of all arguments."""
    if isinstance(compression_type, int) and not isinstance(compression_type, bool):
        quality_lower, compression_type = int(compression_type), "jpeg"
        if isinstance(quality_range, int | float):
            quality_upper, quality_range = int(quality_range), (99, 100)
    named = str(getattr(compression_type, "name", compression_type)).lower()
    if quality_lower is not None or quality_upper is not None:
        quality_range = (
            99 if quality_lower is None else quality_lower,
            100 if quality_upper is None else quality_upper,
        )
    return fires(ss.ImageCompression(pair_of(quality_range), file_format=named), p, always_apply)


def JpegCompression(
    quality_lower: int = 99, quality_upper: int = 100, p: float = 0.5, *, always_apply: bool | None = None
) -> Any:
    """Return ``seedsafe.ImageCompression`` as JPEG (until albumentations 1.3)."""
    return ImageCompression(
        quality_lower=quality_lower, quality_upper=quality_upper, p=p, always_apply=always_apply
    )


def Downscale(
    scale_range: Any = None,
    interpolation_pair: Any = None,
    p: float = 0.5,
    *,
    scale_min: float | None = None,
    scale_max: float | None = None,
    interpolation: Any = None,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Downscale``; 1.x named the two ends of the scale, first of all arguments."""
    if isinstance(scale_range, int | float):
        scale_min, scale_range = scale_range, None
        if isinstance(interpolation_pair, int | float):
            scale_max, interpolation_pair = interpolation_pair, None
    if scale_min is not None or scale_max is not None:
        scale_range = (0.25 if scale_min is None else scale_min, 0.25 if scale_max is None else scale_max)
    pair: Any = {} if interpolation_pair is None else interpolation_pair
    if interpolation is not None:
        pair = (
            interpolation
            if isinstance(interpolation, dict)
            else {"downscale": interpolation, "upscale": interpolation}
        )
    if not isinstance(pair, dict) or set(pair) - {"downscale", "upscale"}:
        raise TypeError(
            f"interpolation_pair must be a dict with 'downscale' and 'upscale', got {pair!r}: pass values of cv2.INTER_*"
        )
    made = ss.Downscale(
        (0.25, 0.25) if scale_range is None else pair_of(scale_range),
        down=interpolation_of(pair.get("downscale", 0)),
        up=interpolation_of(pair.get("upscale", 0)),
    )
    return fires(made, p, always_apply)
