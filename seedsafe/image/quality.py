"""ImageCompression and Downscale."""

from __future__ import annotations

from typing import Any, NamedTuple

from seedsafe.functional.quality import FORMATS, compress, downscale
from seedsafe.functional.resize import INTERPOLATIONS
from seedsafe.ground.checks import choice, span
from seedsafe.ground.exactness import OPENCV, RESIZED
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import Often
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Pair, Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["Downscale", "ImageCompression", "Quality", "Scale"]


class Quality(NamedTuple):
    """The quality of a file, from 1 to 100."""

    quality: int


class Scale(NamedTuple):
    """The sides of the smaller image, as a share of the original ones."""

    scale: float


@primitive(exact=OPENCV, clips=True)
class ImageCompression(Often):
    """Compress the image as JPEG or WebP, and decompress it again.

    Follows albumentations' ``ImageCompression`` and torchvision's ``JPEG``. Draws the quality (word 1). float32 is
    converted to uint8 and back.

    Args:
        quality: an integer from 1 to 100, or a range (low, high), both included.
        file_format: "jpeg" or "webp".

    Raises:
        ValueError: when applied, the image has neither 3 channels nor 1, or is larger than the format holds.

    Example:
        >>> augment = ImageCompression((30, 60))
        >>> augment(np.full((8, 8), 100, np.uint8), key=SampleKey(42, 0, 0)).shape
        (8, 8)
    """

    quality: Pair = option(span, 1, 100, "pass a quality from 1 to 100", whole=True, default=(50, 95))
    file_format: str = option(choice, tuple(FORMATS), default="jpeg", kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Quality:
        low, high = self.quality
        return Quality(low + rng.integer(high - low + 1))

    def apply_image(self, image: Array, params: Any) -> Array:
        return compress(image, params[0], self.file_format)


@primitive(exact=RESIZED)
class Downscale(Often):
    """Shrink the image, and enlarge it to its size again.

    Follows albumentations' ``Downscale``. Draws the scale (word 1).

    Args:
        scale: the sides of the smaller image as a share of the original ones, in (0, 1], or a range (low, high).
        down: the interpolation to shrink it: "nearest", "bilinear", "bicubic", "area" or "lanczos".
        up: the interpolation to enlarge it.

    Example:
        >>> Downscale(0.5, down="area")(np.array([[0, 10, 20, 30]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[5, 5, 25, 25]]
    """

    scale: Range = option(span, 1e-6, 1.0, "pass a share of the sides", default=0.25)
    down: str = option(choice, INTERPOLATIONS, default="nearest", kw_only=True)
    up: str = option(choice, INTERPOLATIONS, default="nearest", kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Scale:
        return Scale(rng.uniform(*self.scale))

    def apply_image(self, image: Array, params: Any) -> Array:
        return downscale(image, params[0], self.down, self.up)
