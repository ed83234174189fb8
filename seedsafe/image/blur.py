"""Blur, GaussianBlur, MedianBlur and GlassBlur."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedsafe.functional import blur
from seedsafe.ground.checks import flag, real, span
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import Often
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import Address, checked_int
from seedsafe.pipeline.option import Pair, Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["Blur", "Gauss", "GaussianBlur", "Glass", "GlassBlur", "MedianBlur", "Side", "draw_odd", "odd"]


class Gauss(NamedTuple):
    """The side of a square, 0 for as large as the bell, and the bell's standard deviation, in pixels."""

    size: int
    sigma: float


class Glass(NamedTuple):
    """The address of the noise that pixels are moved by."""

    address: Address


class Side(NamedTuple):
    """The side of a square in pixels."""

    size: int


def odd(name: str, value: Any, low: int) -> tuple[int, int]:
    """Return a range of odd integers; one stands for both ends."""
    way_out = "pass an odd number of pixels, or a range (low, high) of odd numbers"
    first, last = span(name, value, low, 2**15 - 1, way_out, whole=True)
    if first % 2 == 0 or last % 2 == 0:
        raise ValueError(f"{name} must be odd, got {value!r}: {way_out}")
    return first, last


def _odd_or_zero(name: str, value: Any) -> tuple[int, int]:
    """Return a range of odd integers, or (0, 0) for 0."""
    sizes = value if isinstance(value, tuple | list) else (value, value)
    none = len(sizes) == 2 and all(
        isinstance(one, int | np.integer) and one is not False and one == 0 for one in sizes
    )
    return (0, 0) if none else odd(name, value, 1)


def draw_odd(rng: Draws, sizes: Any) -> int:
    """Return one of the odd integers in a range; consumes one word."""
    low, high = sizes
    drawn: int = low + 2 * rng.integer((high - low) // 2 + 1)
    return drawn


@primitive()
class _Squared(Often):
    """A transform that blurs with a square around each pixel."""

    size: Pair = option(
        odd, 1, default=(3, 7), doc="the square's side in pixels, odd, or a range (low, high) of odd numbers."
    )

    def draw(self, rng: Draws, info: Info) -> Side:
        """Return the side."""
        return Side(draw_odd(rng, self.size))


@primitive()
class Blur(_Squared):
    """Replace each value by the mean of a square around it.

    Follows albumentations' ``Blur``, which is OpenCV's. Draws the square's side out of the odd ones (word 1). uint8
    is exact on every machine, float32 with the same build of OpenCV.

    Example:
        >>> Blur(3)(np.array([[0, 90, 0, 0]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[60, 30, 30, 0]]
    """

    size: Pair = option(default=(3, 7))

    def apply_image(self, image: Array, params: Any) -> Array:
        """Return the image, blurred."""
        return blur.box_blur(image, params[0])


@primitive()
class MedianBlur(_Squared):
    """Replace each value by the median of a square around it.

    Follows albumentations' ``MedianBlur``, which is OpenCV's. Draws the square's side out of the odd ones (word 1). Exact on
    every machine; float32 goes through uint8 where the side is above 5.

    Example:
        >>> MedianBlur(3)(np.array([[0, 90, 0, 0]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[0, 0, 0, 0]]
    """

    size: Pair = option(default=(3, 7))

    def apply_image(self, image: Array, params: Any) -> Array:
        """Return the image, blurred."""
        return blur.median_blur(image, params[0])


@primitive()
class GaussianBlur(Often):
    """Blur with a bell of a drawn width.

    Follows ``torchvision.transforms.GaussianBlur``, and with a range of sizes albumentations' of the same name. Draws
    the width (word 1) and the square's side out of the odd ones (word 2). uint8 is exact on every machine, float32
    with the same build of OpenCV.

    Args:
        size: the square's side in pixels, odd, or a range (low, high) of odd numbers; 0 is as large as the bell, 7 sigma.
        sigma: the bell's standard deviation in pixels, or a range (low, high).

    Example:
        >>> GaussianBlur(3, (0.1, 2.0))(np.array([[0, 90, 0, 0]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[55, 35, 27, 0]]
    """

    size: Pair = option(_odd_or_zero, default=0)
    sigma: Range = option(
        span, 0.0, 1000.0, "pass a width in pixels, or a range (low, high)", default=(0.1, 2.0)
    )

    def draw(self, rng: Draws, info: Info) -> Gauss:
        """Return the side and the width."""
        sigma = rng.uniform(*self.sigma)
        return Gauss(draw_odd(rng, self.size), sigma)

    def apply_image(self, image: Array, params: Any) -> Array:
        """Return the image, blurred."""
        return blur.gaussian_blur(image, *params)


@primitive()
class GlassBlur(Often):
    """Blur as frosted glass does: blurred, its pixels taken from nearby places, and blurred again.

    Follows D. Hendrycks and T. Dietterich, "Benchmarking neural network robustness", 2019, except that pixels are
    copied and not swapped, unless `swap` is True. The noise that they are moved by starts at word 4. uint8 is exact
    on every machine, float32 with the same build of OpenCV.

    Args:
        sigma: of the blurs, in pixels.
        reach: how far away a pixel may be taken from, in pixels.
        rounds: how often they are taken.
        swap: pixels change places with nearby ones, as in the authors' code and albumentations 2.0.8: by less than
            `reach` to the right and down, and not those that are within `reach` of the edges. It takes 12 bytes of
            memory a pixel more.

    Example:
        >>> GlassBlur(0.1, reach=1, rounds=1)(np.array([[0, 90, 0, 90]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[0, 0, 90, 90]]
    """

    sigma: float = option(real, 0.0, 1000.0, "pass a width in pixels", default=0.7)
    reach: int = option(checked_int, 1, 2**14, "pass pixels", default=4, kw_only=True)
    rounds: int = option(checked_int, 1, 101, "pass how often pixels are moved", default=2, kw_only=True)
    swap: bool = option(flag, default=False, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Glass:
        """Return the address of the noise."""
        return Glass(rng.noise())

    def apply_image(self, image: Array, params: Any) -> Array:
        """Return the image, blurred."""
        return blur.glass_blur(image, self.sigma, self.reach, self.rounds, params[0], swap=self.swap)
