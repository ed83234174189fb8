"""Base classes of crops inside an image."""

from __future__ import annotations

from typing import Any

from seedsafe.functional.antialias import Pass
from seedsafe.functional.resize import resize, resize_boxes, resize_points
from seedsafe.functional.window import crop, shift_boxes, shift_points
from seedsafe.ground.checks import pair, probability
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import InPass, ResizeTransform
from seedsafe.pipeline.option import Pair, option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import SpatialTransform

__all__ = ["CropTransform", "ResizeWindow", "ResizedCropTransform"]


@primitive()
class CropTransform(InPass, SpatialTransform):
    """A transform whose result is a window inside the image; its parameters are a Window."""

    p: float = option(probability, default=1.0, kw_only=True)

    def window(self, params: Any) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the window that the parameters describe."""
        return params[:4]

    def add_to_pass(self, work: Any, params: Any) -> Any:
        """Return the work of a pass with a window of its result."""
        return work.cut_to(*self.window(params))

    def out_info(self, info: Info, params: Any) -> Info:
        return info.resized(*self.window(params)[2:])

    def apply_image(self, image: Array, params: Any) -> Array:
        return crop(image, *params)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        return crop(mask, *params)

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        """Return the keypoints in the window; those outside it are kept."""
        return shift_points(keypoints, params[0], params[1])

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return the boxes in the window, clipped at its edges."""
        return shift_boxes(boxes, *params)


class ResizeWindow(SpatialTransform):
    """A transform whose result is a window inside the image, resized unless `size` is None; its parameters are a Window."""

    __slots__ = ()
    size: Any
    interpolation: Any
    antialias: Any

    def window(self, params: Any) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the window that the parameters describe."""
        return params

    def out_info(self, info: Info, params: Any) -> Info:
        return info.resized(*(self.size or params[2:]))

    def apply_image(self, image: Array, params: Any) -> Array:
        top, left, rows, columns = params
        height, width = self.size or params[2:]
        window = image[top : top + rows, left : left + columns]
        return resize(window, height, width, interpolation=self.interpolation, antialias=self.antialias)

    def add_to_pass(self, work: Any, params: Any) -> Any:
        """Return a pass that resizes the window."""
        height, width = self.size or params[2:]
        return Pass(height, width, self.interpolation, params)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        height, width = self.size or params[2:]
        return resize(crop(mask, *params), height, width, interpolation="nearest")

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        """Return the keypoints in the result; those outside it are kept."""
        top, left, rows, columns = params
        height, width = self.size or params[2:]
        return resize_points(shift_points(keypoints, top, left), (rows, columns), (height, width))

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return the boxes in the result, clipped at its edges."""
        _, _, rows, columns = params
        height, width = self.size or params[2:]
        return resize_boxes(shift_boxes(boxes, *params), (rows, columns), (height, width))


@primitive()
class ResizedCropTransform(ResizeWindow, ResizeTransform):
    """A transform whose result is a window inside the image, resized to a fixed size."""

    size: Pair = option(
        pair,
        "pass the height and width of the result in pixels",
        doc="the result's size in pixels, one number or (height, width).",
    )
