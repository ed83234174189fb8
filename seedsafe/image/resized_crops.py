"""RandomResizedCrop, RandomSizedCrop and MultiScaleCrop."""

from __future__ import annotations

import math
from typing import Final

from seedsafe.ground.checks import checked_int, choice, numbers, real, span
from seedsafe.ground.exactness import RESIZED
from seedsafe.ground.info import Info
from seedsafe.image.cut import ResizedCropTransform
from seedsafe.image.options import cannot_crop
from seedsafe.image.window import Window
from seedsafe.keys.decisions import log_uniform_at
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Pair, Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["MultiScaleCrop", "RandomResizedCrop", "RandomSizedCrop"]

_TRIALS: Final = 10  # as in torchvision


@primitive(exact=RESIZED)
class RandomResizedCrop(ResizedCropTransform):
    """Cut out a window of a random area and shape, and resize it to a fixed size.

    Draws ten pairs of a share of the area (words 1, 3, …, 19) and the logarithm of a shape (words 2, 4, …, 20), then
    top (word 21) and left (word 22). The first pair whose window fits is used; if none does, it is the largest
    window of an allowed shape in the middle.

    Args:
        scale: a range of the window's share of the image's area, in (0, 1].
        ratio: a range of the window's width ÷ height.

    Follows ``torchvision.transforms.RandomResizedCrop``, without smoothing before an image shrinks (its
    ``antialias=False``), unless antialias is True. The window is cut out before it is resized.

    Example:
        >>> RandomResizedCrop(224)(np.zeros((256, 320, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (224, 224, 3)
    """

    size: Pair = option()
    scale: Range = option(
        span,
        1e-12,
        1.0,
        "pass shares of the image's area, such as (0.08, 1)",
        default=(0.08, 1.0),
        kw_only=True,
    )
    ratio: Range = option(
        span, 1e-6, 1e6, "pass width ÷ height, such as (3/4, 4/3)", default=(3 / 4, 4 / 3), kw_only=True
    )

    def draw(self, rng: Draws, info: Info) -> Window:
        rows, columns = info.image_size()
        height, width = self._shape(rng, rows, columns)
        if height:
            top, left = rng.integer(rows - height + 1), rng.integer(columns - width + 1)
            return Window(top, left, height, width)
        rng.units(2)  # top and left, so that every sample takes the same number of words
        height, width = rows, columns
        narrowest, widest = self.ratio
        if columns < narrowest * rows:
            height = min(max(round(columns / narrowest), 1), rows)
        elif columns > widest * rows:
            width = min(max(round(rows * widest), 1), columns)
        return Window((rows - height) // 2, (columns - width) // 2, height, width)

    def _shape(self, rng: Draws, rows: int, columns: int) -> tuple[int, int]:
        # All pairs are drawn, whichever fits, so that every sample takes the same number of words.
        units = rng.units(2 * _TRIALS)
        smallest, largest = self.scale
        narrowest, widest = self.ratio
        for trial in range(0, 2 * _TRIALS, 2):
            area = rows * columns * (smallest + (largest - smallest) * units.item(trial))
            shape = log_uniform_at(units.item(trial + 1), narrowest, widest)
            width, height = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
            if 0 < width <= columns and 0 < height <= rows:
                return height, width
        return 0, 0


@primitive(exact=RESIZED)
class RandomSizedCrop(ResizedCropTransform):
    """Cut out a window of a random height and a fixed shape, and resize it to a fixed size.

    Draws the height (word 1), top (word 2) and left (word 3).

    Args:
        heights: the window's smallest and largest height, in pixels.
        ratio: the window's width ÷ height.

    Raises:
        ValueError: when applied, the window is larger than the image.

    Follows albumentations 2.0.8's ``RandomSizedCrop``, which silently clips a window that is too large.

    Example:
        >>> RandomSizedCrop(64, heights=(50, 90))(np.zeros((101, 101), np.uint8), key=SampleKey(42, 0, 0)).shape
        (64, 64)
    """

    size: Pair = option()
    heights: Pair = option(
        span, 1, 2**31 - 1, "pass the smallest and the largest height in pixels", kw_only=True, whole=True
    )
    ratio: float = option(real, 1e-6, 1e6, "pass the window's width ÷ height", default=1.0, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Window:
        rows, columns = info.image_size()
        low, high = self.heights
        height = low + rng.integer(high - low + 1)
        width = max(int(height * self.ratio), 1)
        if height > rows or width > columns:
            raise cannot_crop(height, width, info, "pass smaller heights, or put PadIfNeeded before it")
        return Window(rng.integer(rows - height + 1), rng.integer(columns - width + 1), height, width)


# Down and to the right, in quarters of the rows and columns that the window leaves free.
_FIVE: Final = ((0, 0), (0, 4), (4, 0), (4, 4), (2, 2))
_THIRTEEN: Final = (*_FIVE, (0, 2), (2, 4), (4, 2), (2, 0), (1, 1), (1, 3), (3, 1), (3, 3))


@primitive(exact=RESIZED)
class MultiScaleCrop(ResizedCropTransform):
    """Cut out a window whose sides are random shares of the image's shorter side, and resize it to a fixed size.

    Draws the pair of shares (word 1), the fixed position (word 2), top (word 3) and left (word 4).

    Args:
        scales: shares of the image's shorter side, each in (0, 1].
        max_distort: how many positions apart in `scales` height and width may be.
        places: the window's positions: "corners" for the four corners and the middle, "grid" for eight more between
            them, or "random".

    Follows ``MultiScaleCrop`` of mmaction2: its ``num_fixed_crops`` 5 and 13 are "corners" and "grid".

    Example:
        >>> MultiScaleCrop(224)(np.zeros((256, 340, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (224, 224, 3)
    """

    size: Pair = option()
    scales: tuple[float, ...] = option(
        numbers,
        1e-6,
        1.0,
        "pass a list of shares of the shorter side, such as (1, 0.875, 0.75)",
        default=(1.0, 0.875, 0.75, 0.66),
        kw_only=True,
    )
    max_distort: int = option(
        checked_int, 0, 2**31, "pass 0 for squares, 1 for neighbours in scales", default=1, kw_only=True
    )
    places: str = option(choice, ("corners", "grid", "random"), default="corners", kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Window:
        rows, columns = info.image_size()
        sides = [max(int(min(rows, columns) * scale), 1) for scale in self.scales]
        pairs = [
            (height, width)
            for i, height in enumerate(sides)
            for j, width in enumerate(sides)
            if abs(i - j) <= self.max_distort
        ]
        height, width = pairs[rng.integer(len(pairs))]
        positions = _FIVE if self.places == "corners" else _THIRTEEN
        down, right = positions[rng.integer(len(positions))]
        top, left = rng.integer(rows - height + 1), rng.integer(columns - width + 1)
        if self.places != "random":
            top, left = (rows - height) // 4 * down, (columns - width) // 4 * right
        return Window(top, left, height, width)
