"""Mosaic with three other samples of the dataset."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from seedsafe.ground.checks import pair, real, span
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.mixing.partners import LabelMixTransform, Sizes, draw_partners
from seedsafe.pipeline.option import Pair, Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["Mosaic", "Tiles"]


class Tiles(NamedTuple):
    """The partners' positions in the dataset, and the row and column where the four images meet."""

    partners: tuple[int, int, int]
    row: int
    column: int


@primitive(exact=EVERYWHERE, opencv=False)
class Mosaic(LabelMixTransform):
    """Put the sample and three others of its dataset on one canvas, so that four corners meet.

    Draws the three partners (words 1 to 3), and the row (word 4) and column (word 5) where the images meet: the sample
    is above and left of that point, the first partner above right, then below left and below right. Images are not
    resized: each has a corner at that point and is clipped at the canvas's edges; pixels that no image covers are
    filled. Partners are read at their own keys, with the epoch, occurrence and view of the sample, and run through the
    transforms before this one. Boxes move along, with their labels, and the pipeline's Boxes decides which to keep;
    masks follow. Labels are mixed by the visible areas. It works only through AugmentedDataset and AugmentedSequence.

    Args:
        size: the canvas's size in pixels, one number or (height, width).
        centre: the range to draw the meeting point from, in shares of the canvas's sides.
        fill: the value of pixels that no image covers, in the image's own units.
        mask_fill: the same for masks.

    Raises:
        ValueError: when applied, there is no dataset or it has fewer than four samples, or the labels or parts do not
            fit.

    Follows A. Bochkovskiy et al., "YOLOv4" (2020), in the layout of ultralytics: LongestMaxSize(s) before ``Mosaic(2 *
    s)``, and a RandomCrop(s) or an Affine after it.

    Example:
        >>> import seedsafe as ss
        >>> from seedsafe.reading import KeyedReader
        >>> photos = [np.full((3, 3), i, np.uint8) for i in (1, 2, 3, 4)]
        >>> reader = KeyedReader(photos, ss.Compose([Mosaic(4, label=None)]), seed=42)
        >>> reader.sample(ss.SampleIndex(0, epoch=0)).tolist()
        [[1, 2, 2, 2], [1, 2, 2, 2], [3, 4, 4, 4], [3, 4, 4, 4]]
    """

    size: Pair = option(pair, "pass the height and width of the canvas in pixels")
    centre: Range = option(
        span, 0.0, 1.0, "pass shares of the canvas's sides, such as (0.25, 0.75)", default=(0.25, 0.75)
    )
    fill: float = option(real, -1e30, 1e30, "pass one number", default=0.0, kw_only=True)
    mask_fill: float = option(real, -1e30, 1e30, "pass a label", default=0.0, kw_only=True)

    same_size: ClassVar[bool] = False

    def draw(self, rng: Draws, info: Info) -> Tiles:
        first, second, third = draw_partners(rng, info, 3, type(self).__name__)
        height, width = self.size
        row, column = int(rng.uniform(*self.centre) * height), int(rng.uniform(*self.centre) * width)
        return Tiles((first, second, third), row, column)

    def out_info(self, info: Info, params: Any) -> Info:
        return info.resized(*self.size)

    def mix_images(self, images: list[Array], params: Any) -> Array:
        return self._canvas(images, params, self.fill)

    def mix_masks(self, masks: list[Array], params: Any) -> Array:
        return self._canvas(masks, params, self.mask_fill)

    def shares(self, sizes: Sizes, params: Any) -> tuple[float, ...]:
        """Return each sample's share of the visible area."""
        tiles = self._tiles(sizes, params)
        areas = [(bottom - top) * (right - left) for (top, bottom, left, right), _ in tiles]
        return tuple(area / max(sum(areas), 1) for area in areas)

    def move_boxes(self, number: int, boxes: Array, sizes: Sizes, params: Any) -> Array:
        """Return boxes, moved with their image; the rules clip them at the canvas's edges."""
        down, right = self._corner(number, sizes[number], params)
        result = boxes.copy()
        result[:, :4] += np.array([right, down, right, down], np.float64)
        return result

    def move_mask(self, number: int, mask: Array, sizes: Sizes, params: Any) -> Array:
        canvas = np.zeros((*self.size, *mask.shape[2:]), mask.dtype)
        (top, bottom, left, right), (down, across) = list(self._tiles(sizes, params))[number]
        canvas[top:bottom, left:right] = mask[top - down : bottom - down, left - across : right - across]
        return canvas

    def _canvas(self, images: list[Array], params: Any, fill: float) -> Array:
        dtype = images[0].dtype
        if dtype.kind in "ui" and not np.iinfo(dtype).min <= fill <= np.iinfo(dtype).max:
            raise ValueError(f"fill must fit into {dtype}, got {fill}: pass it in the image's own units")
        result = np.full((*self.size, *images[0].shape[2:]), fill, dtype)
        tiles = self._tiles([image.shape[:2] for image in images], params)
        for image, ((top, bottom, left, right), (down, across)) in zip(images, tiles, strict=True):
            result[top:bottom, left:right] = image[top - down : bottom - down, left - across : right - across]
        return result

    def _corner(self, number: int, size: tuple[int, int], params: Any) -> tuple[int, int]:
        """Return the row and column of an image's upper left corner on the canvas."""
        height, width = size
        return params.row - height * (number < 2), params.column - width * (number % 2 == 0)

    def _tiles(self, sizes: Sizes, params: Any) -> Iterator[tuple[tuple[int, ...], tuple[int, int]]]:
        """Yield top, bottom, left and right of each image on the canvas, and its corner."""
        height, width = self.size
        for number, size in enumerate(sizes):
            down, across = self._corner(number, size, params)
            top, left = min(max(down, 0), height), min(max(across, 0), width)
            bottom, right = min(max(down + size[0], top), height), min(max(across + size[1], left), width)
            yield (top, bottom, left, right), (down, across)
