"""Base class of CoarseDropout, RandomErasing, XYMasking and GridDropout."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np

from seedsafe.functional.erase import FILLS, Hole, fill_holes, fill_holes_each, visible_boxes
from seedsafe.ground.checks import each, real, span
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import Often
from seedsafe.keys.key import Address
from seedsafe.keys.many import ManyDraws
from seedsafe.pipeline.option import Option, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["EraseTransform", "Holes", "Length", "length", "length_of", "lengths_of"]

Length = Option[float | tuple[float, float], tuple[float, float] | tuple[int, int]]

_FILL: Final = (
    'the value, in the image\'s own units, one number or one for each channel; "noise" is a uniform value for each pixel and '
    'channel, "color" one color for each hole, "normal" standard normal noise of float32.'
)


class Holes(NamedTuple):
    """Rectangles x0, y0, x1, y1, and the address of the noise for random fills."""

    holes: tuple[Hole, ...]
    address: Address


def _fill(name: str, fill: Any) -> Any:
    """Return a fill: a number, a tuple of numbers or one of FILLS."""
    way_out = f"pass one number, one for each channel, or one of {', '.join(FILLS)}"
    if isinstance(fill, str):
        if fill not in FILLS:
            raise ValueError(f"{name} must be a number or one of {', '.join(FILLS)}, got {fill!r}")
        return fill
    return each(name, fill, real, -1e30, 1e30, way_out)


def length(name: str, value: Any) -> tuple[float, float] | tuple[int, int]:
    """Return a range of lengths: integers are pixels, floats are shares of a side."""
    ends = tuple(value) if isinstance(value, tuple | list) else (value, value)
    way_out = "pass integers for pixels, or floats in [0, 1] for shares of the side, or a range (low, high)"
    if ends and all(isinstance(end, int | np.integer) and not isinstance(end, bool) for end in ends):
        return span(name, value, 0, 2**31, way_out, whole=True)
    return span(name, value, 0.0, 1.0, way_out)


def length_of(word: int, limits: Any, side: int) -> int:
    """Return the length in pixels, at most the side, that follows from a word."""
    low, high = limits
    if isinstance(high, float):
        share: float = low + (high - low) * ((word >> 11) * 2.0**-53)
        return math.floor(side * share)
    most = min(int(high), side)
    least = min(int(low), most)
    return least + (word * (most - least + 1) >> 64)


def lengths_of(draws: ManyDraws, limits: Any, side: int) -> Array:
    """Return the result of `length_of` for the next word of each stream: int64, (N,)."""
    low, high = limits
    if isinstance(high, float):
        return np.floor(side * draws.uniform(low, high)).astype(np.int64)
    most = min(int(high), side)
    least = min(int(low), most)
    return least + draws.integer(most - least + 1)


@primitive()
class EraseTransform(Often):
    """A transform that fills the rectangles that ``holes`` returns.

    Raises:
        TypeError: when applied, the dtype cannot be filled at random.
        ValueError: when applied, fill does not fit the image's channels or dtype.
    """

    fill: float | tuple[float, ...] | str = option(_fill, default=0.0, kw_only=True, doc=_FILL)
    mask_fill: float | None = option(
        real,
        -1e30,
        1e30,
        "pass the label of a hole, or None to keep masks",
        default=None,
        kw_only=True,
        doc="the label of holes in masks; None leaves masks unchanged.",
    )

    def holes(self, params: Any, height: int, width: int) -> tuple[Hole, ...]:
        """Return the rectangles to fill in an image of this size."""
        holes: tuple[Hole, ...] = params[0]
        return holes

    def apply_image(self, image: Array, params: Any) -> Array:
        height, width = image.shape[:2]
        return fill_holes(image, self.holes(params, height, width), self.fill, params[-1])

    def _apply_many(self, images: Array, params: Any) -> Array:
        return fill_holes_each(images, params[0], self.fill)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        """Return the mask, with holes if there is a `mask_fill`."""
        if self.mask_fill is None:
            return mask
        height, width = mask.shape[:2]
        return fill_holes(mask, self.holes(params, height, width), self.mask_fill)

    def apply_boxes(self, boxes: Array, params: Any, info: Info) -> Array:
        """Return the boxes, shrunk to their visible part."""
        height, width = info.image_size()
        return visible_boxes(boxes, self.holes(params, height, width), height, width)
