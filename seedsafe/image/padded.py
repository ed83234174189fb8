"""PadIfNeeded and LetterBox."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from seedsafe.functional.resize import INTERPOLATIONS, resize, resize_boxes, resize_points
from seedsafe.functional.window import crop, shift_boxes, shift_points
from seedsafe.ground.checks import checked_int, choice, flag, pair, probability
from seedsafe.ground.exactness import EVERYWHERE, RESIZED
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import FillTransform
from seedsafe.image.window import Window, Windowed
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Option, Pair, option
from seedsafe.pipeline.primitive import check_options, primitive

__all__ = ["Boxed", "LetterBox", "PadIfNeeded"]

_POSITIONS: Final = {
    "center": (1, 1),
    "top_left": (0, 0),
    "top_right": (0, 2),
    "bottom_left": (2, 0),
    "bottom_right": (2, 2),
    "random": (1, 1),
}
"""The added rows above and columns before the image, in halves of all that are added."""


@primitive(exact=EVERYWHERE, opencv=False)
class PadIfNeeded(Windowed):
    """Pad an image up to a smallest size, or to multiples of a number.

    Draws the image's position (words 1 and 2), used if position is "random".

    Args:
        size: the smallest size in pixels, one number or (height, width); None if there is none.
        divisor: pad height and width to multiples of this number, or of (vertical, horizontal); None for no multiples.
        position: the image's position in the result: "center" (of two middles, the upper left one), "top_left",
            "top_right", "bottom_left", "bottom_right" or "random".

    Raises:
        ValueError: an argument is out of its range, or neither size nor divisor is passed.

    Follows albumentations 2.0.8's ``PadIfNeeded``.

    Example:
        >>> PadIfNeeded(divisor=32, fill=114)(np.zeros((100, 64, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (128, 64, 3)
    """

    size: Option[int | tuple[int, int] | None, tuple[int, int] | None] = option(
        pair, "pass the smallest height and width in pixels", default=None
    )
    divisor: Option[int | tuple[int, int] | None, tuple[int, int] | None] = option(
        pair, "pass the number that divides the sides, or (vertical, horizontal)", default=None, kw_only=True
    )
    position: str = option(choice, tuple(_POSITIONS), default="center", kw_only=True)
    p: float = option(probability, default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        check_options(self)
        if self.size is None and self.divisor is None:
            raise ValueError(
                "PadIfNeeded needs a size or a divisor, got neither: pass size=(height, width) or divisor=32"
            )

    def draw(self, rng: Draws, info: Info) -> Window:
        """Return the window that is the padded image."""
        rows, columns = info.image_size()
        low_height, low_width = self.size or (1, 1)
        down, right = self.divisor or (1, 1)
        height = -(-max(rows, low_height) // down) * down
        width = -(-max(columns, low_width) // right) * right
        above, before = rng.integer(height - rows + 1), rng.integer(width - columns + 1)
        if self.position != "random":
            vertical, horizontal = _POSITIONS[self.position]
            above, before = (height - rows) * vertical // 2, (width - columns) * horizontal // 2
        return Window(-above, -before, height, width)


class Boxed(NamedTuple):
    """The image's new size, its first row and column in the result, the result's size, and the image's old size."""

    inner: tuple[int, int]
    corner: tuple[int, int]
    size: tuple[int, int]
    given: tuple[int, int]


@primitive(exact=RESIZED, random=False)
class LetterBox(FillTransform):
    """Resize the image to fit a box in its own shape, and fill the rest. Draws only whether it fires.

    The image is resized first, then padded.

    Args:
        size: the result's size in pixels, one number or (height, width).
        auto: pad only until height and width are multiples of `stride`: the smallest rectangle.
        stride: see auto.
        scale_fill: stretch the image to the size instead.
        scale_up: False does not enlarge smaller images.
        center: False puts the image into the upper left corner.

    Follows ultralytics' ``LetterBox``.

    Example:
        >>> LetterBox(4)(np.full((2, 4), 9, np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[114, 114, 114, 114], [9, 9, 9, 9], [9, 9, 9, 9], [114, 114, 114, 114]]
    """

    size: Pair = option(pair, "pass the height and width of the result in pixels", default=(640, 640))
    auto: bool = option(flag, default=False, kw_only=True)
    stride: int = option(
        checked_int, 1, 2**31, "pass the number that divides the sides", default=32, kw_only=True
    )
    scale_fill: bool = option(flag, default=False, kw_only=True)
    scale_up: bool = option(flag, default=True, kw_only=True)
    center: bool = option(flag, default=True, kw_only=True)
    interpolation: str = option(choice, INTERPOLATIONS, default="bilinear", kw_only=True)
    antialias: bool = option(flag, default=False, kw_only=True)
    fill: float | tuple[float, ...] = option(default=114, kw_only=True)  # the grey of ultralytics
    p: float = option(probability, default=1.0, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Boxed:
        """Return the sizes and the position, which follow from the image's size."""
        rows, columns = info.image_size()
        height, width = self.size
        factor = min(height / rows, width / columns)
        if not self.scale_up:
            factor = min(factor, 1.0)
        inner = max(round(rows * factor), 1), max(round(columns * factor), 1)
        free_rows, free_columns = height - inner[0], width - inner[1]
        if self.auto:
            free_rows, free_columns = free_rows % self.stride, free_columns % self.stride
        elif self.scale_fill:
            inner, free_rows, free_columns = (height, width), 0, 0
        corner = (free_rows // 2, free_columns // 2) if self.center else (0, 0)
        return Boxed(inner, corner, (inner[0] + free_rows, inner[1] + free_columns), (rows, columns))

    def out_info(self, info: Info, params: Any) -> Info:
        return info.resized(*params[2])

    def apply_image(self, image: Array, params: Any) -> Array:
        return self._letterbox(image, params, self.interpolation, self.fill, self.antialias)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        return self._letterbox(mask, params, "nearest", self.mask_fill)

    def _letterbox(
        self, image: Array, params: Any, interpolation: str, fill: Any, antialias: bool = False
    ) -> Array:
        (rows, columns), (top, left), (height, width), _ = params
        inner = resize(image, rows, columns, interpolation=interpolation, antialias=antialias)
        if (rows, columns) == (height, width):
            return inner
        return crop(inner, -top, -left, height, width, mode=self.mode, fill=fill)

    def apply_keypoints(self, keypoints: Array, params: Any) -> Array:
        inner, (top, left), _, old = params
        return shift_points(resize_points(keypoints, old, inner), -top, -left)

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return the boxes in the box, clipped at its edges."""
        inner, (top, left), size, old = params
        return shift_boxes(resize_boxes(boxes, old, inner), -top, -left, *size)
