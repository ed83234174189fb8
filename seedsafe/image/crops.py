"""Crop and RandomCropFromBorders."""

from __future__ import annotations

from typing import Final

from seedsafe.ground.checks import checked_int, real
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Info
from seedsafe.image.cut import CropTransform
from seedsafe.image.window import Window
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import primitive

__all__ = ["Crop", "RandomCropFromBorders"]


_WAY_OUT: Final = "pass the window in pixels, inside the image"
_SHARE: Final = "pass the largest share to cut off"


@primitive(exact=EVERYWHERE, random=False, opencv=False)
class Crop(CropTransform):
    """Cut a fixed window out of the image. Draws only whether it fires.

    Args:
        top: the window's first row, from 0.
        left: the window's first column, from 0.
        height: the window's height in pixels.
        width: the window's width in pixels.

    Raises:
        ValueError: when applied, the window is not inside the image.

    Example:
        >>> Crop(0, 1, 1, 2)(np.array([[1, 2, 3]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[2, 3]]
    """

    top: int = option(checked_int, 0, 2**31, _WAY_OUT)
    left: int = option(checked_int, 0, 2**31, _WAY_OUT)
    height: int = option(checked_int, 1, 2**31, _WAY_OUT)
    width: int = option(checked_int, 1, 2**31, _WAY_OUT)

    def draw(self, rng: Draws, info: Info) -> Window:
        rows, columns = info.image_size()
        if self.top + self.height > rows or self.left + self.width > columns:
            raise ValueError(
                f"cannot crop {self.height}×{self.width} at row {self.top}, column {self.left} out of an image of shape "
                f"{info.shape}: pass a window inside it, or put PadIfNeeded before it"
            )
        return Window(self.top, self.left, self.height, self.width)


@primitive(exact=EVERYWHERE, opencv=False)
class RandomCropFromBorders(CropTransform):
    """Cut a random number of rows and columns off each side.

    Draws the window's left (word 1), right (word 2), top (word 3) and bottom (word 4).

    Args:
        crop_left: the largest share of the width to cut off on the left, in [0, 1].
        crop_right: the same on the right.
        crop_top: the largest share of the height to cut off above, in [0, 1].
        crop_bottom: the same below.

    Follows albumentations 2.0.8's ``RandomCropFromBorders``, which keeps at least one row and one column.

    Example:
        >>> RandomCropFromBorders()(np.zeros((100, 100), np.uint8), key=SampleKey(42, 0, 0)).shape
        (91, 95)
    """

    crop_left: float = option(real, 0.0, 1.0, _SHARE, default=0.1, kw_only=True)
    crop_right: float = option(real, 0.0, 1.0, _SHARE, default=0.1, kw_only=True)
    crop_top: float = option(real, 0.0, 1.0, _SHARE, default=0.1, kw_only=True)
    crop_bottom: float = option(real, 0.0, 1.0, _SHARE, default=0.1, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Window:
        rows, columns = info.image_size()
        words = rng.words(4)
        left, right = _ends(words[0], words[1], columns, self.crop_left, self.crop_right)
        top, bottom = _ends(words[2], words[3], rows, self.crop_top, self.crop_bottom)
        return Window(top, left, bottom - top, right - left)


def _ends(one: int, other: int, side: int, before: float, after: float) -> tuple[int, int]:
    """Return a first and an end index from two words, with the arithmetic of `Draws.integer`."""
    first = min(one * (int(before * side) + 1) >> 64, side - 1)
    low = max(first + 1, int((1.0 - after) * side))
    return first, low + (other * (side - low + 1) >> 64)
