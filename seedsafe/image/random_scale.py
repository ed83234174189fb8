"""RandomScale."""

from __future__ import annotations

from typing import Any

from seedsafe.ground.checks import checked_int, flag, span
from seedsafe.ground.exactness import RESIZED
from seedsafe.ground.info import Info
from seedsafe.image.scaling import (
    LIMIT_WAY_OUT,
    Scaled,
    ScaleTransform,
    check_size,
    shorter_side,
    times,
    within,
)
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Option, option, store
from seedsafe.pipeline.primitive import check_options, primitive

__all__ = ["RandomScale"]


def _sizes(name: str, value: Any) -> tuple[int | tuple[int, int], ...]:
    if not isinstance(value, tuple | list) or not value:
        raise TypeError(f"{name} must be a list of sizes, got {value!r}: pass one size as size=")
    return tuple(check_size("a size of sizes", one) for one in value)


@primitive(exact=RESIZED)
class RandomScale(ScaleTransform):
    """Resize the image at random: by a factor, to one of several sizes, or to a size between two.

    Draws the factor (word 1), and the size (word 2) or its two sides (words 2 and 3): always three words.

    Args:
        scale: the factor: a range, or one number x for 1 - x to 1 + x.
        size: the size to multiply by the factor, instead of the image's own: a number is the shorter side, a pair is
            (height, width).
        sizes: several such sizes to draw from.
        between: draw a size between the two in `sizes` instead of one of them, each side separately.
        keep_ratio: with pairs, keep the image's shape: the larger number is the longer side's limit, the smaller number
            the shorter side's, as in (1333, 800). False resizes the image to (height, width).
        max_size: with numbers, the longer side's limit.

    Raises:
        ValueError: an argument is out of its range, or options cannot be used together.

    Follows albumentations 2.0.8's ``RandomScale`` for only a factor; mmdetection's ``RandomResize`` and
    ``RandomChoiceResize`` for pairs; ``torchvision.transforms.v2.RandomShortestSize`` for numbers.

    Example:
        >>> image, key = np.zeros((480, 640, 3), np.uint8), SampleKey(42, 0, 0)
        >>> RandomScale((0.5, 0.5))(image, key=key).shape
        (240, 320, 3)
        >>> RandomScale(sizes=[(1333, 640), (1333, 800)], between=True)(image, key=key).shape
        (726, 968, 3)
        >>> RandomScale(sizes=[160, 192, 224], max_size=256)(image, key=key).shape
        (192, 256, 3)
    """

    scale: Option[float | tuple[float, float] | None, tuple[float, float] | None] = option(default=None)
    size: int | tuple[int, int] | None = option(check_size, default=None, kw_only=True)
    sizes: Any = option(_sizes, default=None, kw_only=True)
    between: bool = option(flag, default=False, kw_only=True)
    keep_ratio: bool = option(flag, default=True, kw_only=True)
    max_size: int | None = option(checked_int, 1, 2**31, LIMIT_WAY_OUT, default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_options(self)
        if self.size is not None and self.sizes is not None:
            raise ValueError(f"pass size or sizes, not both: got size={self.size!r} and sizes={self.sizes!r}")
        sizes: tuple[int | tuple[int, int], ...] = self.sizes or (() if self.size is None else (self.size,))
        if self.scale is not None or not sizes:
            way_out = "pass 0.1 for 0.9 to 1.1, or a range of factors"
            scale = 0.1 if self.scale is None else self.scale
            store(self, scale=span("scale", scale, 1e-6, 1e6, way_out, about=1.0))
        if self.between and (len(sizes) != 2 or type(sizes[0]) is not type(sizes[1])):
            raise ValueError(
                f"between=True needs two sizes of the same kind, got sizes={self.sizes!r}: pass the smallest and the largest size"
            )
        if self.max_size is not None and not (sizes and all(isinstance(size, int) for size in sizes)):
            raise ValueError(
                f"max_size needs numbers in size or sizes, got {sizes}: leave it out, because a pair has its own limits"
            )

    def draw(self, rng: Draws, info: Info) -> Scaled:
        rows, columns = info.image_size()
        low, high = (1.0, 1.0) if self.scale is None else self.scale
        factor = rng.uniform(low, high)
        size = self._draw_size(rng)
        if size is None:
            return Scaled(max(int(rows * factor), 1), max(int(columns * factor), 1), rows, columns)
        if isinstance(size, int):
            side = size if self.scale is None else times(size, factor)
            return Scaled(*shorter_side(rows, columns, side, self.max_size), rows, columns)
        if self.keep_ratio:
            return Scaled(*within(rows, columns, (size[0] * factor, size[1] * factor)), rows, columns)
        return Scaled(times(size[0], factor), times(size[1], factor), rows, columns)

    def _draw_size(self, rng: Draws) -> int | tuple[int, int] | None:
        """Draw the size to multiply by the factor. Two words."""
        sizes = self.sizes
        if sizes is None or not self.between:
            position = rng.integer(len(sizes) if sizes else 1)
            rng.word()
            return sizes[position] if sizes else self.size
        if isinstance(sizes[0], int):
            side = _between(rng, *sizes)
            rng.word()
            return side
        first, second = (sorted(size) if self.keep_ratio else size for size in sizes)
        return _between(rng, first[0], second[0]), _between(rng, first[1], second[1])


def _between(rng: Draws, one: int, other: int) -> int:
    low, high = min(one, other), max(one, other)
    return low + rng.integer(high - low + 1)
