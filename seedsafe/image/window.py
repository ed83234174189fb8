"""RandomCrop, CenterCrop and Pad."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from seedsafe.functional.antialias import has_passes
from seedsafe.functional.window import crop, crop_each, shift_boxes, shift_points
from seedsafe.ground.checks import checked_int, flag, pair
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.image.cut import CropTransform
from seedsafe.image.options import FillTransform, InPass, cannot_crop
from seedsafe.keys.draws import Draws
from seedsafe.keys.many import ManyDraws
from seedsafe.pipeline.option import Option, Pair, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["CenterCrop", "Corner", "Pad", "RandomCrop", "Window", "Windowed"]


class Corner(NamedTuple):
    """The first row and column of a window, in the image's coordinates before padding."""

    top: int
    left: int


class Window(NamedTuple):
    """A window in the image's coordinates; it may reach beyond the image."""

    top: int
    left: int
    height: int
    width: int


def _four(padding: Any) -> tuple[int, int, int, int]:
    way_out = "pass one number, (vertical, horizontal) or (top, bottom, left, right) in pixels"
    if type(padding) is int and 0 <= padding < 2**31:
        return padding, padding, padding, padding
    sides = tuple(padding) if isinstance(padding, tuple | list) else (padding,)
    counts = [checked_int("padding", side, 0, 2**31, way_out) for side in sides]
    if len(counts) == 1:
        counts *= 4
    elif len(counts) == 2:
        counts = [counts[0], counts[0], counts[1], counts[1]]
    if len(counts) != 4:
        raise ValueError(f"padding must have 1, 2 or 4 numbers, got {padding!r}: {way_out}")
    above, below, before, after = counts
    return above, below, before, after


def _padding(name: str, value: Any) -> int | tuple[int, int, int, int]:
    sides = _four(value)
    return sides[0] if len(set(sides)) == 1 else sides


_Padding = Option[int | tuple[int, ...], int | tuple[int, int, int, int]]


@primitive()
class Windowed(FillTransform):
    """A transform whose result is a window, which may reach beyond the image."""

    def window(self, params: Any) -> tuple[int, int, int, int]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return top, left, height and width of the window that the parameters describe."""
        top, left, height, width = params
        return top, left, height, width

    def out_info(self, info: Info, params: Any) -> Info:
        _, _, height, width = self.window(params)
        return info.resized(height, width)

    def apply_image(self, image: Array, params: Any) -> Array:
        return crop(image, *self.window(params), mode=self.mode, fill=self.fill)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        return crop(mask, *self.window(params), mode=self.mode, fill=self.mask_fill)

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        """Return the keypoints in the window; those outside it are kept."""
        top, left, _, _ = self.window(params)
        return shift_points(keypoints, top, left)

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return the boxes in the window, clipped at its edges."""
        return shift_boxes(boxes, *self.window(params))


@primitive()
class _FixedWindow(InPass, Windowed):
    """A window of a fixed size.

    Raises:
        ValueError: when applied, the window is larger than the image.
    """

    size: Pair = option(
        pair,
        "pass the height and width of the crop in pixels",
        doc="the window's size in pixels, one number or (height, width).",
    )

    @property
    def place_in_pass(self) -> Literal["first", "later"] | None:
        """Whether its window lies inside the image, and the kernels are there."""
        may_pad = any(getattr(self, name, False) for name in ("padding", "pad_if_needed"))
        return None if may_pad or not has_passes() else "later"

    add_to_pass = CropTransform.add_to_pass

    def window(self, params: Any) -> tuple[int, int, int, int]:  # pyright: ignore[reportIncompatibleVariableOverride]
        top, left = params
        height, width = self.size
        return top, left, height, width

    def apply_image(self, image: Array, params: Any) -> Array:
        height, width = self.size
        return crop(image, params[0], params[1], height, width, mode=self.mode, fill=self.fill)

    def _apply_many(self, images: Array, params: Any) -> Array:
        return crop_each(images, *self.window(params), self.mode, self.fill)


@primitive(exact=EVERYWHERE, opencv=False)
class RandomCrop(_FixedWindow):
    """Cut a window of a fixed size out of the image, at a uniformly random position.

    Draws ``top`` (word 1) and ``left`` (word 2).

    Args:
        padding: how far the window may reach beyond the image, in pixels: one number for all sides, (vertical,
            horizontal), or (top, bottom, left, right).
        pad_if_needed: pad an image smaller than the window on both sides by the difference, instead of raising an error.

    Follows ``torchvision.transforms.RandomCrop``.

    Example:
        >>> RandomCrop(224)(np.zeros((256, 256, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (224, 224, 3)
    """

    size: Pair = option()
    padding: _Padding = option(_padding, default=0, kw_only=True)
    pad_if_needed: bool = option(flag, default=False, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Corner:
        free_rows, free_columns, above, before = self._free(info)
        return Corner(rng.integer(free_rows) - above, rng.integer(free_columns) - before)

    def _draw_many(self, draws: ManyDraws, info: Info) -> Any:
        free_rows, free_columns, above, before = self._free(info)
        return Corner(draws.integer(free_rows) - above, draws.integer(free_columns) - before)  # type: ignore[arg-type]  # arrays

    def _free(self, info: Info) -> tuple[int, int, int, int]:
        """Return the numbers of rows and columns for the corner, and how many of these are padding above and left."""
        rows, columns = info.image_size()
        height, width = self.size
        padding = self.padding
        if type(padding) is int:
            above = below = before = after = padding
        else:
            above, below, before, after = _four(padding)
        if self.pad_if_needed:
            lacking = max(height - rows - above - below, 0)
            above, below = above + lacking, below + lacking
            lacking = max(width - columns - before - after, 0)
            before, after = before + lacking, after + lacking
        free_rows = above + rows + below - height
        free_columns = before + columns + after - width
        if free_rows < 0 or free_columns < 0:
            raise cannot_crop(height, width, info, "pass pad_if_needed=True or a smaller size")
        return free_rows + 1, free_columns + 1, above, before


@primitive(exact=EVERYWHERE, random=False, opencv=False)
class CenterCrop(_FixedWindow):
    """Cut a window of a fixed size out of the middle, or the upper left of two middles. Draws nothing.

    Args:
        pad_if_needed: pad an image smaller than the window around its middle, instead of raising an error.

    Example:
        >>> CenterCrop(2)(np.arange(16, dtype=np.uint8).reshape(4, 4), key=SampleKey(42, 0, 0)).tolist()
        [[5, 6], [9, 10]]
    """

    size: Pair = option()
    pad_if_needed: bool = option(flag, default=False, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Corner:
        """Return the window's corner, which follows from the image's size."""
        rows, columns = info.image_size()
        height, width = self.size
        if not self.pad_if_needed and (height > rows or width > columns):
            raise cannot_crop(height, width, info, "pass pad_if_needed=True or a smaller size")
        return Corner((rows - height) // 2, (columns - width) // 2)


@primitive(exact=EVERYWHERE, random=False, opencv=False)
class Pad(Windowed):
    """Add rows and columns around an image. Draws nothing.

    Args:
        padding: one number for all sides, (vertical, horizontal), or (top, bottom, left, right), in pixels.

    Example:
        >>> Pad((0, 1))(np.ones((1, 1), np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[0, 1, 0]]
    """

    padding: _Padding = option(_padding)

    def draw(self, rng: Draws, info: Info) -> Window:
        """Return the padded image as a window, which follows from the image's size."""
        rows, columns = info.image_size()
        above, below, before, after = _four(self.padding)
        return Window(-above, -before, above + rows + below, before + columns + after)

    def _apply_many(self, images: Array, params: Any) -> Array:
        return crop_each(images, *self.window(params), self.mode, self.fill)
