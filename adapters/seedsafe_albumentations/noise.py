"""Noise and loss of quality."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import interpolation_of, is_number, pair_of, upward
from seedsafe_albumentations.table import Row

__all__ = ["ROWS"]


@dataclass(frozen=True, repr=False)
class ShareNoise(ss.GaussianNoise):
    """GaussianNoise whose std is a share of the dtype's range: 255 for uint8, 1 for floats."""

    def draw(self, rng: ss.Draws, info: ss.Info) -> Any:
        """Return the standard deviation in the image's units, and the address of the noise."""
        params = ss.GaussianNoise.draw(self, rng, info)
        return params._replace(std=params.std * 255.0) if info.dtype == np.uint8 else params


def _share(value: Any, name: str) -> tuple[float, float]:
    low, high = pair_of(value, name)
    if high > 1:
        raise ValueError(f"{name} must be in [0, 1], got {value!r}: pass shares of the largest value")
    return low, high


def _of_255(value: Any, name: str) -> tuple[float, float]:
    low, high = pair_of(value, name)
    return low / 255, high / 255


def _format(value: Any, name: str) -> str:
    return str(getattr(value, "name", value)).lower()


def _pair(value: Any, name: str) -> dict[str, str]:
    """Return the interpolations on the way down and up, from a dict or from one for both."""
    pair = {} if value is None else {"downscale": value, "upscale": value} if is_number(value) else value
    if not isinstance(pair, dict) or set(pair) - {"downscale", "upscale"}:
        raise TypeError(
            f"{name} must be a dict with 'downscale' and 'upscale', got {pair!r}: pass values of cv2.INTER_*"
        )
    return {
        "down": interpolation_of(pair.get("downscale", 0), "downscale"),
        "up": interpolation_of(pair.get("upscale", 0), "upscale"),
    }


ROWS: Final = {
    "GaussNoise": Row(
        ss.GaussianNoise,
        "std_range=(0.2, 0.44), mean_range=(0.0, 0.0), per_channel=True, noise_scale_factor=1, p=0.5",
        {"std_range": ("std", _share), **dict.fromkeys(("mean_range", "noise_scale_factor"))},
        ". `var_limit`, from 1.x, is a variance in units of 0 to 255",
        ShareNoise,
        Row(
            ss.GaussianNoise,
            "var_limit, mean=0, per_channel=True, p=0.5",
            {"var_limit": ("variance", upward(0)), "mean": None},
        ),
    ),
    "IAAAdditiveGaussianNoise": Row(
        ss.GaussianNoise,
        "loc=0, scale=(0.01 * 255, 0.05 * 255), per_channel=False, p=0.5",
        {"loc": None, "scale": ("std", _of_255)},
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
        "compression_type='jpeg', quality_range=(99, 100), p=0.5",
        {"compression_type": ("file_format", _format), "quality_range": ("quality", pair_of)},
        ". In 1.x the first two arguments are the ends of the quality",
        then="quality_lower quality_upper compression_type p",
    ),
    "JpegCompression": Row(
        ss.ImageCompression,
        "quality_lower=99, quality_upper=100, p=0.5",
        note=" as JPEG (until albumentations 1.3)",
        build=lambda quality_lower, quality_upper: ss.ImageCompression((quality_lower, quality_upper)),
    ),
    "Downscale": Row(
        ss.Downscale,
        "scale_range=(0.25, 0.25), interpolation_pair=None, p=0.5",
        {
            "scale_range": ("scale", pair_of),
            "interpolation_pair": ("pair", _pair),
        },
        ". In 1.x the first two arguments are the ends of the scale",
        lambda scale, pair: ss.Downscale(scale, **pair),
        then="scale_min scale_max interpolation p",
    ),
}
