"""Blurs, and transforms of sharpness."""

from __future__ import annotations

from typing import Any

import seedsafe as ss
from seedsafe_albumentations.arguments import around, ends_of, fires, is_number, only, pair_of

__all__ = [
    "AdvancedBlur",
    "Blur",
    "Defocus",
    "Emboss",
    "GaussianBlur",
    "GlassBlur",
    "IAAEmboss",
    "IAASharpen",
    "MedianBlur",
    "MotionBlur",
    "Sharpen",
]


def _sizes(blur_limit: Any) -> tuple[int, int]:
    """Return the range of a kernel's sides: one number x is 3 to x, as albumentations has it; even ends move outward."""
    low, high = (min(3, blur_limit), max(3, blur_limit)) if is_number(blur_limit) else ends_of(blur_limit)
    if low != low // 1 or high != high // 1:
        raise ValueError(
            f"blur_limit must be whole numbers, got {blur_limit!r}: pass the kernel's sides in pixels"
        )
    low, high = int(low), int(high)
    return max(3, low + (low + 1) % 2), max(3, high + (high + 1) % 2)


def Blur(blur_limit: Any = (3, 7), p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.Blur``."""
    return fires(ss.Blur(_sizes(blur_limit)), p, always_apply)


def MedianBlur(blur_limit: Any = (3, 7), p: float = 0.5, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.MedianBlur``."""
    return fires(ss.MedianBlur(_sizes(blur_limit)), p, always_apply)


def GaussianBlur(
    blur_limit: Any = 0, sigma_limit: Any = (0.5, 3.0), p: float = 0.5, *, always_apply: bool | None = None
) -> Any:
    """Return ``seedsafe.GaussianBlur``; a blur_limit of 0 has the side follow from sigma."""
    if pair_of(blur_limit) == (0, 0):
        size: Any = 0
    else:
        low, high = (min(3, blur_limit), max(3, blur_limit)) if is_number(blur_limit) else ends_of(blur_limit)
        size = _sizes((max(low, 3), high))
    sigma = (0.0, float(sigma_limit)) if is_number(sigma_limit) else pair_of(sigma_limit)
    if sigma == (0.0, 0.0):
        if size == 0:
            raise ValueError("blur_limit and sigma_limit are both 0: pass a range for one of them")
        low, high = size  # OpenCV's rule for a sigma of 0
        sigma = (0.3 * ((low - 1) * 0.5 - 1) + 0.8, 0.3 * ((high - 1) * 0.5 - 1) + 0.8)
    return fires(ss.GaussianBlur(size, (max(sigma[0], 1e-6), max(sigma[1], 1e-6))), p, always_apply)


def MotionBlur(
    blur_limit: Any = (3, 7),
    allow_shifted: bool = True,
    angle_range: Any = (0, 360),
    direction_range: Any = (-1.0, 1.0),
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.MotionBlur``."""
    made = ss.MotionBlur(
        _sizes(blur_limit),
        angle=pair_of(angle_range),
        direction=pair_of(direction_range),
        shifted=allow_shifted,
    )
    return fires(made, p, always_apply)


def AdvancedBlur(
    blur_limit: Any = (3, 7),
    sigma_x_limit: Any = (0.2, 1.0),
    sigma_y_limit: Any = (0.2, 1.0),
    rotate_limit: Any = (-90, 90),
    beta_limit: Any = (0.5, 8.0),
    noise_limit: Any = (0.9, 1.1),
    p: float = 0.5,
    *,
    sigmaX_limit: Any = None,  # noqa: N803  # its name until albumentations 1.4
    sigmaY_limit: Any = None,  # noqa: N803
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.AdvancedBlur``."""
    sigma_x = sigma_x_limit if sigmaX_limit is None else sigmaX_limit
    sigma_y = sigma_y_limit if sigmaY_limit is None else sigmaY_limit
    made = ss.AdvancedBlur(
        _sizes(blur_limit),
        sigma_x=_from_zero(sigma_x),
        sigma_y=_from_zero(sigma_y),
        angle=around(rotate_limit),
        beta=_from_zero(beta_limit),
        noise=_from_zero(noise_limit),
    )
    return fires(made, p, always_apply)


def _from_zero(value: Any) -> tuple[float, float]:
    return (0.0, float(value)) if is_number(value) else pair_of(value)


def GlassBlur(
    sigma: float = 0.7,
    max_delta: int = 4,
    iterations: int = 2,
    mode: str = "fast",
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.GlassBlur``."""
    if mode not in ("fast", "exact"):
        raise ValueError(f"mode must be 'fast' or 'exact', got {mode!r}")
    return fires(ss.GlassBlur(sigma, reach=max_delta, rounds=iterations, swap=True), p, always_apply)


def Defocus(
    radius: Any = (3, 10), alias_blur: Any = (0.1, 0.5), p: float = 0.5, *, always_apply: bool | None = None
) -> Any:
    """Return ``seedsafe.Defocus``."""
    radii = (min(3, radius), max(3, radius)) if isinstance(radius, int) else pair_of(radius)
    blur = (min(0.1, alias_blur), max(0.1, alias_blur)) if is_number(alias_blur) else pair_of(alias_blur)
    return fires(ss.Defocus(radii, blur=blur), p, always_apply)


def Sharpen(
    alpha: Any = (0.2, 0.5),
    lightness: Any = (0.5, 1.0),
    method: str = "kernel",
    kernel_size: int = 5,
    sigma: float = 1.0,
    p: float = 0.5,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Sharpen``."""
    only("method", method, "kernel", "the core sharpens with a kernel of 3 by 3")
    return fires(ss.Sharpen(pair_of(alpha), pair_of(lightness)), p, always_apply)


def Emboss(
    alpha: Any = (0.2, 0.5), strength: Any = (0.2, 0.7), p: float = 0.5, *, always_apply: bool | None = None
) -> Any:
    """Return ``seedsafe.Emboss``."""
    return fires(ss.Emboss(pair_of(alpha), pair_of(strength)), p, always_apply)


IAASharpen = Sharpen
IAAEmboss = Emboss
