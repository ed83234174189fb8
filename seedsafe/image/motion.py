"""MotionBlur, AdvancedBlur and Defocus."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from seedsafe.functional.blur import convolve
from seedsafe.functional.kernels import bell_kernel, disk_kernel, line_kernel
from seedsafe.ground.checks import flag, span
from seedsafe.ground.exactness import OPENCV, OPENCV_AND_NUMPY
from seedsafe.ground.info import Array, Info
from seedsafe.image.blur import draw_odd, odd
from seedsafe.image.options import Often
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import Address
from seedsafe.keys.words import sixteenths
from seedsafe.pipeline.option import Pair, Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["AdvancedBlur", "Bell", "Defocus", "Disk", "Line", "MotionBlur"]


class Bell(NamedTuple):
    """A bell with two widths, see ``seedsafe.functional.bell_kernel``, and the address of the noise in its weights."""

    size: int
    sigmas: tuple[float, float]
    angle: float
    beta: float
    address: Address


class Disk(NamedTuple):
    """The radius of a disk and the smoothing of its edge, in pixels."""

    radius: int
    blur: float


class Line(NamedTuple):
    """A line of motion: see ``seedsafe.functional.line_kernel``."""

    size: int
    angle: float
    direction: float
    shift: tuple[float, float]


_WIDTH: Final = "pass a width in pixels of at least 0.05, or a range (low, high)"
_PIXELS: Final = "pass pixels, or a range (low, high)"


def _about_one(name: str, value: Any) -> tuple[float, float]:
    low, high = span(name, value, 0.01, 100.0, "pass a range that includes 1, such as (0.5, 8)")
    if not low <= 1.0 <= high:
        raise ValueError(
            f"{name} must be a range that includes 1, got {(low, high)!r}: pass a range such as (0.5, 8)"
        )
    return low, high


@primitive(exact=OPENCV, clips=True)
class MotionBlur(Often):
    """Blur along a line, like a moving camera.

    Follows albumentations' ``MotionBlur``. Draws the line's length, an odd number (word 1), its angle (word 2), its
    direction from the middle (word 3), and its shift, up to a quarter of the length to each side (words 4 and 5).

    Args:
        size: the line's length in pixels: an odd number, or a range (low, high) of them.
        angle: the line's angle in degrees, clockwise from the right, or a range (low, high).
        direction: from -1, the whole line before the middle, to 1, the whole line after it, or a range (low, high).
        shifted: whether the line may be shifted off the middle.

    Example:
        >>> augment = MotionBlur(3, angle=0, shifted=False)
        >>> augment(np.array([[0, 0, 90, 0, 0]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[0, 30, 30, 30, 0]]
    """

    size: Pair = option(odd, 1, default=(3, 7))
    angle: Range = option(
        span, -3600.0, 3600.0, "pass degrees, or a range (low, high)", default=(0.0, 360.0), kw_only=True
    )
    direction: Range = option(span, -1.0, 1.0, "pass 0 for an even line", default=(-1.0, 1.0), kw_only=True)
    shifted: bool = option(flag, default=True, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Line:
        size = draw_odd(rng, self.size)
        angle = rng.uniform(*self.angle)
        direction = rng.uniform(*self.direction)
        reach = 0.5 * (size // 2) if self.shifted else 0.0
        return Line(size, angle, direction, (rng.uniform(-reach, reach), rng.uniform(-reach, reach)))

    def apply_image(self, image: Array, params: Any) -> Array:
        return convolve(image, line_kernel(*params))


@primitive(exact=OPENCV_AND_NUMPY, clips=True)
class AdvancedBlur(Often):
    """Blur with a bell of two widths, a random angle and shape, and noise in its weights.

    Follows albumentations' ``AdvancedBlur``. Draws the square's side, an odd number (word 1), the widths (words 2 and
    3), the angle (4), whether the shape is below 1 (5), and the shape (6); the noise starts at word 8.

    Args:
        size: the square's side in pixels: an odd number, or a range (low, high) of them.
        sigma_x: the first width in pixels, or a range (low, high).
        sigma_y: the same for the second width.
        angle: the largest turn in either direction in degrees, or a range (low, high).
        beta: the shape, a range (low, high) that includes 1, which is Gaussian; half of the samples are below it.
        noise: a range (low, high) of factors of the weights.

    Example:
        >>> AdvancedBlur()(np.array([[0, 0, 90, 0, 0]], np.uint8), key=SampleKey(42, 0, 0)).shape
        (1, 5)
    """

    size: Pair = option(odd, 1, default=(3, 7))
    sigma_x: Range = option(span, 0.05, 1000.0, _WIDTH, default=(0.2, 1.0), kw_only=True)
    sigma_y: Range = option(span, 0.05, 1000.0, _WIDTH, default=(0.2, 1.0), kw_only=True)
    angle: Range = option(
        span, -360.0, 360.0, "pass degrees, at most 360", about=0.0, cut=True, default=90.0, kw_only=True
    )
    beta: Range = option(_about_one, default=(0.5, 8.0), kw_only=True)
    noise: Range = option(
        span, 0.0, 100.0, "pass factors about 1, (1, 1) for none", default=(0.9, 1.1), kw_only=True
    )

    def draw(self, rng: Draws, info: Info) -> Bell:
        size = draw_odd(rng, self.size)
        sigmas = rng.uniform(*self.sigma_x), rng.uniform(*self.sigma_y)
        angle = rng.uniform(*self.angle)
        low, high = (self.beta[0], 1.0) if rng.chance(0.5) else (1.0, self.beta[1])
        return Bell(size, sigmas, angle, rng.uniform(low, high), rng.noise())

    def apply_image(self, image: Array, params: Any) -> Array:
        size, sigmas, angle, beta, address = params
        low, high = self.noise
        factors = low + (high - low) * (
            (sixteenths(address, size * size).reshape(size, size) + 0.5) / 65536.0
        )
        # Factors of 0 throughout would leave no weight to divide by.
        return convolve(image, bell_kernel(size, sigmas, angle, beta, np.maximum(factors, 1e-6)))


@primitive(exact=OPENCV, clips=True)
class Defocus(Often):
    """Blur like a lens out of focus.

    Follows D. Hendrycks and T. Dietterich, "Benchmarking neural network robustness", 2019, and albumentations'
    ``Defocus``. Draws the radius (word 1) and the smoothing of the disk's edge (word 2).

    Args:
        radius: the disk's radius in pixels, or a range (low, high), both included.
        blur: the standard deviation of the smoothing in pixels, or a range (low, high).

    Example:
        >>> Defocus()(np.eye(9, dtype=np.uint8), key=SampleKey(42, 0, 0)).shape
        (9, 9)
    """

    radius: Pair = option(span, 1, 1000, _PIXELS, whole=True, default=(3, 10))
    blur: Range = option(span, 0.01, 100.0, _PIXELS, default=(0.1, 0.5), kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Disk:
        low, high = self.radius
        return Disk(low + rng.integer(high - low + 1), rng.uniform(*self.blur))

    def apply_image(self, image: Array, params: Any) -> Array:
        return convolve(image, disk_kernel(*params))
