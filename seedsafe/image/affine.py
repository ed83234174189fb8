"""Affine and Rotate."""

from __future__ import annotations

from typing import Any

from seedsafe.ground.checks import flag, real, span
from seedsafe.ground.exactness import NEAREST
from seedsafe.ground.info import Info
from seedsafe.image.options import ANGLE
from seedsafe.image.warped import AffineTransform, Moved
from seedsafe.keys.decisions import cos_sin_degrees
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Option, Range, option
from seedsafe.pipeline.primitive import check_options, primitive

__all__ = ["Affine", "Rotate"]

_Two = tuple[float, float]
_Ranges = Option[float | _Two | tuple[_Two, _Two], Any]


def _is_two_ranges(value: Any) -> bool:
    return (
        isinstance(value, tuple | list)
        and any(isinstance(one, tuple | list) for one in value)
        and len(value) == 2
    )


def _range_or_two(name: str, value: Any, low: float, high: float, way_out: str, *, about: float) -> Any:
    """Return one range, or one for x and one for y."""
    if _is_two_ranges(value):
        return tuple(span(name, one, low, high, way_out, about=about) for one in value)
    return span(name, value, low, high, way_out, about=about)


def _shifts(name: str, value: Any) -> tuple[_Two, _Two]:
    way_out = "pass a share of the image's size such as 0.1, (0.1, 0.05) for x and y, or a range for each"
    if _is_two_ranges(value):
        across, down = (span(name, one, -1e3, 1e3, way_out, about=0.0) for one in value)
        return across, down
    reaches = tuple(value) if isinstance(value, tuple | list) else (value, value)
    if len(reaches) != 2:
        raise ValueError(f"{name} must be one number, or two for x and y, got {value!r}: {way_out}")
    x, y = (real(name, one, 0.0, 1e3, way_out) for one in reaches)
    return (0.0 - x, x), (0.0 - y, y)


@primitive(exact=NEAREST)
class Affine(AffineTransform):
    """Turn, translate, scale and shear the image around its middle, each by a random amount.

    Draws the angle (word 1), the shift in x (word 2) and y (word 3), the scale in x (word 4) and y (word 5), the shear
    in x (word 6) and y (word 7). The parameters, keypoints and boxes are equal on every machine.

    Args:
        degrees: the angle, counter-clockwise: a range, or one number x for -x to x.
        translate: the shift as a share of width and height: one number x for -x to x in both; (x, y) for -x to x of the
            width and -y to y of the height; ((x0, x1), (y0, y1)) for ranges.
        scale: the factor: a range, or one number x for 1 - x to 1 + x; ((x0, x1), (y0, y1)) draws one for each axis.
        shear: the angle in degrees by which columns lean: a range, or one number x for -x to x; ((x0, x1), (y0, y1))
            leans rows as well.
        expand: make the result large enough for the whole image.

    Follows ``torchvision.transforms.RandomAffine``, where angles are clockwise and shifts are whole pixels.

    Example:
        >>> augment = Affine(15, translate=0.1, scale=(0.9, 1.1), shear=5)
        >>> augment(np.zeros((64, 48, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (64, 48, 3)
        >>> Affine.shift_scale_rotate(rotate=30)
        Affine(degrees=(-30.0, 30.0), translate=((-0.0625, 0.0625), (-0.0625, 0.0625)), scale=(0.9, 1.1))
    """

    degrees: Range = option(span, -1e6, 1e6, ANGLE, about=0.0, default=(0.0, 0.0))
    translate: Option[float | _Two | tuple[_Two, _Two], tuple[_Two, _Two]] = option(
        _shifts, default=((0.0, 0.0), (0.0, 0.0)), kw_only=True
    )
    scale: _Ranges = option(
        _range_or_two,
        1e-6,
        1e6,
        "pass factors such as (0.9, 1.1), or a range for x and one for y",
        about=1.0,
        default=(1.0, 1.0),
        kw_only=True,
    )
    shear: _Ranges = option(
        _range_or_two,
        -89.9,
        89.9,
        "pass an angle below 90 degrees, or a range, or a range for x and one for y",
        about=0.0,
        default=(0.0, 0.0),
        kw_only=True,
    )

    @classmethod
    def shift_scale_rotate(
        cls,
        shift: Any = 0.0625,
        scale: float | _Two = 0.1,
        rotate: float | _Two = 45.0,
        **options: Any,
    ) -> Affine:
        """Return the Affine that albumentations calls ShiftScaleRotate.

        Args:
            shift: the shift as a share of width and height: a range for both, or one number x for -x to x, or
                ((x0, x1), (y0, y1)).
            scale: the amount added to a factor of 1: a range, or one number x for -x to x.
            rotate: the angle in degrees: a range, or one number x for -x to x.
            options: see Affine.

        Example:
            >>> Affine.shift_scale_rotate(shift=0.1, scale=0, rotate=15).degrees
            (-15.0, 15.0)
        """
        way_out = "pass a share of the image's size, or a range"
        both = shift if _is_two_ranges(shift) else (shift, shift)
        across, down = (span("shift", one, -1e3, 1e3, way_out, about=0.0) for one in both)
        way_out = "pass the amount added to a factor of 1, or a range"
        low, high = span("scale", scale, -0.999999, 1e6, way_out, about=0.0)
        return cls(rotate, translate=(across, down), scale=(1.0 + low, 1.0 + high), **options)

    def draw(self, rng: Draws, info: Info) -> Moved:
        """Return the matrix and its parameters."""
        rows, columns = info.image_size()
        degrees = rng.uniform(*self.degrees)
        translate = rng.uniform(*self.translate[0]) * columns, rng.uniform(*self.translate[1]) * rows
        scale = _draw_two(rng, self.scale, same=True)
        shear = _draw_two(rng, self.shear, same=False)
        return self.moved(info, degrees, translate, scale, shear)


def _draw_two(rng: Draws, ranges: Any, *, same: bool) -> tuple[float, float]:
    """Draw an amount for x and one for y; from a single range, the same for both, or 0 for y. Two words."""
    if isinstance(ranges[0], tuple):
        return rng.uniform(*ranges[0]), rng.uniform(*ranges[1])
    amount = rng.uniform(*ranges)
    rng.word()
    return amount, amount if same else 0.0


@primitive(exact=NEAREST)
class Rotate(AffineTransform):
    """Turn the image around its middle by a random angle.

    Draws the angle (word 1). Keypoints and boxes are equal on every machine.

    Args:
        degrees: the angle, counter-clockwise: a range, or one number x for -x to x.
        expand: make the result large enough for the whole image.
        crop_border: cut out the largest middle window that shows only the image.

    Raises:
        ValueError: an argument is out of its range, or both expand and crop_border are True.

    Follows ``torchvision.transforms.RandomRotation``, and albumentations 2.0.8's ``Rotate`` for crop_border.

    Example:
        >>> Rotate((90, 90), expand=True)(np.array([[1, 2]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[2], [1]]
    """

    degrees: Range = option(span, -1e6, 1e6, ANGLE, about=0.0, default=(-90.0, 90.0))
    crop_border: bool = option(flag, default=False, kw_only=True)

    def __post_init__(self) -> None:
        check_options(self)
        if self.expand and self.crop_border:
            raise ValueError("expand and crop_border cannot both be True: set one to False")

    def draw(self, rng: Draws, info: Info) -> Moved:
        """Return the matrix and its parameters."""
        degrees = rng.uniform(*self.degrees)
        turn = self.moved(info, degrees, (0.0, 0.0), (1.0, 1.0), (0.0, 0.0))
        return turn._replace(**_inner_window(turn, *info.image_size())) if self.crop_border else turn


def _inner_window(turn: Moved, rows: int, columns: int) -> dict[str, Any]:
    """Return the matrix and size of the largest middle window that shows only the turned image."""
    cos, sin = (abs(one) for one in cos_sin_degrees(turn.degrees))
    long, short = max(rows, columns), min(rows, columns)
    if short <= 2.0 * sin * cos * long or abs(sin - cos) < 1e-10:
        # Two corners touch the longer sides, the others are free.
        half = 0.5 * short
        wide, high = (half / sin, half / cos) if columns >= rows else (half / cos, half / sin)
    else:
        both = cos * cos - sin * sin
        wide, high = (columns * cos - rows * sin) / both, (rows * cos - columns * sin) / both
    height, width = min(max(int(high + 1e-6), 1), rows), min(max(int(wide + 1e-6), 1), columns)
    a, b, c, d, e, f = turn.matrix
    matrix = a, b, c - (columns - width) * 0.5, d, e, f - (rows - height) * 0.5
    return {"matrix": matrix, "size": (height, width)}
