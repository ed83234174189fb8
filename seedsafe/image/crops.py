"""Crop, RandomCropFromBorders, CropAndPad, FiveCrop and TenCrop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from seedsafe.checks import pair, probability, real
from seedsafe.draws import Draws
from seedsafe.functional import flip
from seedsafe.functional.resize import INTERPOLATIONS, resize, resize_boxes, resize_points
from seedsafe.functional.window import crop, shift_boxes, shift_points
from seedsafe.image.cut import Cut
from seedsafe.image.options import Filled, choice, flag, put_option
from seedsafe.image.window import Window
from seedsafe.info import Array, Info
from seedsafe.key import checked_int
from seedsafe.primitive import primitive

__all__ = ["Crop", "CropAndPad", "Cropped", "FiveCrop", "RandomCropFromBorders", "TenCrop"]


@primitive(random=False)
@dataclass(frozen=True, slots=True, repr=False)
class Crop(Cut):
    """Cut a fixed window out of the image. Draws nothing beyond its chance. Exact on every machine.

    Args:
        top: the window's first row.
        left: the window's first column.
        height: in pixels.
        width: in pixels.
        p: the probability that the transform fires.
        name: see Transform.

    Raises:
        TypeError: an argument is no integer.
        ValueError: an argument is out of its range; when applied, the window is not inside the image.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> Crop(0, 1, 1, 2)(np.array([[1, 2, 3]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[2, 3]]
    """

    top: int
    left: int
    height: int
    width: int

    def __post_init__(self) -> None:
        Cut.__post_init__(self)
        for name, low in (("top", 0), ("left", 0), ("height", 1), ("width", 1)):
            value = checked_int(
                name, getattr(self, name), low, 2**31, "pass the window in pixels of the image"
            )
            put_option(self, name, value)

    def draw(self, rng: Draws, info: Info) -> Window:
        """Return the window."""
        rows, columns = info.image_size()
        if self.top + self.height > rows or self.left + self.width > columns:
            raise ValueError(
                f"cannot crop {self.height}×{self.width} at row {self.top}, column {self.left} out of an image of shape "
                f"{info.shape}: pass a window inside it, or put PadIfNeeded before"
            )
        return Window(self.top, self.left, self.height, self.width)


@primitive()
@dataclass(frozen=True, slots=True, repr=False)
class RandomCropFromBorders(Cut):
    """Cut a drawn number of rows and columns off each side. Exact on every machine.

    Draws the window's left (word 1), right (word 2), top (word 3) and bottom (word 4).

    Args:
        crop_left: the largest share of the width that is cut off on the left, in [0, 1].
        crop_right: the same on the right.
        crop_top: the largest share of the height that is cut off above.
        crop_bottom: the same below.
        p: the probability that the transform fires.
        name: see Transform.

    Raises:
        TypeError: an argument is not a number.
        ValueError: an argument is out of its range.

    Follows albumentations 2.0.8's ``RandomCropFromBorders``, which keeps at least one row and one column.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> RandomCropFromBorders()(np.zeros((100, 100), np.uint8), key=SampleKey(42, 0, 0)).shape
        (91, 95)
    """

    crop_left: float = field(default=0.1, kw_only=True)
    crop_right: float = field(default=0.1, kw_only=True)
    crop_top: float = field(default=0.1, kw_only=True)
    crop_bottom: float = field(default=0.1, kw_only=True)

    def __post_init__(self) -> None:
        Cut.__post_init__(self)
        for name in ("crop_left", "crop_right", "crop_top", "crop_bottom"):
            value = real(name, getattr(self, name), 0.0, 1.0, "pass the largest share that is cut off")
            put_option(self, name, value)

    def draw(self, rng: Draws, info: Info) -> Window:
        """Return the window."""
        rows, columns = info.image_size()
        words = rng.words(4)
        left, right = _ends(words[0], words[1], columns, self.crop_left, self.crop_right)
        top, bottom = _ends(words[2], words[3], rows, self.crop_top, self.crop_bottom)
        return Window(top, left, bottom - top, right - left)


def _ends(one: int, other: int, side: int, before: float, after: float) -> tuple[int, int]:
    """Return the first place and the one behind the last, as `Draws.integer` makes them of two words."""
    first = min(one * (int(before * side) + 1) >> 64, side - 1)
    low = max(first + 1, int((1.0 - after) * side))
    return first, low + (other * (side - low + 1) >> 64)


class Cropped(NamedTuple):
    """A window of the image, which may reach beyond it, and the size to which it is brought."""

    window: tuple[int, int, int, int]
    size: tuple[int, int]


@primitive()
@dataclass(frozen=True, slots=True, repr=False)
class CropAndPad(Filled):
    """Add or cut off rows and columns on each side, and bring the result to the image's size.

    Draws the amounts above (word 1), on the right (word 2), below (word 3) and on the left (word 4). uint8 images are
    exact on every machine with "bilinear", "area" and "nearest", others for one build of OpenCV.

    Args:
        px: pixels that are added, or, where negative, cut off: one number, a range (low, high), or four of these for
            above, right, below and left.
        percent: the same as a share of height and width, in place of px.
        keep_size: bring the result to the image's size.
        sample_independently: False draws one amount for all sides.
        interpolation: "nearest", "bilinear", "bicubic", "area" or "lanczos"; masks are always "nearest".
        mode: what stands outside the image: "constant", "edge", "reflect" or "symmetric", as in ``numpy.pad``.
        fill: the value outside in the mode "constant", one number or one for each channel.
        mask_fill: the same for masks.
        p: the probability that the transform fires.
        name: see Transform.

    Raises:
        TypeError: an argument is not a number.
        ValueError: an argument is out of its range, or px and percent are both given, or neither.

    Follows albumentations 2.0.8's ``CropAndPad``; at least one row and one column of the image are kept.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> CropAndPad((0, 1, 0, 0), keep_size=False)(np.array([[7]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[7, 0]]
    """

    px: Any = None
    percent: Any = field(default=None, kw_only=True)
    keep_size: bool = field(default=True, kw_only=True)
    sample_independently: bool = field(default=True, kw_only=True)
    interpolation: str = field(default="bilinear", kw_only=True)
    p: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        Filled.__post_init__(self)
        if (self.px is None) == (self.percent is None):
            raise ValueError(f"pass px or percent, got px={self.px!r} and percent={self.percent!r}")
        if self.px is not None:
            put_option(self, "px", _four_ranges("px", self.px, 2**31))
        else:
            put_option(self, "percent", _four_ranges("percent", self.percent, 100.0))
        flag("keep_size", self.keep_size)
        flag("sample_independently", self.sample_independently)
        choice("interpolation", self.interpolation, INTERPOLATIONS)
        put_option(self, "p", probability(self.p))

    def draw(self, rng: Draws, info: Info) -> Cropped:
        """Return the window, and the size to which it is brought."""
        rows, columns = info.image_size()
        units = rng.units(4).tolist()
        if not self.sample_independently:
            units = units[:1] * 4
        if self.px is not None:
            amounts = [
                low + int((high - low + 1) * unit) for (low, high), unit in zip(self.px, units, strict=True)
            ]
        else:
            sides = (rows, columns, rows, columns)
            amounts = [
                int((low + (high - low) * unit) * side)
                for (low, high), unit, side in zip(self.percent, units, sides, strict=True)
            ]
        above, after, below, before = amounts
        above, below = _something_left(above, below, rows)
        before, after = _something_left(before, after, columns)
        window = -above, -before, above + rows + below, before + columns + after
        return Cropped(window, (rows, columns) if self.keep_size else window[2:])

    def out_info(self, info: Info, params: Any) -> Info:
        """Return the info of the result."""
        return info.resized(*params[1])

    def apply_image(self, image: Array, params: Any) -> Array:
        """Return the window of an image, brought to the size."""
        window, (height, width) = params
        cut = crop(image, *window, mode=self.mode, fill=self.fill)
        return resize(cut, height, width, interpolation=self.interpolation)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        """Return the window of a mask, brought to the size without new labels."""
        window, (height, width) = params
        cut = crop(mask, *window, mode=self.mode, fill=self.mask_fill)
        return resize(cut, height, width, interpolation="nearest")

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        """Return keypoints as the result shows them; those outside stay, with coordinates outside."""
        (top, left, rows, columns), (height, width) = params
        return resize_points(shift_points(keypoints, top, left), (rows, columns), (height, width))

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return boxes as the result shows them, cut off at its edges."""
        window, (height, width) = params
        return resize_boxes(shift_boxes(boxes, *window), window[2:], (height, width))


def _something_left(first: int, last: int, side: int) -> tuple[int, int]:
    """Return what is added on both sides, with one pixel of the image left if it would vanish."""
    lacking = 1 - (side + min(first, 0) + min(last, 0))
    if lacking <= 0:
        return first, last
    given = min(-min(first, 0), (lacking + 1) // 2)
    given = max(given, lacking + min(last, 0))
    return first + given, last + lacking - given


def _four_ranges(name: str, value: Any, limit: float) -> tuple[tuple[float, float], ...]:
    """Return the ranges above, right, below and left."""
    way_out = "pass one number, a range (low, high), or four of these for above, right, below and left"
    given = tuple(value) if isinstance(value, tuple | list) and len(value) == 4 else (value,) * 4
    return tuple(_range(name, one, limit, way_out) for one in given)


def _range(name: str, value: Any, limit: float, way_out: str) -> tuple[float, float]:
    ends = tuple(value) if isinstance(value, tuple | list) else (value, value)
    if len(ends) != 2:
        raise ValueError(f"{name} must be one number, a pair or four of these, got {value!r}: {way_out}")
    low: float
    high: float
    if name == "px":
        low, high = (checked_int(name, end, int(-limit), int(limit), way_out) for end in ends)
    else:
        low, high = (real(name, end, -limit, limit, way_out) for end in ends)
    if low > high:
        raise ValueError(f"{name} must be (low, high) with low at most high, got {value!r}: swap them")
    return low, high


@dataclass(frozen=True, slots=True, repr=False)
class _Corners(Cut):
    size: int | tuple[int, int]

    def __post_init__(self) -> None:
        Cut.__post_init__(self)
        put_option(self, "size", pair("size", self.size, "pass the height and width of the crops in pixels"))

    def corner(self, view: int, info: Info) -> Window:
        """Return the upper left, upper right, lower left, lower right or middle window."""
        rows, columns = info.image_size()
        height, width = self.size  # type: ignore[misc]  # a pair since __post_init__
        if height > rows or width > columns:
            raise ValueError(
                f"cannot crop {height}×{width} out of an image of shape {info.shape}: pass a smaller size, or put "
                "PadIfNeeded before"
            )
        if view == 4:
            return Window(round((rows - height) / 2), round((columns - width) / 2), height, width)
        down, right = divmod(view, 2)
        return Window((rows - height) * down, (columns - width) * right, height, width)


@primitive()
@dataclass(frozen=True, slots=True, repr=False)
class FiveCrop(_Corners):
    """Cut out one corner, or the middle: which one follows from the view. Exact on every machine.

    View 0 is the upper left, 1 the upper right, 2 the lower left, 3 the lower right window, 4 the middle, 5 the upper left
    again. A dataset with ``views=5`` gives all of them. Draws nothing beyond its chance.

    Args:
        size: of a window in pixels, one number or (height, width).
        p: the probability that the transform fires.
        name: see Transform.

    Raises:
        TypeError: an argument is of another type.
        ValueError: an argument is out of its range; when applied, the window is larger than the image.

    Follows ``torchvision.transforms.FiveCrop``, whose tuple is the views.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> image = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], np.uint8)
        >>> [int(FiveCrop(1)(image, key=SampleKey(42, 0, 0, view=view))[0, 0]) for view in range(5)]
        [1, 3, 7, 9, 5]
    """

    def draw(self, rng: Draws, info: Info) -> Window:
        """Return the view's window."""
        return self.corner(_view(rng) % 5, info)


def _view(rng: Draws) -> int:
    """Return the number of the view that a stream is of."""
    return rng.address[3] & 0xFFFF


class Mirrored(NamedTuple):
    """A window of the image, and whether it is mirrored left and right."""

    window: tuple[int, int, int, int]
    mirrored: bool


@primitive()
@dataclass(frozen=True, slots=True, repr=False)
class TenCrop(_Corners):
    """Cut out one corner, or the middle, mirrored or not: which one follows from the view. Exact on every machine.

    Views 0 to 4 are those of FiveCrop, views 5 to 9 the same of the mirrored image. A dataset with ``views=10`` gives all
    of them. Draws nothing beyond its chance.

    Args:
        size: of a window in pixels, one number or (height, width).
        vertical_flip: mirror top and bottom instead of left and right.
        p: the probability that the transform fires.
        name: see Transform.

    Raises:
        TypeError: an argument is of another type.
        ValueError: an argument is out of its range; when applied, the window is larger than the image.

    Follows ``torchvision.transforms.TenCrop``, whose tuple is the views.

    Example:
        >>> import numpy as np
        >>> from seedsafe import SampleKey
        >>> image = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], np.uint8)
        >>> [int(TenCrop(1)(image, key=SampleKey(42, 0, 0, view=view))[0, 0]) for view in range(10)]
        [1, 3, 7, 9, 5, 3, 1, 9, 7, 5]
    """

    vertical_flip: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        _Corners.__post_init__(self)
        flag("vertical_flip", self.vertical_flip)

    def draw(self, rng: Draws, info: Info) -> Mirrored:
        """Return the view's window in the image, and whether it is mirrored."""
        view = _view(rng) % 10
        top, left, height, width = self.corner(view % 5, info)
        if view < 5:
            return Mirrored((top, left, height, width), False)
        rows, columns = info.image_size()
        if self.vertical_flip:
            top = rows - height - top
        else:
            left = columns - width - left
        return Mirrored((top, left, height, width), True)

    def out_info(self, info: Info, params: Any) -> Info:
        """Return the info of the window."""
        return Cut.out_info(self, info, params[0])

    def apply_image(self, image: Array, params: Any) -> Array:
        """Return the window of an image, mirrored or not."""
        window = crop(image, *params[0])
        if not params[1]:
            return window
        return flip.vertical_flip(window) if self.vertical_flip else flip.horizontal_flip(window)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        """Return the window of a mask, mirrored or not."""
        return TenCrop.apply_image(self, mask, params)

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        """Return keypoints as the window shows them; those outside stay, with coordinates outside."""
        (top, left, height, width), mirrored = params
        moved = shift_points(keypoints, top, left)
        if not mirrored:
            return moved
        if self.vertical_flip:
            return flip.vertical_flip_points(moved, height)
        return flip.horizontal_flip_points(moved, width)

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return boxes as the window shows them, cut off at its edges."""
        (top, left, height, width), mirrored = params
        moved = shift_boxes(boxes, top, left, height, width)
        if not mirrored:
            return moved
        if self.vertical_flip:
            return flip.vertical_flip_boxes(moved, height)
        return flip.horizontal_flip_boxes(moved, width)
