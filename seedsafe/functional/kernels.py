"""Kernels: the weights of neighbouring pixels in filters.

They are float64 with odd sides; the weights of blurs sum to 1.
"""

from __future__ import annotations

import math

import numpy as np

from seedsafe.functional.carrier import opencv
from seedsafe.ground.exactness import EVERYWHERE, NUMPY, OPENCV, exact
from seedsafe.ground.info import Array
from seedsafe.keys.decisions import cos_sin_degrees

__all__ = ["bell_kernel", "disk_kernel", "emboss_kernel", "line_kernel", "sharpen_kernel"]


@exact(EVERYWHERE)
def line_kernel(size: int, angle: float, direction: float, shift: tuple[float, float] = (0.0, 0.0)) -> Array:
    """Return the kernel of a motion blur along a line through the middle.

    Follows albumentations 2.0.8's ``MotionBlur``.

    Args:
        size: the length of a side, odd.
        angle: the angle of the line, in degrees, from the right downwards.
        direction: the position of the line, from -1, all before the middle, to 1, all after it; 0 is centred.
        shift: the shift of the line, to the right and downwards, in pixels.

    Example:
        >>> line_kernel(3, 45.0, 0.0).round(2).tolist()
        [[0.33, 0.0, 0.0], [0.0, 0.33, 0.0], [0.0, 0.0, 0.33]]
    """
    cos, sin = cos_sin_degrees(angle)
    half = size // 2
    start = -half * (1.0 - max(direction, 0.0))
    step = (half * (1.0 + min(direction, 0.0)) - start) / max(size - 1, 1)
    kernel = np.zeros((size, size))
    for k in range(size):
        along = start + step * k
        row, column = round(half + sin * along + shift[1]), round(half + cos * along + shift[0])
        kernel[min(max(row, 0), size - 1), min(max(column, 0), size - 1)] = 1.0
    kernel /= kernel.sum()
    return kernel


@exact(OPENCV)
def disk_kernel(radius: int, blur: float) -> Array:
    """Return the kernel of a lens out of focus, a disk with a smooth edge.

    Follows D. Hendrycks and T. Dietterich, "Benchmarking neural network robustness", 2019, as albumentations does.

    Args:
        radius: the radius of the disk, in pixels.
        blur: the standard deviation of the smoothing, in pixels.

    Example:
        >>> disk_kernel(1, 0.1).round(2)[8, 7:10].tolist()
        [0.2, 0.2, 0.2]
    """
    # The least reach, and the side below, are those of the paper's code.
    reach = max(8, radius)
    squares = np.arange(-reach, reach + 1) ** 2
    disk = (squares[:, None] + squares <= radius * radius).astype(np.float64)
    side = 3 if radius <= 8 else 5
    kernel: Array = opencv().GaussianBlur(disk, (side, side), blur)
    kernel /= kernel.sum()
    return kernel


@exact(NUMPY)
def bell_kernel(
    size: int, sigmas: tuple[float, float], angle: float, beta: float, factors: Array | None = None
) -> Array:
    """Return the kernel of a generalised normal distribution with two widths, turned.

    Follows X. Wang et al., "Real-ESRGAN", 2021, as albumentations' ``AdvancedBlur`` does.

    Args:
        size: the length of a side, odd.
        sigmas: the widths before the turn, in pixels, positive.
        angle: the angle of the turn, in degrees.
        beta: the shape: 1 is Gaussian, more is flatter, less is more pointed.
        factors: (size, size), to multiply the weights by, or None.

    Example:
        >>> bell_kernel(3, (0.5, 0.5), 0.0, 1.0).round(2).tolist()
        [[0.01, 0.08, 0.01], [0.08, 0.62, 0.08], [0.01, 0.08, 0.01]]
    """
    cos, sin = cos_sin_degrees(angle)
    line = np.arange(size) - size // 2
    x, y = cos * line + sin * line[:, None], cos * line[:, None] - sin * line
    distance = (x / sigmas[0]) ** 2 + (y / sigmas[1]) ** 2
    kernel = np.exp(-0.5 * distance**beta)
    if factors is not None:
        kernel *= factors
    total = float(kernel.sum())
    return kernel / total if total > 0 and math.isfinite(total) else kernel


def sharpen_kernel(alpha: float, lightness: float) -> Array:
    """Return the kernel that sharpens edges, blended with the image itself; it sums to 1 if `lightness` is 1.

    Follows albumentations' ``Sharpen``.

    Args:
        alpha: the share of the edges, in [0, 1].
        lightness: the middle's weight beyond the sum of its neighbours' weights.

    Example:
        >>> sharpen_kernel(0.5, 1.0).tolist()
        [[-0.5, -0.5, -0.5], [-0.5, 5.0, -0.5], [-0.5, -0.5, -0.5]]
    """
    kernel = np.full((3, 3), -alpha)
    kernel[1, 1] = (1.0 - alpha) + alpha * (8.0 + lightness)
    return kernel


def emboss_kernel(alpha: float, strength: float) -> Array:
    """Return the kernel of a relief lit from the lower right, blended with the image itself; it sums to 1.

    Follows albumentations' ``Emboss``.

    Args:
        alpha: the share of the relief, in [0, 1].
        strength: the strength of the light.

    Example:
        >>> emboss_kernel(1.0, 0.5).tolist()
        [[-1.5, -0.5, 0.0], [-0.5, 1.0, 0.5], [0.0, 0.5, 1.5]]
    """
    relief = np.array(
        [[-1.0 - strength, -strength, 0.0], [-strength, 1.0, strength], [0.0, strength, 1.0 + strength]]
    )
    kernel = alpha * relief
    kernel[1, 1] += 1.0 - alpha
    return kernel
