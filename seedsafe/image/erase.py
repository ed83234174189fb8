"""CoarseDropout, RandomErasing and XYMasking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from seedsafe.functional.erase import Hole
from seedsafe.ground.checks import flag, span
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.image.holes import EraseTransform, Holes, Length, length, length_of, lengths_of
from seedsafe.keys.decisions import log_uniform_at
from seedsafe.keys.draws import Draws
from seedsafe.keys.many import ManyDraws
from seedsafe.pipeline.option import Pair, Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["CoarseDropout", "RandomErasing", "XYMasking"]

_TRIES = 10  # as in torchvision
_MOST: Final = 16
"""The most holes that are drawn for many images at once."""

_STRIPES: Final = "pass the number of stripes, or a range (low, high)"


@primitive(exact=EVERYWHERE, opencv=False)
class CoarseDropout(EraseTransform):
    """Fill a random number of rectangles of random sizes.

    Follows albumentations' ``CoarseDropout``; with ``overhang=True``, T. DeVries and G. Taylor, "Improved
    regularization of convolutional neural networks with cutout", 2017. Draws the number (word 1), then the height,
    width, row and column of every possible rectangle (4 words each); random fills start on the next word divisible by
    4. Any dtype. Boxes shrink to their visible part; keypoints are kept.

    Args:
        count: the number of rectangles, or a range (low, high), both included.
        height: integers are pixels, floats are shares of the image's height; one number or a range (low, high).
        width: the same for the width.
        overhang: whether holes may reach beyond the image: their middle is drawn instead of their corner.

    Example:
        >>> augment = CoarseDropout(1, height=1, width=2)
        >>> augment(np.ones((2, 4), np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[1, 1, 0, 0], [1, 1, 1, 1]]
    """

    count: Pair = option(
        span, 0, 1000, "pass the number of holes, or a range (low, high)", whole=True, default=(1, 2)
    )
    height: Length = option(length, default=(0.1, 0.2))
    width: Length = option(length, default=(0.1, 0.2))
    overhang: bool = option(flag, default=False, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Holes:
        rows, columns = info.image_size()
        low, high = self.count
        count = low + rng.integer(high - low + 1)
        # Words for every possible hole, so that their number does not depend on the count.
        words = iter([rng.word() for _ in range(4 * high)])
        holes = []
        for _ in range(count):
            height = length_of(next(words), self.height, rows)
            width = length_of(next(words), self.width, columns)
            if self.overhang:
                top = (next(words) * rows >> 64) - height // 2
                left = (next(words) * columns >> 64) - width // 2
                corner = min(left + width, columns), min(top + height, rows)
                holes.append((max(left, 0), max(top, 0), *corner))
            else:
                top = next(words) * (rows - height + 1) >> 64
                left = next(words) * (columns - width + 1) >> 64
                holes.append((left, top, left + width, top + height))
        return Holes(tuple(holes), rng.noise())

    def _draw_many(self, draws: ManyDraws, info: Info) -> Any:
        rows, columns = info.image_size()
        low, high = self.count
        if high > _MOST or isinstance(self.fill, str):
            return None
        counts = low + draws.integer(high - low + 1)
        holes = np.zeros((len(draws), high, 4), np.int64)
        for number in range(high):
            height = lengths_of(draws, self.height, rows)
            width = lengths_of(draws, self.width, columns)
            if self.overhang:
                top = draws.integer(rows) - height // 2
                left = draws.integer(columns) - width // 2
            else:
                top = draws.integer((rows - height + 1).astype(np.uint64))
                left = draws.integer((columns - width + 1).astype(np.uint64))
            ends = np.minimum(left + width, columns), np.minimum(top + height, rows)
            holes[:, number] = np.stack([np.maximum(left, 0), np.maximum(top, 0), *ends], axis=1)
        holes[np.arange(high) >= counts[:, np.newaxis]] = 0
        return (holes,)


@primitive(exact=EVERYWHERE, opencv=False)
class RandomErasing(EraseTransform):
    """Fill one rectangle of a random area and shape.

    Follows ``torchvision.transforms.RandomErasing`` and Z. Zhong et al., "Random erasing data augmentation", 2020: the
    first of ten rectangles that is smaller than the image; if none is, the image stays the same. Draws the area and
    shape of each (words 1 to 20), the row and column (words 21 and 22); random fills start at word 24. With `fitting`,
    it uses the words of the first, as albumentations 2.0.8's ``Erasing`` does. Any dtype. Masks change only with
    `mask_fill`; boxes shrink to their visible part; keypoints are kept.

    Args:
        scale: a range (low, high) of shares of the image's area.
        ratio: a range (low, high) of height ÷ width, with a uniform logarithm.
        fitting: draw the area, then the ratio, only from those with which the rectangle fits into the image. The ratio
            is then width ÷ height, and uniform itself.
        fill: as in `CoarseDropout`; torchvision's "random" is "normal".

    Example:
        >>> RandomErasing(p=1)(np.ones((3, 4), np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[0, 0, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]
    """

    scale: Range = option(
        span, 0.0, 1.0, "pass a range (low, high) of shares of the image's area", default=(0.02, 0.33)
    )
    ratio: Range = option(span, 1e-6, 1e6, "pass a range (low, high) of height ÷ width", default=(0.3, 3.3))
    fitting: bool = option(flag, default=False, kw_only=True)
    p: float = option(default=0.5, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Holes:
        """Return one hole or none."""
        units = rng.units(2 * _TRIES).tolist()
        hole = self._hole(units, rng.word(), rng.word(), *info.image_size())
        return Holes(() if hole is None else (hole,), rng.noise())

    def _draw_many(self, draws: ManyDraws, info: Info) -> Any:
        if isinstance(self.fill, str):
            return None
        units = [draws.unit().tolist() for _ in range(2 * _TRIES)]
        words = draws.word().tolist(), draws.word().tolist()
        size = info.image_size()
        holes = [
            self._hole(shares, vertical, horizontal, *size) or (0, 0, 0, 0)
            for *shares, vertical, horizontal in zip(*units, *words, strict=True)
        ]
        return (np.array(holes, np.int64).reshape(-1, 1, 4),)

    def _hole(
        self, units: Sequence[float], vertical: int, horizontal: int, rows: int, columns: int
    ) -> Hole | None:
        if self.fitting:
            height, width = self._fit(units[0], units[1], rows, columns)
            if not height or not width:
                return None
        else:
            low, high = self.scale
            for share, shape in zip(units[::2], units[1::2], strict=True):
                area = (low + (high - low) * share) * rows * columns
                ratio = log_uniform_at(shape, *self.ratio)
                height, width = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
                if height < rows and width < columns:
                    break
            else:
                return None
        top = vertical * (rows - height + 1) >> 64
        left = horizontal * (columns - width + 1) >> 64
        return left, top, left + width, top + height

    def _fit(self, share: float, shape: float, rows: int, columns: int) -> tuple[int, int]:
        """Return the height and width of a rectangle that fits into the image, or 0 and 0 if none does."""
        (low, high), (flattest, widest) = self.scale, self.ratio
        least = low * rows * columns
        most = min(high * rows * columns, flattest * rows * rows, columns * columns / widest)
        if most < least:
            return 0, 0
        area = least + (most - least) * share
        if area == 0:
            return 0, 0
        ratio = max(flattest, area / (rows * rows))
        ratio += (min(widest, columns * columns / area) - ratio) * shape
        height, width = round(math.sqrt(area / ratio)), round(math.sqrt(area * ratio))
        return min(height, rows), min(width, columns)


@primitive(exact=EVERYWHERE, opencv=False)
class XYMasking(EraseTransform):
    """Fill whole columns and whole rows, as spectrograms are masked in time and frequency.

    Follows D. Park et al., "SpecAugment", 2019, and albumentations' ``XYMasking``. Draws the number of stripes of
    columns (word 1), the width and position of every possible stripe (2 words each), and the same for rows. Any dtype.
    Boxes shrink to their visible part; keypoints are kept.

    Args:
        columns: the number of stripes of columns, or a range (low, high), both included.
        rows: the same for rows.
        width: the width of a stripe of columns: integers are pixels, floats are shares of the image's width; one number
            or a range.
        height: the same for the height of a stripe of rows.

    Example:
        >>> XYMasking(1, 0, width=2)(np.ones((2, 5), np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[1, 1, 0, 0, 1], [1, 1, 0, 0, 1]]
    """

    columns: Pair = option(span, 0, 1000, _STRIPES, whole=True, default=1)
    rows: Pair = option(span, 0, 1000, _STRIPES, whole=True, default=1)
    width: Length = option(length, default=(0.0, 0.1), kw_only=True)
    height: Length = option(length, default=(0.0, 0.1), kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Holes:
        height, width = info.image_size()
        upright = [(x0, 0, x1, height) for x0, x1 in _stripes(rng, self.columns, self.width, width)]
        flat = [(0, y0, width, y1) for y0, y1 in _stripes(rng, self.rows, self.height, height)]
        return Holes((*upright, *flat), rng.noise())

    def _draw_many(self, draws: ManyDraws, info: Info) -> Any:
        height, width = info.image_size()
        most = self.columns[1]
        if most + self.rows[1] > _MOST or isinstance(self.fill, str):
            return None
        holes = np.zeros((len(draws), most + self.rows[1], 4), np.int64)
        holes[:, :most, 3], holes[:, most:, 2] = height, width
        holes[:, :most, ::2] = _many_stripes(draws, self.columns, self.width, width)
        holes[:, most:, 1::2] = _many_stripes(draws, self.rows, self.height, height)
        return (holes,)


def _many_stripes(draws: ManyDraws, counts: Any, lengths: Any, side: int) -> Array:
    """Return the result of `_stripes` for each stream, padded with empty stripes: int64, (N, most, 2)."""
    low, high = counts
    count = low + draws.integer(high - low + 1)
    stripes = np.zeros((len(draws), high, 2), np.int64)
    for number in range(high):
        size = lengths_of(draws, lengths, side)
        start = draws.integer((side - size + 1).astype(np.uint64))
        stripes[:, number] = np.stack([start, start + size], axis=1)
    stripes[np.arange(high) >= count[:, np.newaxis]] = 0
    return stripes


def _stripes(rng: Draws, counts: Any, lengths: Any, side: int) -> list[tuple[int, int]]:
    low, high = counts
    count = low + rng.integer(high - low + 1)
    # Words for every possible stripe, so that their number does not depend on the count.
    words = [rng.word() for _ in range(2 * high)]
    stripes = []
    for k in range(count):
        size = length_of(words[2 * k], lengths, side)
        start = words[2 * k + 1] * (side - size + 1) >> 64
        stripes.append((start, start + size))
    return stripes
