"""Resize, SmallestMaxSize, LongestMaxSize and RandomScale."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from seedsafe.checks import pair
from seedsafe.draws import Draws
from seedsafe.functional.resize import resize, resize_boxes, resize_points
from seedsafe.image.options import Interpolated, around, flag, put_option
from seedsafe.info import Array, Info
from seedsafe.key import checked_int
from seedsafe.primitive import primitive

__all__ = ["LongestMaxSize", "RandomScale", "Resize", "Scaled", "SmallestMaxSize"]


class Scaled(NamedTuple):
    """The result's height and width, and the given image's number of rows and columns."""

    height: int
    width: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True, repr=False)
class _Scaling(Interpolated):
    """A transform whose result is the whole image in another size."""

    def out_info(self, info: Info, params: Any) -> Info:
        """Return the info of the result."""
        return info.resized(params[0], params[1])

    def apply_image(self, image: Array, params: Any) -> Array:
        """Return the image in its new size."""
        return resize(image, params[0], params[1], interpolation=self.interpolation)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        """Return the mask in its new size, without new labels."""
        return resize(mask, params[0], params[1], interpolation="nearest")

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        """Return the keypoints in the image's new size."""
        height, width, rows, columns = params
        return resize_points(keypoints, (rows, columns), (height, width))

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return the boxes in the image's new size."""
        height, width, rows, columns = params
        return resize_boxes(boxes, (rows, columns), (height, width))


def _shorter_side(rows: int, columns: int, side: int, limit: int | None) -> tuple[int, int]:
    """Return the size in which the shorter side is `side`, unless the longer one would exceed the limit."""
    short, long = min(rows, columns), max(rows, columns)
    new_short, new_long = side, side * long // short
    if limit is not None and new_long > limit:
        new_short, new_long = max(limit * new_short // new_long, 1), limit
    return (new_short, new_long) if rows <= columns else (new_long, new_short)


def _within(rows: int, columns: int, bounds: tuple[float, float]) -> tuple[int, int]:
    """Return the largest size of the same shape whose longer and shorter sides keep within two bounds."""
    factor = min(max(bounds) / max(rows, columns), min(bounds) / min(rows, columns))
    return _times(rows, factor), _times(columns, factor)


def _times(side: int, factor: float) -> int:
    return max(int(side * factor + 0.5), 1)


_WAY_OUT = "pass the shorter side, or (height, width), in pixels"


@primitive(random=False)
@dataclass(frozen=True, slots=True, repr=False)
class Resize(_Scaling):
    """Bring the image to a size. Draws nothing beyond its chance.

    uint8 images are exact on every machine with "bilinear", "area" and "nearest", others for one build of OpenCV.

    Args:
        size: (height, width), or one number for the shorter side, which keeps the shape; in pixels.
        max_size: with one number, the longer side's limit: where it would be longer, the image is made smaller.
        keep_ratio: with a pair, keep the shape: the image is as large as the larger number allows its longer side,
            and the smaller one its shorter side, as in (1333, 800).
        interpolation: "nearest", "bilinear", "bicubic", "area" or "lanczos"; masks are always "nearest".
        p: the probability that the transform fires.
        name: see Transform.

    Raises:
        TypeError: an argument is of another type.
        ValueError: an argument is out of its range, or max_size and keep_ratio do not go with size.

    Follows ``torchvision.transforms.Resize`` for a shorter side, and mmcv's ``rescale_size`` for keep_ratio; nothing
    is smoothed before an image shrinks.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> image = np.zeros((480, 640, 3), np.uint8)
        >>> key = SampleKey(42, 0, 0)
        >>> Resize((224, 224))(image, key=key).shape, Resize(240)(image, key=key).shape
        ((224, 224, 3), (240, 320, 3))
        >>> Resize((1333, 800), keep_ratio=True)(image, key=key).shape
        (800, 1067, 3)
    """

    size: int | tuple[int, int]
    max_size: int | None = field(default=None, kw_only=True)
    keep_ratio: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        Interpolated.__post_init__(self)
        flag("keep_ratio", self.keep_ratio)
        put_option(self, "size", _size(self.size))
        if self.max_size is not None and not isinstance(self.size, int):
            raise ValueError(
                f"max_size goes with one number for the shorter side, got size={self.size!r}: {_WAY_OUT}"
            )
        if self.keep_ratio and isinstance(self.size, int):
            raise ValueError(
                f"keep_ratio goes with a pair, got size={self.size!r}, which keeps the shape by itself: leave it out"
            )
        if self.max_size is not None:
            limit = checked_int("max_size", self.max_size, 1, 2**31, "pass the longer side's limit in pixels")
            put_option(self, "max_size", limit)

    def draw(self, rng: Draws, info: Info) -> Scaled:
        """Return the size, which follows from the image's."""
        rows, columns = info.image_size()
        if isinstance(self.size, int):
            return Scaled(*_shorter_side(rows, columns, self.size, self.max_size), rows, columns)
        height, width = _within(rows, columns, self.size) if self.keep_ratio else self.size
        return Scaled(height, width, rows, columns)


@dataclass(frozen=True, slots=True, repr=False)
class _OneSide(_Scaling):
    size: int | tuple[int, ...]

    def __post_init__(self) -> None:
        Interpolated.__post_init__(self)
        given: Any = self.size
        sides = tuple(given) if isinstance(given, tuple | list) else (given,)
        way_out = "pass the side's length in pixels, or a list of which one is drawn"
        if not sides:
            raise ValueError(f"size must have at least one number, got {given!r}: {way_out}")
        lengths = tuple(checked_int("size", side, 1, 2**31, way_out) for side in sides)
        put_option(self, "size", lengths if isinstance(given, tuple | list) else lengths[0])

    def side(self, rng: Draws) -> int:
        """Return the side's length, one word."""
        if isinstance(self.size, int):
            rng.word()
            return self.size
        return self.size[rng.integer(len(self.size))]


@primitive()
@dataclass(frozen=True, slots=True, repr=False)
class SmallestMaxSize(_OneSide):
    """Bring the image's shorter side to a length, and keep its shape.

    Draws one of several lengths (word 1). uint8 images are exact on every machine with "bilinear", "area" and "nearest",
    others for one build of OpenCV.

    Args:
        size: of the shorter side in pixels, or a list of which one is drawn.
        interpolation: see Resize.
        p: the probability that the transform fires.
        name: see Transform.

    Raises:
        TypeError: an argument is of another type.
        ValueError: an argument is out of its range.

    Follows albumentations 2.0.8's ``SmallestMaxSize``.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> SmallestMaxSize(120)(np.zeros((480, 640), np.uint8), key=SampleKey(42, 0, 0)).shape
        (120, 160)
    """

    def draw(self, rng: Draws, info: Info) -> Scaled:
        """Return the size."""
        rows, columns = info.image_size()
        factor = self.side(rng) / min(rows, columns)
        return Scaled(max(round(rows * factor), 1), max(round(columns * factor), 1), rows, columns)


@primitive()
@dataclass(frozen=True, slots=True, repr=False)
class LongestMaxSize(_OneSide):
    """Bring the image's longer side to a length, and keep its shape.

    Draws one of several lengths (word 1). uint8 images are exact on every machine with "bilinear", "area" and "nearest",
    others for one build of OpenCV.

    Args:
        size: of the longer side in pixels, or a list of which one is drawn.
        interpolation: see Resize.
        p: the probability that the transform fires.
        name: see Transform.

    Raises:
        TypeError: an argument is of another type.
        ValueError: an argument is out of its range.

    Follows albumentations 2.0.8's ``LongestMaxSize``.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> LongestMaxSize(120)(np.zeros((480, 640), np.uint8), key=SampleKey(42, 0, 0)).shape
        (90, 120)
    """

    def draw(self, rng: Draws, info: Info) -> Scaled:
        """Return the size."""
        rows, columns = info.image_size()
        factor = self.side(rng) / max(rows, columns)
        return Scaled(max(round(rows * factor), 1), max(round(columns * factor), 1), rows, columns)


@primitive()
@dataclass(frozen=True, slots=True, repr=False)
class RandomScale(_Scaling):
    """Bring the image to a drawn size: by a factor, or to one of several sizes, or to one between two.

    Draws the factor (word 1), and the size (word 2) or its two sides (words 2 and 3); always three words.

    uint8 images are exact on every machine with "bilinear", "area" and "nearest", others for one build of OpenCV.

    Args:
        scale: the factor, a range, or one number x for 1 - x to 1 + x.
        size: what the factor is of, instead of the image's own size: a number is the shorter side, a pair (height, width).
        sizes: several such sizes, of which one is drawn.
        between: draw a size between the two of `sizes` instead of one of them, each side for itself.
        keep_ratio: of pairs, keep the image's shape: the larger number is the longer side's limit, the smaller one the
            shorter side's, as in (1333, 800). False brings the image to (height, width).
        max_size: of numbers, the longer side's limit.
        interpolation: "nearest", "bilinear", "bicubic", "area" or "lanczos"; masks are always "nearest".
        p: the probability that the transform fires.
        name: see Transform.

    Raises:
        TypeError: an argument is of another type.
        ValueError: an argument is out of its range, or options do not go together.

    Follows albumentations 2.0.8's ``RandomScale`` for a factor alone; mmdetection's ``RandomResize`` and
    ``RandomChoiceResize`` for pairs; ``torchvision.transforms.v2.RandomShortestSize`` for numbers.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> image, key = np.zeros((480, 640, 3), np.uint8), SampleKey(42, 0, 0)
        >>> RandomScale((0.5, 0.5))(image, key=key).shape
        (240, 320, 3)
        >>> RandomScale(sizes=[(1333, 640), (1333, 800)], between=True)(image, key=key).shape
        (726, 968, 3)
        >>> RandomScale(sizes=[160, 192, 224], max_size=256)(image, key=key).shape
        (192, 256, 3)
    """

    scale: float | tuple[float, float] | None = None
    size: int | tuple[int, int] | None = field(default=None, kw_only=True)
    sizes: Any = field(default=None, kw_only=True)
    between: bool = field(default=False, kw_only=True)
    keep_ratio: bool = field(default=True, kw_only=True)
    max_size: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        Interpolated.__post_init__(self)
        flag("between", self.between)
        flag("keep_ratio", self.keep_ratio)
        if self.size is not None and self.sizes is not None:
            raise ValueError(f"pass size or sizes, got size={self.size!r} and sizes={self.sizes!r}")
        if self.size is not None:
            put_option(self, "size", _size(self.size))
        if self.sizes is not None:
            put_option(self, "sizes", _sizes(self.sizes))
        sizes: tuple[int | tuple[int, int], ...] = self.sizes or (() if self.size is None else (self.size,))
        if self.scale is not None or not sizes:
            way_out = "pass 0.1 for 0.9 to 1.1, or a range of factors"
            scale = 0.1 if self.scale is None else self.scale
            put_option(self, "scale", around("scale", scale, 1e-6, 1e6, way_out, centre=1.0))
        if self.between and (len(sizes) != 2 or type(sizes[0]) is not type(sizes[1])):
            raise ValueError(
                f"between goes with two sizes of one form, got sizes={self.sizes!r}: pass the smallest and the largest"
            )
        if self.max_size is not None:
            if not sizes or not all(isinstance(size, int) for size in sizes):
                raise ValueError(
                    f"max_size goes with numbers in size or sizes, got {sizes}: a pair has its own limits"
                )
            limit = checked_int("max_size", self.max_size, 1, 2**31, "pass the longer side's limit in pixels")
            put_option(self, "max_size", limit)

    def draw(self, rng: Draws, info: Info) -> Scaled:
        """Return the size."""
        rows, columns = info.image_size()
        low, high = (1.0, 1.0) if self.scale is None else self.scale  # type: ignore[misc]  # a pair since __post_init__
        factor = rng.uniform(low, high)
        size = self._drawn(rng)
        if size is None:
            return Scaled(max(int(rows * factor), 1), max(int(columns * factor), 1), rows, columns)
        if isinstance(size, int):
            side = size if self.scale is None else _times(size, factor)
            return Scaled(*_shorter_side(rows, columns, side, self.max_size), rows, columns)
        if self.keep_ratio:
            return Scaled(*_within(rows, columns, (size[0] * factor, size[1] * factor)), rows, columns)
        return Scaled(_times(size[0], factor), _times(size[1], factor), rows, columns)

    def _drawn(self, rng: Draws) -> int | tuple[int, int] | None:
        """Return the size that the factor is of; two words."""
        sizes = self.sizes
        if sizes is None or not self.between:
            place = rng.integer(len(sizes) if sizes else 1)
            rng.word()
            return sizes[place] if sizes else self.size
        if isinstance(sizes[0], int):
            side = _between(rng, *sizes)
            rng.word()
            return side
        first, second = (sorted(size) if self.keep_ratio else size for size in sizes)
        return _between(rng, first[0], second[0]), _between(rng, first[1], second[1])


def _between(rng: Draws, one: int, other: int) -> int:
    low, high = min(one, other), max(one, other)
    return low + rng.integer(high - low + 1)


def _size(given: Any) -> int | tuple[int, int]:
    """Return a size in one form: a number, or a pair."""
    if isinstance(given, tuple | list):
        return pair("size", given, _WAY_OUT)
    return checked_int("size", given, 1, 2**31, _WAY_OUT)


def _sizes(given: Any) -> tuple[int | tuple[int, int], ...]:
    if not isinstance(given, tuple | list) or not given:
        raise TypeError(f"sizes must be a list of sizes, got {given!r}: pass one size as size=")
    return tuple(_size(one) for one in given)
