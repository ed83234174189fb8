"""RandomIoUCrop and BBoxSafeCrop."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from seedsafe.functional.resize import INTERPOLATIONS
from seedsafe.functional.window import crop, shift_boxes
from seedsafe.ground.checks import checked_int, choice, flag, numbers, pair, real
from seedsafe.ground.exactness import EVERYWHERE, RESIZED, When
from seedsafe.ground.info import Array, Info
from seedsafe.image.cut import CropTransform, ResizeWindow
from seedsafe.image.window import Window
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Option, option, store
from seedsafe.pipeline.primitive import check_options, primitive

__all__ = ["BBoxSafeCrop", "IoUWindow", "RandomIoUCrop"]

_ROUNDS: Final = 6  # with a limit, unlike in torchvision, every sample takes the same number of words


class IoUWindow(NamedTuple):
    """A window inside the image, and whether boxes with their middle outside it are emptied."""

    top: int
    left: int
    height: int
    width: int
    chosen: bool


@primitive(exact=EVERYWHERE, opencv=False)
class RandomIoUCrop(CropTransform):
    """Cut out a random window that overlaps a box enough, as in training single-shot detectors.

    A round draws the least overlap of window and box from a list (1 keeps the whole image), then `trials` windows. It
    uses the first window that has an allowed shape and contains the middle of a box that overlaps it enough. If six
    rounds find none, it keeps the whole image. Boxes with their middle outside the window are emptied: their area is
    zero. The sample must have boxes.

    Draws for each round the overlap, then for each trial the window's width, height, left and top: always six times
    1 + 4 `trials` words.

    Args:
        min_scale: the window's smallest share of the width and of the height.
        max_scale: its largest share.
        min_aspect_ratio: the window's smallest width ÷ height.
        max_aspect_ratio: its largest width ÷ height.
        sampler_options: the overlaps (intersection over union) to draw from.
        trials: the number of windows drawn in a round.

    Raises:
        ValueError: when applied, the sample has no entry "boxes".

    Follows ``torchvision.transforms.v2.RandomIoUCrop``, which has no limit of rounds.

    Example:
        >>> from seedsafe import Boxes, Compose
        >>> sample = {"image": np.zeros((100, 100), np.uint8), "boxes": np.array([[10.0, 10, 60, 60]])}
        >>> Compose([RandomIoUCrop()], boxes=Boxes("pascal_voc"))(sample, key=SampleKey(42, 0, 2))["image"].shape
        (54, 86)
    """

    min_scale: float = option(default=0.3, kw_only=True)
    max_scale: float = option(default=1.0, kw_only=True)
    min_aspect_ratio: float = option(default=0.5, kw_only=True)
    max_aspect_ratio: float = option(default=2.0, kw_only=True)
    sampler_options: tuple[float, ...] = option(
        numbers,
        0.0,
        1.0,
        "pass a list of overlaps in [0, 1], such as (0, 0.3, 0.5, 1)",
        default=(0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0),
        kw_only=True,
    )
    trials: int = option(
        checked_int, 1, 10_000, "pass the number of windows drawn in a round", default=40, kw_only=True
    )

    def __post_init__(self) -> None:
        check_options(self)
        for name, most in (("scale", 1.0), ("aspect_ratio", 1e6)):
            way_out = f"pass min_{name} and max_{name}, with the first at most the second"
            low = real(f"min_{name}", getattr(self, f"min_{name}"), 1e-6, most, way_out)
            high = real(f"max_{name}", getattr(self, f"max_{name}"), low, most, way_out)
            store(self, **{f"min_{name}": low, f"max_{name}": high})

    def draw(self, rng: Draws, info: Info) -> IoUWindow:
        rows, columns = info.image_size()
        boxes = info.boxes
        # The words of all rounds at once, so that every sample takes the same number.
        units = rng.units(_ROUNDS * (1 + 4 * self.trials)).reshape(_ROUNDS, -1)
        for one in units:
            overlap = self.sampler_options[int(one[0] * len(self.sampler_options))]
            if overlap >= 1.0:
                break
            window = self._find_window(one[1:].reshape(-1, 4), boxes, overlap, rows, columns)
            if window is not None:
                return window
        return IoUWindow(0, 0, rows, columns, False)

    def _find_window(
        self, units: Array, boxes: Array, overlap: float, rows: int, columns: int
    ) -> IoUWindow | None:
        """Return the first window of a round that fits, or None."""
        share = self.max_scale - self.min_scale
        width = np.floor(columns * (self.min_scale + share * units[:, 0]))
        height = np.floor(rows * (self.min_scale + share * units[:, 1]))
        left, top = np.floor((columns - width) * units[:, 2]), np.floor((rows - height) * units[:, 3])
        fits = (width >= 1) & (height >= 1)
        fits &= (width >= self.min_aspect_ratio * height) & (width <= self.max_aspect_ratio * height)
        for trial in np.flatnonzero(fits).tolist():
            window = [float(one[trial]) for one in (left, top, width, height)]
            shown = _middles_inside(boxes, *window)
            if shown.any() and _overlaps(boxes[shown], *window).max() >= overlap:
                return IoUWindow(int(window[1]), int(window[0]), int(window[3]), int(window[2]), True)
        return None

    def apply_image(self, image: Array, params: Any) -> Array:
        return crop(image, *params[:4])

    def apply_mask(self, mask: Array, params: Any) -> Array:
        return crop(mask, *params[:4])

    def apply_boxes(self, boxes: Array, params: Any) -> Array:
        """Return the boxes in the window, clipped at its edges; those with their middle outside it are emptied."""
        top, left, height, width, chosen = params
        result = shift_boxes(boxes, top, left, height, width)
        if chosen:
            hidden = ~_middles_inside(boxes[:, :4].astype(np.float64), left, top, width, height)
            result[hidden, 2:4] = result[hidden, :2]
        return result


def _middles_inside(boxes: Array, left: float, top: float, width: float, height: float) -> Array:
    x, y = 0.5 * (boxes[:, 0] + boxes[:, 2]), 0.5 * (boxes[:, 1] + boxes[:, 3])
    inside: Array = (left < x) & (x < left + width) & (top < y) & (y < top + height)
    return inside


def _overlaps(boxes: Array, left: float, top: float, width: float, height: float) -> Array:
    """Return the intersection over union of each box with a window."""
    across = np.minimum(boxes[:, 2], left + width) - np.maximum(boxes[:, 0], left)
    down = np.minimum(boxes[:, 3], top + height) - np.maximum(boxes[:, 1], top)
    shared = np.maximum(across, 0.0) * np.maximum(down, 0.0)
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    overlaps: Array = shared / (areas + width * height - shared)
    return overlaps


_NO_SIZE: Final = When("without `size`", lambda transform, _: transform.size is None)


@primitive(exact=RESIZED.also(_NO_SIZE), opencv=False)
class BBoxSafeCrop(ResizeWindow, CropTransform):
    """Cut out a random window that holds all boxes, and resize it if a size is passed.

    If the sample's entry "boxes" is empty, the window has the image's shape and at least ``1 - erosion_rate`` of its
    height. Draws left (word 1), top (word 2), right (word 3) and bottom (word 4); without boxes, height (word 1), top
    (word 2) and left (word 3).

    Args:
        size: the result's size in pixels, one number or (height, width); None keeps the window's size.
        erosion_rate: the share of the area around several boxes that may be cut off, in [0, 1].

    Raises:
        ValueError: when applied, the sample has no entry "boxes".

    Follows albumentations 2.0.8's ``BBoxSafeRandomCrop`` and ``RandomSizedBBoxSafeCrop``.

    Example:
        >>> from seedsafe import Boxes, Compose
        >>> sample = {"image": np.zeros((100, 100), np.uint8), "boxes": np.array([[10.0, 10, 60, 60]])}
        >>> Compose([BBoxSafeCrop(64)], boxes=Boxes("pascal_voc"))(sample, key=SampleKey(42, 0, 2))["image"].shape
        (64, 64)
    """

    size: Option[int | tuple[int, int] | None, tuple[int, int] | None] = option(
        pair, "pass the height and width of the result in pixels", default=None
    )
    erosion_rate: float = option(
        real,
        0.0,
        1.0,
        "pass the share of the area around the boxes that may be cut off",
        default=0.0,
        kw_only=True,
    )
    interpolation: str = option(choice, INTERPOLATIONS, default="bilinear", kw_only=True)
    antialias: bool = option(flag, default=False, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Window:
        rows, columns = info.image_size()
        units = rng.units(4).tolist()
        sides = self._around_boxes(info.boxes, rows, columns)
        if sides is None:
            least = int(rows * (1.0 - self.erosion_rate))
            height = max(least + int((rows - least + 1) * units[0]), 1)
            width = max(int(height * columns / rows), 1)
            return Window(
                int((rows - height + 1) * units[1]), int((columns - width + 1) * units[2]), height, width
            )
        x0, y0, x1, y1 = sides
        left, top = min(int(x0 * units[0]), columns - 1), min(int(y0 * units[1]), rows - 1)
        right, bottom = int(x1 + (columns - x1) * units[2]), int(y1 + (rows - y1) * units[3])
        return Window(top, left, max(bottom - top, 1), max(right - left, 1))

    def _around_boxes(
        self, boxes: Array, rows: int, columns: int
    ) -> tuple[float, float, float, float] | None:
        if not len(boxes) or self.erosion_rate == 1.0:
            return None
        (x0, y0), (x1, y1) = boxes[:, :2].min(0).tolist(), boxes[:, 2:].max(0).tolist()
        if len(boxes) > 1:
            across, down = (x1 - x0) * self.erosion_rate * 0.5, (y1 - y0) * self.erosion_rate * 0.5
            x0, y0, x1, y1 = x0 + across, y0 + down, x1 - across, y1 - down
        x0, y0 = min(max(x0, 0.0), columns), min(max(y0, 0.0), rows)
        return x0, y0, min(max(x1, x0), columns), min(max(y1, y0), rows)
