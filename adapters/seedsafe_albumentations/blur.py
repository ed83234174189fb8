"""Blur and sharpness."""

from __future__ import annotations

from typing import Any, Final

import seedsafe as ss
from seedsafe_albumentations.arguments import any_of, ends_of, is_number, limits_of, pair_of, upward
from seedsafe_albumentations.table import Row

__all__ = ["ROWS"]


def _sizes(value: Any, name: str) -> tuple[int, int]:
    """Return the range of a kernel's sides. One number x is 3 to x, as in albumentations; even ends grow by 1."""
    low, high = (min(3, value), max(3, value)) if is_number(value) else ends_of(value, name)
    if low != low // 1 or high != high // 1:
        raise ValueError(f"{name} must be whole numbers, got {value!r}: pass the kernel's sides in pixels")
    low, high = int(low), int(high)
    return max(3, low + (low + 1) % 2), max(3, high + (high + 1) % 2)


def _gaussian_sizes(value: Any, name: str) -> Any:
    return 0 if pair_of(value, name) == (0, 0) else _sizes(value, name)


def _gaussian(size: Any, sigma: tuple[float, float]) -> Any:
    if sigma == (0.0, 0.0):
        if size == 0:
            raise ValueError("blur_limit and sigma_limit are both 0: pass a range for one of them")
        low, high = size  # as OpenCV does for a sigma of 0
        sigma = (0.3 * ((low - 1) * 0.5 - 1) + 0.8, 0.3 * ((high - 1) * 0.5 - 1) + 0.8)
    return ss.GaussianBlur(size, (max(sigma[0], 1e-6), max(sigma[1], 1e-6)))


_FROM_ZERO: Final = upward(0.0)
_SHARPEN: Final = Row(
    ss.Sharpen,
    "alpha=(0.2, 0.5), lightness=(0.5, 1.0), method='kernel', kernel_size=5, sigma=1.0, p=0.5",
    {
        "alpha": pair_of,
        "lightness": pair_of,
        "method": None,
        **dict.fromkeys(("kernel_size", "sigma"), ""),
    },
)
_EMBOSS: Final = Row(
    ss.Emboss, "alpha=(0.2, 0.5), strength=(0.2, 0.7), p=0.5", {"alpha": pair_of, "strength": pair_of}
)

ROWS: Final = {
    "Blur": Row(ss.Blur, "blur_limit=(3, 7), p=0.5", {"blur_limit": ("size", _sizes)}),
    "MedianBlur": Row(ss.MedianBlur, "blur_limit=(3, 7), p=0.5", {"blur_limit": ("size", _sizes)}),
    "GaussianBlur": Row(
        ss.GaussianBlur,
        "blur_limit=0, sigma_limit=(0.5, 3.0), p=0.5",
        {"blur_limit": ("size", _gaussian_sizes), "sigma_limit": ("sigma", _FROM_ZERO)},
        ". With a blur_limit of 0 the side follows from sigma",
        _gaussian,
    ),
    "MotionBlur": Row(
        ss.MotionBlur,
        "blur_limit=(3, 7), allow_shifted=True, angle_range=(0, 360), direction_range=(-1.0, 1.0), p=0.5",
        {
            "blur_limit": ("size", _sizes),
            "allow_shifted": "shifted",
            "angle_range": ("angle", pair_of),
            "direction_range": ("direction", pair_of),
        },
    ),
    "AdvancedBlur": Row(
        ss.AdvancedBlur,
        "blur_limit=(3, 7), sigma_x_limit=(0.2, 1.0), sigma_y_limit=(0.2, 1.0), rotate_limit=(-90, 90), "
        "beta_limit=(0.5, 8.0), noise_limit=(0.9, 1.1), p=0.5",
        {
            "blur_limit": ("size", _sizes),
            "sigma_x_limit": ("sigma_x", _FROM_ZERO),
            "sigma_y_limit": ("sigma_y", _FROM_ZERO),
            "rotate_limit": ("angle", limits_of),
            "beta_limit": ("beta", _FROM_ZERO),
            "noise_limit": ("noise", _FROM_ZERO),
        },
    ),
    "GlassBlur": Row(
        ss.GlassBlur,
        "sigma=0.7, max_delta=4, iterations=2, mode='fast', p=0.5",
        {"max_delta": "reach", "iterations": "rounds", "mode": any_of("fast", "exact")},
        build=lambda **options: ss.GlassBlur(**options, swap=True),
    ),
    "Defocus": Row(
        ss.Defocus,
        "radius=(3, 10), alias_blur=(0.1, 0.5), p=0.5",
        {"radius": upward(3, whole=True), "alias_blur": ("blur", upward(0.1))},
    ),
    "Sharpen": _SHARPEN,
    "IAASharpen": _SHARPEN,
    "Emboss": _EMBOSS,
    "IAAEmboss": _EMBOSS,
}
