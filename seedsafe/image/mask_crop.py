"""CropNonEmptyMask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from seedsafe.ground.checks import pair
from seedsafe.ground.info import Array, Info
from seedsafe.image.cut import Cut
from seedsafe.image.window import Window
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import checked_int
from seedsafe.pipeline.option import Option, Pair, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["CropNonEmptyMask", "Pick"]


class Pick(NamedTuple):
    """Which pixel of the mask is taken, where it stands in the window, and the window's corner if there is none."""

    pixel: float
    down: int
    right: int
    top: int
    left: int


def _listed(name: str, value: Any, way_out: str) -> tuple[int, ...]:
    listed = tuple(value) if isinstance(value, tuple | list) else (value,)
    return tuple(checked_int(name, one, -(2**63), 2**63, way_out) for one in listed)


@primitive(opencv=False)
class CropNonEmptyMask(Cut):
    """Cut out a window of a fixed size that shows a pixel of the mask, if the mask has any. Exact on every machine.

    Draws the pixel, as a share of those that count (word 1), its row (word 2) and column (word 3) in the window, and the
    window's top (word 4) and left (word 5) for a mask without any. The sample must have a mask; the window follows from it
    and from what was drawn, which is what ``params`` lists.

    Args:
        size: of the window in pixels, one number or (height, width).
        ignore_values: labels that do not count; 0 never does.
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
        _listed, "pass a list of labels", default=(), kw_only=True
    )
    ignore_channels: Option[int | tuple[int, ...], tuple[int, ...]] = option(
        _listed, "pass a list of channels", default=(), kw_only=True
    )

    def draw(self, rng: Draws, info: Info) -> Pick:
        """Return where in the window the pixel stands."""
        rows, columns = info.image_size()
        height, width = self.size
        if height > rows or width > columns:
            raise ValueError(
                f"cannot crop {height}×{width} out of an image of shape {info.shape}: pass a smaller size, or put "
                "PadIfNeeded before it"
            )
        return Pick(
            rng.unit(),
            rng.integer(height),
            rng.integer(width),
            rng.integer(rows - height + 1),
            rng.integer(columns - width + 1),
        )

    def settle(self, params: Any, sample: Mapping[str, Any], info: Info) -> Window:
        """Return the window, which follows from the mask."""
        if "mask" not in sample:
            raise ValueError("CropNonEmptyMask needs 'mask' in the sample: put it there, or use RandomCrop")
        pixel, down, right, top, left = params
        rows, columns = info.image_size()
        height, width = self.size
        counting = self._counts(sample["mask"])
        upto = np.add.accumulate(np.count_nonzero(counting, axis=1))  # the end of each row
        if upto[-1]:
            chosen = int(pixel * int(upto[-1]))
            row = int(np.searchsorted(upto, chosen, side="right"))
            column = int(np.flatnonzero(counting[row])[chosen - int(upto[row])])  # counted from the row's end
            top = min(max(row - down, 0), rows - height)
            left = min(max(column - right, 0), columns - width)
        return Window(top, left, height, width)

    def _counts(self, mask: Array) -> Array:
        """Return which pixels count, (H, W)."""
        counts: Array = mask != 0
        if self.ignore_values:
            counts &= ~np.isin(mask, self.ignore_values)
        if mask.ndim == 2:
            return counts
        kept = [k for k in range(mask.shape[2]) if k not in self.ignore_channels]
        return np.asarray(counts[..., kept].any(-1))

    def out_info(self, info: Info, params: Any) -> Info:
        """Return the info of the window."""
        return info.resized(*self.size)
