"""GridDropout, GridShuffle and PixelDropout."""

from __future__ import annotations

from typing import Any, NamedTuple

from seedsafe.functional.erase import (
    Hole,
    grid_holes,
    grid_tiles,
    shuffle_boxes,
    shuffle_points,
    shuffle_tiles,
)
from seedsafe.functional.grain import drop_pixels
from seedsafe.ground.checks import choice, each, flag, pair, probability, real, span
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.image.holes import EraseTransform
from seedsafe.image.options import Often
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import Address
from seedsafe.pipeline.option import Option, Pair, option
from seedsafe.pipeline.primitive import check_options, primitive
from seedsafe.pipeline.transform import SpatialTransform

__all__ = ["Cut", "Grid", "GridDropout", "GridShuffle", "PixelDropout", "Pixels", "Tiles"]


class Grid(NamedTuple):
    """Height and width of a cell and of its hole, the row and column where a cell begins, and the noise's address."""

    unit: tuple[int, int]
    hole: tuple[int, int]
    start: tuple[int, int]
    address: Address


class Tiles(NamedTuple):
    """The old tile at each position, row by row."""

    order: tuple[int, ...]


class Cut(NamedTuple):
    """The old tile at each position, row by row; the heights of the rows and widths of the columns in pixels."""

    order: tuple[int, ...]
    heights: tuple[int, ...]
    widths: tuple[int, ...]


class Pixels(NamedTuple):
    """The address of the noise that chooses pixels."""

    address: Address


@primitive(exact=EVERYWHERE, opencv=False)
class GridDropout(EraseTransform):
    """Fill a hole in each cell of a randomly shifted grid.

    Follows P. Chen et al., "GridMask data augmentation", 2020, as albumentations' ``GridDropout`` did before it drew
    each hole separately. Draws the cell's side (word 1) and where the grid begins (words 2 and 3); random fills start
    at word 4. Any dtype. Boxes shrink to their visible part; keypoints are kept.

    Args:
        ratio: the hole's side divided by the cell's, in (0, 1).
        unit: the cell's side in pixels, at least 2, or a range (low, high), both included; None is a tenth of the
            image's height and of its width.
        shifted: whether the grid begins at a random point; otherwise, in the upper left corner.

    Example:
        >>> GridDropout(unit=2, shifted=False)(np.ones((2, 4), np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[0, 1, 0, 1], [1, 1, 1, 1]]
    """

    ratio: float = option(real, 1e-6, 1.0 - 1e-6, "pass a share of the cell's side", default=0.5)
    unit: Option[int | tuple[int, int] | None, tuple[int, int] | None] = option(
        span, 2, 2**31, "pass the cell's side in pixels, or a range (low, high)", whole=True, default=None
    )
    shifted: bool = option(flag, default=True, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Grid:
        height, width = info.image_size()
        low, high = (0, 0) if self.unit is None else self.unit
        side = low + rng.integer(high - low + 1)
        unit = (side, side) if side else (max(2, height // 10), max(2, width // 10))
        rows, columns = rng.integer(unit[0]), rng.integer(unit[1])
        hole = tuple(min(max(int(one * self.ratio), 1), one - 1) for one in unit)
        start = (rows, columns) if self.shifted else (0, 0)
        return Grid(unit, (hole[0], hole[1]), start, rng.noise())

    def holes(self, params: Any, height: int, width: int) -> tuple[Hole, ...]:
        """Return the holes in an image of this size."""
        unit, hole, start, _ = params
        return grid_holes(height, width, unit, hole, start)


@primitive(exact=EVERYWHERE, opencv=False)
class GridShuffle(SpatialTransform):
    """Cut the image into tiles, and shuffle them.

    Follows albumentations' ``RandomGridShuffle``: where the grid does not divide the image evenly, tiles are swapped
    only with tiles of the same size. Draws a word for each tile; with ``uneven="drawn"``, one for each row and each
    column first. Any dtype. Masks and keypoints move with their tiles. A box moves with the tile that has its largest
    part, clipped to it.

    Args:
        grid: the numbers of rows and columns of tiles.
        uneven: which rows and columns are one pixel larger where the grid does not divide the image evenly: "spread"
            over the image, or "drawn" at random, as in albumentations.

    Raises:
        ValueError: when applied, the image has fewer rows or columns than the grid.

    Example:
        >>> GridShuffle((1, 4))(np.array([[1, 2, 3, 4]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[4, 3, 2, 1]]
    """

    grid: Pair = option(pair, "pass the numbers of rows and columns of tiles", default=(3, 3))
    uneven: str = option(choice, ("spread", "drawn"), default="spread", kw_only=True)
    p: float = option(probability, default=1.0, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Tiles | Cut:
        """Return the order of the tiles, and their sides if these are drawn."""
        alike: dict[tuple[int, int], list[int]] = {}
        height, width = info.image_size()
        sides: tuple[tuple[int, ...], ...] = ()
        if self.uneven == "drawn":
            # Raises for a grid that is too large, before its sides are drawn.
            self._tiles((height, width), ())
            rows, columns = self.grid
            sides = _draw_sides(rng, height, rows), _draw_sides(rng, width, columns)
        tiles = self._tiles((height, width), sides)
        for position, (x0, y0, x1, y1) in enumerate(tiles):
            alike.setdefault((y1 - y0, x1 - x0), []).append(position)
        order = [0] * len(tiles)
        for positions in alike.values():
            remaining = list(positions)
            for position in positions:
                order[position] = remaining.pop(rng.integer(len(remaining)))
        return Cut(tuple(order), *sides) if sides else Tiles(tuple(order))

    def _tiles(self, size: Any, sides: Any) -> tuple[Hole, ...]:
        height, width = size
        rows, columns = self.grid
        if height < rows or width < columns:
            raise ValueError(
                f"a grid of {rows} rows and {columns} columns needs an image at least as large, got {height}×{width} pixels: "
                "pass a smaller grid"
            )
        heights, widths = sides or (None, None)
        return grid_tiles(height, width, rows, columns, heights=heights, widths=widths)

    def apply_image(self, image: Array, params: Any) -> Array:
        return shuffle_tiles(image, self._tiles(image.shape[:2], params[1:]), params[0])

    def apply_mask(self, mask: Array, params: Any) -> Array:
        return shuffle_tiles(mask, self._tiles(mask.shape[:2], params[1:]), params[0])

    def apply_keypoints(self, keypoints: Array, params: Any, info: Info) -> Array:
        return shuffle_points(keypoints, self._tiles(info.image_size(), params[1:]), params[0])

    def apply_boxes(self, boxes: Array, params: Any, info: Info) -> Array:
        """Return the largest parts of the boxes, moved with their tiles."""
        return shuffle_boxes(boxes, self._tiles(info.image_size(), params[1:]), params[0])


def _draw_sides(rng: Draws, side: int, parts: int) -> tuple[int, ...]:
    remaining = [side // parts + (k < side % parts) for k in range(parts)]
    return tuple(remaining.pop(rng.integer(len(remaining))) for _ in range(parts))


@primitive(exact=EVERYWHERE, opencv=False)
class PixelDropout(Often):
    """Fill a share of the pixels.

    Follows albumentations' ``PixelDropout``. The noise that chooses them starts at word 4: its k-th 16-bit piece is for
    pixel k. Any dtype. Boxes and keypoints do not change.

    Args:
        share: the share of pixels to fill, in [0, 1].
        per_channel: choose each value independently instead of whole pixels; the k-th piece is then for value k.
        fill: the value, in the image's own units, one number or one for each channel.
        mask_fill: the label of these pixels in masks; None leaves masks unchanged.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: when applied, fill does not fit the image's channels.

    Example:
        >>> PixelDropout(0.5)(np.ones((1, 8), np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[0, 1, 0, 1, 1, 0, 1, 1]]
    """

    share: float = option(real, 0.0, 1.0, "pass the share of pixels to fill", default=0.01)
    per_channel: bool = option(flag, default=False, kw_only=True)
    fill: float | tuple[float, ...] = option(
        each, real, -1e30, 1e30, "pass one number, or one for each channel", default=0.0, kw_only=True
    )
    mask_fill: float | None = option(
        real,
        -1e30,
        1e30,
        "pass the label of a filled pixel, or None to keep masks",
        default=None,
        kw_only=True,
    )

    def __post_init__(self) -> None:
        check_options(self)
        if self.mask_fill is not None and self.per_channel:
            raise ValueError(
                f"mask_fill needs whole pixels to fill, got per_channel=True and mask_fill={self.mask_fill}: "
                "pass per_channel=False"
            )

    def draw(self, rng: Draws, info: Info) -> Pixels:
        return Pixels(rng.noise())

    def apply_image(self, image: Array, params: Any) -> Array:
        return drop_pixels(image, self.share, self.fill, params[0], per_channel=self.per_channel)

    def apply_mask(self, mask: Array, params: Any) -> Array:
        """Return the mask, with the same pixels filled if there is a `mask_fill`."""
        if self.mask_fill is None:
            return mask
        return drop_pixels(mask, self.share, self.mask_fill, params[0], per_channel=False)
