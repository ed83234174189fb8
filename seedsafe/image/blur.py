"""Blur, GaussianBlur, MedianBlur and GlassBlur."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedsafe.functional import blur
from seedsafe.ground.checks import checked_int, flag, real, span
from seedsafe.ground.exactness import AT_LEAST_UINT8, EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import Often
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import Address
from seedsafe.pipeline.option import Pair, Range, option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import require_unit

__all__ = ["Blur", "Gauss", "GaussianBlur", "Glass", "GlassBlur", "MedianBlur", "Side", "draw_odd", "odd"]


class Gauss(NamedTuple):
    """The side of the square (0: as large as the bell needs) and the bell's standard deviation, in pixels."""

    size: int
    sigma: float


class Glass(NamedTuple):
    """The address of the noise that moves pixels."""

    address: Address


class Side(NamedTuple):
    """The side of a square in pixels."""

    size: int


def odd(name: str, value: Any, low: int) -> tuple[int, int]:
    """Return a range of odd integers; one integer is both ends."""
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
    """Draw one of the odd integers in a range. One word."""
    low, high = sizes
    drawn: int = low + 2 * rng.integer((high - low) // 2 + 1)
    return drawn


@primitive()
class _SquareBlur(Often):
    """A transform that blurs with a square around each pixel."""

    size: Pair = option(
        odd,
        1,
        default=(3, 7),
        doc="the square's side in pixels: an odd number, or a range (low, high) of them.",
    )

    def draw(self, rng: Draws, info: Info) -> Side:
        return Side(draw_odd(rng, self.size))


@primitive(exact=AT_LEAST_UINT8)
class Blur(_SquareBlur):
    """Replace each value by the mean of a square around it.

    Follows albumentations' ``Blur``, which is OpenCV's. Draws the square's side, an odd number (word 1).

    Example:
        >>> Blur(3)(np.array([[0, 90, 0, 0]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[60, 30, 30, 0]]
    """

    size: Pair = option(default=(3, 7))

    def apply_image(self, image: Array, params: Any) -> Array:
        return blur.box_blur(image, params[0])


@primitive(exact=EVERYWHERE)
class MedianBlur(_SquareBlur):
    """Replace each value by the median of a square around it.

    Follows albumentations' ``MedianBlur``, which is OpenCV's. Draws the square's side, an odd number (word 1). With a
    side above 5, float32 is converted to uint8 and back.

    Example:
        >>> MedianBlur(3)(np.array([[0, 90, 0, 0]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[0, 0, 0, 0]]
    """

    size: Pair = option(default=(3, 7))

    def out_span(
        self, span: tuple[float, float] | None, source: str | None = None
    ) -> tuple[float, float] | None:
        if self.size[1] > 5:  # see median_blur
            require_unit(self.name or type(self).__name__, span, source)
        return span

    def apply_image(self, image: Array, params: Any) -> Array:
        return blur.median_blur(image, params[0])


@primitive(exact=AT_LEAST_UINT8)
class GaussianBlur(Often):
    """Blur with a Gaussian bell of a random width.

    Follows ``torchvision.transforms.GaussianBlur``, and with a range of sizes albumentations' of the same name. Draws
    the width (word 1) and the square's side, an odd number (word 2).

    Args:
        size: the square's side in pixels: an odd number, or a range (low, high) of them; 0 fits the bell, 7 sigma.
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
        sigma = rng.uniform(*self.sigma)
        return Gauss(draw_odd(rng, self.size), sigma)

    def apply_image(self, image: Array, params: Any) -> Array:
        return blur.gaussian_blur(image, *params)


@primitive(exact=AT_LEAST_UINT8)
class GlassBlur(Often):
    """Blur like frosted glass: blur the image, move its pixels a little, and blur it again.

    Follows D. Hendrycks and T. Dietterich, "Benchmarking neural network robustness", 2019, except that pixels are
    copied instead of swapped, unless `swap` is True. The noise that moves them starts at word 4.

    Args:
        sigma: the standard deviation of both blurs, in pixels.
        reach: how far a pixel may move, in pixels.
        rounds: the number of times that pixels are moved.
        swap: swap nearby pixels, as the authors' code and albumentations 2.0.8 do: by less than `reach` to the right
            and down, and none within `reach` of the edges. This takes 12 more bytes of memory per pixel.

    Example:
        >>> GlassBlur(0.1, reach=1, rounds=1)(np.array([[0, 90, 0, 90]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[0, 0, 90, 90]]
    """

    sigma: float = option(real, 0.0, 1000.0, "pass a width in pixels", default=0.7)
    reach: int = option(checked_int, 1, 2**14, "pass pixels", default=4, kw_only=True)
    rounds: int = option(
        checked_int, 1, 101, "pass the number of times that pixels are moved", default=2, kw_only=True
    )
    swap: bool = option(flag, default=False, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Glass:
        return Glass(rng.noise())

    def apply_image(self, image: Array, params: Any) -> Array:
        return blur.glass_blur(image, self.sigma, self.reach, self.rounds, params[0], swap=self.swap)
