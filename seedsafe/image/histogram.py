"""Equalize, AutoContrast and CLAHE."""

from __future__ import annotations

from typing import Any, NamedTuple

from seedsafe.functional import histogram
from seedsafe.ground.checks import choice, pair, real
from seedsafe.ground.exactness import EVERYWHERE, OPENCV
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import Often, Sometimes, up_to
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Pair, Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["CLAHE", "AutoContrast", "ClipLimit", "Equalize"]


class ClipLimit(NamedTuple):
    """The limit of a bin in a tile's histogram, as a multiple of the mean."""

    clip: float


@primitive(exact=EVERYWHERE, clips=True)
class Equalize(Sometimes):
    """Spread the values of each channel evenly. Draws only whether it fires.

    Follows ``torchvision.transforms.RandomEqualize`` and Pillow to the bit, or OpenCV. float32 is converted to uint8
    and back.

    Args:
        method: "pillow", or "opencv" for the table of ``cv2.equalizeHist``, which albumentations uses.

    Example:
        >>> image = np.arange(100, 164, dtype=np.uint8).repeat(40).reshape(64, 40)
        >>> Equalize(p=1)(image, key=SampleKey(42, 0, 0))[:, 0].tolist()[:4]
        [0, 4, 9, 13]
    """

    method: str = option(choice, histogram.EQUALIZERS, default="pillow", kw_only=True)

    def apply_image(self, image: Array, params: Any) -> Array:
        return histogram.equalize(image, self.method)


@primitive(exact=EVERYWHERE, clips=True)
class AutoContrast(Sometimes):
    """Stretch each channel to the whole range. Draws only whether it fires.

    Follows Pillow's ``ImageOps.autocontrast`` to the bit, and ``torchvision.transforms.RandomAutocontrast``. float32 is
    converted to uint8 and back.

    Args:
        cutoff: the percentage of values to ignore at either end, in [0, 49].

    Example:
        >>> AutoContrast(p=1)(np.array([[100, 150, 200]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[0, 127, 254]]
    """

    cutoff: float = option(real, 0.0, 49.0, "pass a percentage of the values", default=0.0, kw_only=True)

    def apply_image(self, image: Array, params: Any) -> Array:
        return histogram.autocontrast(image, self.cutoff)


@primitive(exact=OPENCV, clips=True)
class CLAHE(Often):
    """Equalise the lightness tile by tile, with limited contrast.

    Follows albumentations' ``CLAHE``, which is OpenCV's, on the lightness of CIELAB for RGB, and on the values of a
    grey image. Draws the limit (word 1). float32 is converted to uint8 and back.

    Args:
        clip: the largest limit of contrast, drawn from 1 up, or a range (low, high).
        tiles: the numbers of rows and columns of tiles.

    Raises:
        ValueError: when applied, the image has neither 3 channels nor 1.

    Example:
        >>> image = np.arange(64, dtype=np.uint8).reshape(8, 8)
        >>> int(CLAHE(tiles=(2, 2))(image, key=SampleKey(42, 0, 0)).max()) > 63
        True
    """

    clip: Range = option(
        up_to, 1.0, 0.0, 1e6, "pass a limit of at least 1, or a range (low, high)", default=4.0
    )
    tiles: Pair = option(pair, "pass the numbers of rows and columns of tiles", default=(8, 8), kw_only=True)

    def draw(self, rng: Draws, info: Info) -> ClipLimit:
        return ClipLimit(rng.uniform(*self.clip))

    def apply_image(self, image: Array, params: Any) -> Array:
        return histogram.equalize_adaptively(image, params[0], self.tiles)
