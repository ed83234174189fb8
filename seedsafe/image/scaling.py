"""Base class of Resize, RandomScale and similar transforms."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from seedsafe.functional.antialias import Pass
from seedsafe.functional.resize import resize, resize_boxes, resize_points
from seedsafe.ground.checks import checked_int, pair
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import ResizeTransform
from seedsafe.pipeline.primitive import primitive

__all__ = [
    "LIMIT_WAY_OUT",
    "SIZE_WAY_OUT",
    "ScaleTransform",
    "Scaled",
    "check_size",
    "shorter_side",
    "times",
    "within",
]


class Scaled(NamedTuple):
    """The result's height and width, and the image's numbers of rows and columns."""

    height: int
    width: int
    rows: int
    columns: int


@primitive()
class ScaleTransform(ResizeTransform):
    """A transform whose result is the whole image in a different size."""

    def out_info(self, info: Info, params: Any) -> Info:
        return info.resized(params[0], params[1])

    def apply_image(self, image: Array, params: Any) -> Array:
        return resize(image, params[0], params[1], interpolation=self.interpolation, antialias=self.antialias)

    def add_to_pass(self, work: Any, params: Any) -> Any:
        """Return a pass that resizes the image."""
        return Pass(params[0], params[1], self.interpolation)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        return resize(mask, params[0], params[1], interpolation="nearest")

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        height, width, rows, columns = params
        return resize_points(keypoints, (rows, columns), (height, width))

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        height, width, rows, columns = params
        return resize_boxes(boxes, (rows, columns), (height, width))


def shorter_side(rows: int, columns: int, side: int, limit: int | None) -> tuple[int, int]:
    """Return the size with this shorter side, or a smaller one whose longer side is the limit."""
    short, long = min(rows, columns), max(rows, columns)
    new_short, new_long = side, side * long // short
    if limit is not None and new_long > limit:
        new_short, new_long = max(limit * new_short // new_long, 1), limit
    return (new_short, new_long) if rows <= columns else (new_long, new_short)


def within(rows: int, columns: int, bounds: tuple[float, float]) -> tuple[int, int]:
    """Return the largest size of the same shape with its longer and shorter side within two bounds."""
    factor = min(max(bounds) / max(rows, columns), min(bounds) / min(rows, columns))
    return times(rows, factor), times(columns, factor)


def times(side: int, factor: float) -> int:
    """Return a side times a factor in whole pixels, at least one."""
    return max(int(side * factor + 0.5), 1)


SIZE_WAY_OUT: Final = "pass the shorter side, or (height, width), in pixels"
LIMIT_WAY_OUT: Final = "pass the longer side's limit in pixels"


def check_size(name: str, value: Any) -> int | tuple[int, int]:
    """Return a size: a number or a pair."""
    if isinstance(value, tuple | list):
        return pair(name, value, SIZE_WAY_OUT)
    return checked_int(name, value, 1, 2**31, SIZE_WAY_OUT)
