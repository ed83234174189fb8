"""Resize, SmallestMaxSize and LongestMaxSize."""

from __future__ import annotations

from typing import Any, ClassVar

from seedsafe.ground.checks import checked_int, each, flag
from seedsafe.ground.exactness import RESIZED
from seedsafe.ground.info import Info
from seedsafe.image.scaling import (
    LIMIT_WAY_OUT,
    SIZE_WAY_OUT,
    Scaled,
    ScaleTransform,
    check_size,
    shorter_side,
    within,
)
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import check_options, primitive

__all__ = ["LongestMaxSize", "Resize", "SmallestMaxSize"]


@primitive(exact=RESIZED, random=False)
class Resize(ScaleTransform):
    """Resize the image. Draws only whether it fires.

    Args:
        size: (height, width) in pixels, or one number for the shorter side, which keeps the shape.
        max_size: with one number, the longer side's limit: the image is made smaller if that side would be longer.
        keep_ratio: with a pair, keep the shape: the larger number is the longer side's limit, the smaller number the
            shorter side's, as in (1333, 800).

    Raises:
        ValueError: an argument is out of its range, or max_size or keep_ratio does not fit size.

    Follows ``torchvision.transforms.Resize`` for a shorter side, and mmcv's ``rescale_size`` for keep_ratio; without
    smoothing before an image shrinks, unless antialias is True.

    Example:
        >>> image = np.zeros((480, 640, 3), np.uint8)
        >>> key = SampleKey(42, 0, 0)
        >>> Resize((224, 224))(image, key=key).shape, Resize(240)(image, key=key).shape
        ((224, 224, 3), (240, 320, 3))
        >>> Resize((1333, 800), keep_ratio=True)(image, key=key).shape
        (800, 1067, 3)
    """

    size: int | tuple[int, int] = option(check_size)
    max_size: int | None = option(checked_int, 1, 2**31, LIMIT_WAY_OUT, default=None, kw_only=True)
    keep_ratio: bool = option(flag, default=False, kw_only=True)

    def __post_init__(self) -> None:
        check_options(self)
        if self.max_size is not None and not isinstance(self.size, int):
            raise ValueError(
                f"max_size needs one number as size, the shorter side, got size={self.size!r}: {SIZE_WAY_OUT}"
            )
        if self.keep_ratio and isinstance(self.size, int):
            raise ValueError(
                f"keep_ratio needs a pair as size, got size={self.size!r}: leave it out, because one number always keeps the shape"
            )

    def draw(self, rng: Draws, info: Info) -> Scaled:
        """Return the size, which follows from the image's."""
        rows, columns = info.image_size()
        if isinstance(self.size, int):
            return Scaled(*shorter_side(rows, columns, self.size, self.max_size), rows, columns)
        height, width = within(rows, columns, self.size) if self.keep_ratio else self.size
        return Scaled(height, width, rows, columns)


def _lengths(name: str, value: Any) -> int | tuple[int, ...]:
    way_out = "pass the side's length in pixels, or a list to draw one from"
    if isinstance(value, tuple | list) and not value:
        raise ValueError(f"{name} must have at least one number, got {value!r}: {way_out}")
    lengths: int | tuple[int, ...] = each(name, value, checked_int, 1, 2**31, way_out)
    return lengths


@primitive()
class _OneSide(ScaleTransform):
    size: int | tuple[int, ...] = option(_lengths)

    longest: ClassVar[bool]

    def draw(self, rng: Draws, info: Info) -> Scaled:
        rows, columns = info.image_size()
        sides = (self.size,) if isinstance(self.size, int) else self.size
        factor = sides[rng.integer(len(sides))] / (max if self.longest else min)(rows, columns)
        return Scaled(max(round(rows * factor), 1), max(round(columns * factor), 1), rows, columns)


@primitive(exact=RESIZED)
class SmallestMaxSize(_OneSide):
    """Resize the image's shorter side to a length, and keep its shape.

    Draws one of several lengths (word 1).

    Args:
        size: the length of the shorter side in pixels, or a list to draw from.

    Follows albumentations 2.0.8's ``SmallestMaxSize``.

    Example:
        >>> SmallestMaxSize(120)(np.zeros((480, 640), np.uint8), key=SampleKey(42, 0, 0)).shape
        (120, 160)
    """

    longest: ClassVar[bool] = False


@primitive(exact=RESIZED)
class LongestMaxSize(_OneSide):
    """Resize the image's longer side to a length, and keep its shape.

    Draws one of several lengths (word 1).

    Args:
        size: the length of the longer side in pixels, or a list to draw from.

    Follows albumentations 2.0.8's ``LongestMaxSize``.

    Example:
        >>> LongestMaxSize(120)(np.zeros((480, 640), np.uint8), key=SampleKey(42, 0, 0)).shape
        (90, 120)
    """

    longest: ClassVar[bool] = True
