"""Sharpen and Emboss."""

from __future__ import annotations

from typing import Any, NamedTuple

from seedsafe.functional.blur import convolve
from seedsafe.functional.kernels import emboss_kernel, sharpen_kernel
from seedsafe.ground.checks import span
from seedsafe.ground.exactness import OPENCV
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import Often
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["Edges", "Emboss", "Relief", "Sharpen"]


class Edges(NamedTuple):
    """The share of the edges in the result, and their brightness."""

    alpha: float
    lightness: float


class Relief(NamedTuple):
    """The share of the relief in the result, and the strength of its light."""

    alpha: float
    strength: float


@primitive(exact=OPENCV, clips=True)
class Sharpen(Often):
    """Blend the image with its edges.

    Follows albumentations' ``Sharpen`` with its kernel of 3 by 3. Draws the share (word 1) and the lightness (word 2).

    Args:
        alpha: the share of the edges, in [0, 1], or a range (low, high).
        lightness: the remaining weight of the pixel itself, where 1 keeps its brightness, or a range (low, high).

    Example:
        >>> Sharpen(0.5, 1.0)(np.array([[90, 90, 100, 100]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[90, 75, 115, 100]]
    """

    alpha: Range = option(span, 0.0, 1.0, "pass a share, or a range (low, high)", default=(0.2, 0.5))
    lightness: Range = option(span, 0.0, 1000.0, "pass 1 to keep the brightness", default=(0.5, 1.0))

    def draw(self, rng: Draws, info: Info) -> Edges:
        return Edges(rng.uniform(*self.alpha), rng.uniform(*self.lightness))

    def apply_image(self, image: Array, params: Any) -> Array:
        return convolve(image, sharpen_kernel(*params))


@primitive(exact=OPENCV, clips=True)
class Emboss(Often):
    """Blend the image with a relief of itself, lit from the lower right.

    Follows albumentations' ``Emboss``. Draws the share (word 1) and the strength (word 2).

    Args:
        alpha: the share of the relief, in [0, 1], or a range (low, high).
        strength: the strength of the light, or a range (low, high).

    Example:
        >>> Emboss(1.0, 0.5)(np.array([[90, 90, 100, 100]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[90, 110, 120, 100]]
    """

    alpha: Range = option(span, 0.0, 1.0, "pass a share, or a range (low, high)", default=(0.2, 0.5))
    strength: Range = option(span, 0.0, 1000.0, "pass a number about 0.5", default=(0.2, 0.7))

    def draw(self, rng: Draws, info: Info) -> Relief:
        return Relief(rng.uniform(*self.alpha), rng.uniform(*self.strength))

    def apply_image(self, image: Array, params: Any) -> Array:
        return convolve(image, emboss_kernel(*params))
