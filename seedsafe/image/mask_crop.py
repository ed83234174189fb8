"""CropNonEmptyMask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from seedsafe.ground.checks import checked_int, pair
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.image.cut import CropTransform
from seedsafe.image.options import SMALLER, cannot_crop
from seedsafe.image.window import Window
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Option, Pair, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["CropNonEmptyMask", "Pick"]


class Pick(NamedTuple):
    """The share that picks a pixel of the mask, its point in the window, and the window's corner for an empty mask."""

    pixel: float
    down: int
    right: int
    top: int
    left: int


def _integers(name: str, value: Any, way_out: str) -> tuple[int, ...]:
    values = tuple(value) if isinstance(value, tuple | list) else (value,)
    return tuple(checked_int(name, one, -(2**63), 2**63, way_out) for one in values)


@primitive(exact=EVERYWHERE, opencv=False)
class CropNonEmptyMask(CropTransform):
    """Cut out a window of a fixed size with a random nonzero pixel of the mask, if it has any.

    Draws the pixel, as a share of those that count (word 1), its row (word 2) and column (word 3) in the window, and the
    window's top (word 4) and left (word 5) for a mask without any. The sample must have a mask, or several, whose channels
    then count together. ``params`` lists these numbers; the window follows from them and the masks.

    Args:
        size: the window's size in pixels, one number or (height, width).
        ignore_values: labels that do not count; 0 never counts.
        ignore_channels: channels of the mask that do not count.

    Raises:
        ValueError: when applied, the window is larger than the image, or there is no mask.

    Follows albumentations 2.0.8's ``CropNonEmptyMaskIfExists``.

    Example:
        >>> image = np.arange(16, dtype=np.uint8).reshape(4, 4)
        >>> sample = {"image": image, "mask": (image == 9).astype(np.uint8)}
        >>> CropNonEmptyMask(2)(sample, key=SampleKey(42, 0, 0))["image"].tolist()
        [[5, 6], [9, 10]]
    """

    size: Pair = option(pair, "pass the height and width of the window in pixels")
    ignore_values: Option[int | tuple[int, ...], tuple[int, ...]] = option(
        _integers, "pass a list of labels", default=(), kw_only=True
    )
    ignore_channels: Option[int | tuple[int, ...], tuple[int, ...]] = option(
        _integers, "pass a list of channels", default=(), kw_only=True
    )

    def draw(self, rng: Draws, info: Info) -> Pick:
        rows, columns = info.image_size()
        height, width = self.size
        if height > rows or width > columns:
            raise cannot_crop(height, width, info, SMALLER)
        return Pick(
            rng.unit(),
            rng.integer(height),
            rng.integer(width),
            rng.integer(rows - height + 1),
            rng.integer(columns - width + 1),
        )

    def settle(self, params: Any, sample: Mapping[str, Any], info: Info) -> Window:
        """Return the window, which follows from the masks."""
        masks = [sample["mask"]] if "mask" in sample else list(sample.get("masks", ()))
        if not masks:
            raise ValueError(
                f"CropNonEmptyMask needs 'mask' in the sample, got {list(sample)}: add it, or use RandomCrop"
            )
        pixel, down, right, top, left = params
        rows, columns = info.image_size()
        height, width = self.size
        counts = self._counts(masks[0] if len(masks) == 1 else np.dstack(masks))
        totals = np.add.accumulate(np.count_nonzero(counts, axis=1))  # up to the end of each row
        if totals[-1]:
            number = int(pixel * int(totals[-1]))
            row = int(np.searchsorted(totals, number, side="right"))
            from_end = number - int(totals[row])
            column = int(np.flatnonzero(counts[row])[from_end])
            top = min(max(row - down, 0), rows - height)
            left = min(max(column - right, 0), columns - width)
        return Window(top, left, height, width)

    def _counts(self, mask: Array) -> Array:
        """Return whether each pixel counts, (H, W)."""
        counts: Array = mask != 0
        if self.ignore_values:
            counts &= ~np.isin(mask, self.ignore_values)
        if mask.ndim == 2:
            return counts
        channels = [k for k in range(mask.shape[2]) if k not in self.ignore_channels]
        return np.asarray(counts[..., channels].any(-1))

    def out_info(self, info: Info, params: Any) -> Info:
        return info.resized(*self.size)
