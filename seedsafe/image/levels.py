"""Solarize, Posterize and Invert."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedsafe.functional import tones
from seedsafe.ground.checks import span
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import UINT8, Array, Info
from seedsafe.image.options import Sometimes
from seedsafe.keys.draws import Draws
from seedsafe.keys.many import ManyDraws
from seedsafe.pipeline.option import Pair, Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["Bits", "Invert", "Posterize", "Solarize", "Threshold"]


class Threshold(NamedTuple):
    """The share of the range at which inversion starts."""

    threshold: float


class Bits(NamedTuple):
    """The number of upper bits that each value keeps."""

    bits: int


@primitive(exact=EVERYWHERE, opencv=False, clips=True)
class Solarize(Sometimes):
    """Invert all values at or above a threshold.

    Follows ``torchvision.transforms.RandomSolarize``, with the threshold as a share of the range: 0.5 is 128 of uint8.
    Draws the threshold (word 1).

    Args:
        threshold: a share of the range, in [0, 1], or a range of shares (low, high).

    Example:
        >>> Solarize(p=1)(np.array([[50, 200]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[50, 55]]
    """

    threshold: Range = option(span, 0.0, 1.0, "pass a share of the range: 128 of 255 is 0.5", default=0.5)

    def draw(self, rng: Draws, info: Info) -> Threshold:
        return Threshold(rng.uniform(*self.threshold))

    def apply_image(self, image: Array, params: Any) -> Array:
        return tones.solarize(image, params[0])

    def _draw_many(self, draws: ManyDraws, info: Info) -> Any:
        return (draws.uniform(*self.threshold),)

    def _apply_many(self, images: Array, params: Any) -> Array | None:
        return tones.each_as_row(tones.solarize, images, *params) if images.dtype == UINT8 else None


@primitive(exact=EVERYWHERE, clips=True)
class Posterize(Sometimes):
    """Keep only the upper bits of each value.

    Follows ``torchvision.transforms.RandomPosterize``. Draws the number of bits (word 1). float32 is converted to uint8
    and back.

    Args:
        bits: the number of bits to keep, in [1, 8], or a range (low, high), both included.

    Example:
        >>> Posterize(2, p=1)(np.array([[50, 200]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[0, 192]]
    """

    bits: Pair = option(span, 1, 8, "pass how many of 8 bits to keep", whole=True, default=4)

    def draw(self, rng: Draws, info: Info) -> Bits:
        low, high = self.bits
        return Bits(low + rng.integer(high - low + 1))

    def apply_image(self, image: Array, params: Any) -> Array:
        return tones.posterize(image, params[0])

    def _draw_many(self, draws: ManyDraws, info: Info) -> Any:
        low, high = self.bits
        return (low + draws.integer(high - low + 1),)

    def _apply_many(self, images: Array, params: Any) -> Array | None:
        if images.dtype != UINT8:
            return None
        masks = (256 - (1 << (8 - params[0])) & 255).astype(np.uint8)
        result: Array = np.bitwise_and(images, masks.reshape(-1, *(1 for _ in images.shape[1:])))
        return result


@primitive(exact=EVERYWHERE, opencv=False, clips=True)
class Invert(Sometimes):
    """Subtract every value from the top of its range, 255 or 1. Draws only whether it fires.

    Follows ``torchvision.transforms.RandomInvert``.

    Example:
        >>> Invert(p=1)(np.array([[50, 200]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[205, 55]]
    """

    def apply_image(self, image: Array, params: Any) -> Array:
        return tones.invert(image)

    def _apply_many(self, images: Array, params: Any) -> Array:
        return np.invert(images) if images.dtype == UINT8 else np.subtract(np.float32(1), images)
