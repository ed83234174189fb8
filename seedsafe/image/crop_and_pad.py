"""CropAndPad."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from seedsafe.functional.resize import INTERPOLATIONS, resize, resize_boxes, resize_points
from seedsafe.functional.window import crop, shift_boxes, shift_points
from seedsafe.ground.checks import choice, flag, probability, span
from seedsafe.ground.exactness import RESIZED, When
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import FillTransform
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import check_options, primitive

__all__ = ["CropAndPad", "Cropped"]


class Cropped(NamedTuple):
    """A window, which may reach beyond the image, and the size of the result."""

    window: tuple[int, int, int, int]
    size: tuple[int, int]


def _four_ranges(name: str, value: Any, low: float, high: float) -> tuple[tuple[float, float], ...]:
    """Return the ranges for above, right, below and left."""
    way_out = "pass one number, a range (low, high), or four of these for above, right, below and left"
    sides = tuple(value) if isinstance(value, tuple | list) and len(value) == 4 else (value,) * 4
    return tuple(span(name, side, low, high, way_out, whole=name == "px") for side in sides)


_OWN_SIZE: Final = When("with `keep_size=False`", lambda transform, _: not transform.keep_size)


@primitive(exact=RESIZED.also(_OWN_SIZE))
class CropAndPad(FillTransform):
    """Add or cut off rows and columns on each side, and resize the result to the image's size.

    Draws the amounts above (word 1), on the right (word 2), below (word 3) and on the left (word 4).

    Args:
        px: the pixels to add or, if negative, to cut off: one number, a range (low, high), or four of these for
            above, right, below and left.
        percent: the same as a share of height and width, instead of px.
        keep_size: resize the result to the image's size.
        sample_independently: False draws one amount for all sides.

    Raises:
        ValueError: an argument is out of its range, or both or neither of px and percent are passed.

    Follows albumentations 2.0.8's ``CropAndPad``. At least one row and one column of the image are kept.

    Example:
        >>> CropAndPad((0, 1, 0, 0), keep_size=False)(np.array([[7]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[7, 0]]
    """

    px: Any = option(_four_ranges, -(2**31), 2**31 - 1, default=None)
    percent: Any = option(_four_ranges, -100.0, 100.0, default=None, kw_only=True)
    keep_size: bool = option(flag, default=True, kw_only=True)
    sample_independently: bool = option(flag, default=True, kw_only=True)
    interpolation: str = option(choice, INTERPOLATIONS, default="bilinear", kw_only=True)
    antialias: bool = option(flag, default=False, kw_only=True)
    p: float = option(probability, default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        px, percent = self.px, self.percent
        check_options(self)
        if (px is None) == (percent is None):
            raise ValueError(f"pass px or percent, not both or neither: got {px=!r} and {percent=!r}")

    def draw(self, rng: Draws, info: Info) -> Cropped:
        rows, columns = info.image_size()
        # Four words in any case, so that the option changes no other draw.
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
        above, below = _keep_one_pixel(above, below, rows)
        before, after = _keep_one_pixel(before, after, columns)
        window = -above, -before, above + rows + below, before + columns + after
        return Cropped(window, (rows, columns) if self.keep_size else window[2:])

    def out_info(self, info: Info, params: Any) -> Info:
        return info.resized(*params[1])

    def apply_image(self, image: Array, params: Any) -> Array:
        window, (height, width) = params
        cut = crop(image, *window, mode=self.mode, fill=self.fill)
        return resize(cut, height, width, interpolation=self.interpolation, antialias=self.antialias)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        window, (height, width) = params
        cut = crop(mask, *window, mode=self.mode, fill=self.mask_fill)
        return resize(cut, height, width, interpolation="nearest")

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        """Return the keypoints in the result; those outside it are kept."""
        (top, left, rows, columns), (height, width) = params
        return resize_points(shift_points(keypoints, top, left), (rows, columns), (height, width))

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return the boxes in the result, clipped at its edges."""
        window, (height, width) = params
        return resize_boxes(shift_boxes(boxes, *window), window[2:], (height, width))


def _keep_one_pixel(first: int, last: int, side: int) -> tuple[int, int]:
    """Return the amounts added on both sides, changed so that at least one pixel of the image is left."""
    lacking = 1 - (side + min(first, 0) + min(last, 0))
    if lacking <= 0:
        return first, last
    back = min(-min(first, 0), (lacking + 1) // 2)
    back = max(back, lacking + min(last, 0))
    return first + back, last + lacking - back
