"""CopyPaste of objects of another sample."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedsafe.ground.checks import real
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import Address, philox
from seedsafe.mixing.member import MixTransform, Parts, draw_partners
from seedsafe.pipeline.boxes import area
from seedsafe.pipeline.mixer import Mixture, Objects
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import primitive

__all__ = ["CopyPaste", "Pasted"]


class Pasted(NamedTuple):
    """The partner's position in the dataset, and the address of the words that choose among its objects."""

    partners: tuple[int]
    address: Address


@primitive(opencv=False)
class CopyPaste(MixTransform):
    """Copy objects of another sample of the dataset onto the sample, by their masks. Exact on every machine.

    Draws the partner (word 1). Object k of the partner is pasted where it stands if the unit of word 4 + k is below `object_p`;
    nothing is blended. ``masks`` has the objects of a sample, with one of ``boxes`` for each if there are boxes. Masks of the
    sample lose what is covered, and their boxes shrink to what is seen; the pipeline's Boxes says which are kept, and a mask
    whose box is dropped is dropped too. The partner is read at its own key, with the epoch, occurrence and view of the sample,
    and runs through the transforms before this one: put those that scale and shift there. It works through AugmentedDataset and
    AugmentedSequence alone.

    Args:
        object_p: the chance that an object of the partner is pasted, in [0, 1].

    Raises:
        ValueError: when applied, there is no dataset or but one sample in it, the sample has no masks, or the sizes differ.

    Follows G. Ghiasi et al., "Simple copy-paste is a strong data augmentation method for instance segmentation" (2021).

    Example:
        >>> import seedsafe as ss
        >>> from seedsafe.reading import KeyedReader
        >>> masks = [[np.eye(2, dtype=np.uint8)], [np.eye(2, dtype=np.uint8)[::-1]]]
        >>> photos = [{"image": np.full((2, 2), i, np.uint8), "masks": masks[i]} for i in (0, 1)]
        >>> reader = KeyedReader(photos, ss.Compose([CopyPaste(object_p=1.0)]), seed=42)
        >>> sample = reader.sample(ss.SampleIndex(0, epoch=0))
        >>> sample["image"].tolist(), len(sample["masks"])
        ([[0, 1], [1, 0]], 2)
    """

    object_p: float = option(real, 0.0, 1.0, "pass a chance in [0, 1]", default=0.5)

    def draw(self, rng: Draws, info: Info) -> Pasted:
        """Return the partner, and the address of the words for its objects."""
        (partner,) = draw_partners(rng, info, 1, type(self).__name__)
        return Pasted((partner,), rng.noise())

    def mix(self, parts: Parts, params: Any) -> Mixture:
        """Return the sample with objects of its partner.

        Raises:
            ValueError: the samples have no masks, or the sizes differ.
        """
        self.check(parts, params)
        own, other = parts
        if "masks" not in own:
            raise ValueError(
                f"CopyPaste copies objects by their masks, and the sample has {list(own)}: give it 'masks', one for each object"
            )
        count = len(other["masks"])
        words = philox(params.address).random_raw(count) if count else np.zeros(0, np.uint64)
        rows = (words >> np.uint64(11)) * 2.0**-53 < self.object_p
        pasted = [mask for mask, chosen in zip(other["masks"], rows.tolist(), strict=True) if chosen]
        over = np.zeros(own["image"].shape[:2], np.bool_)
        for mask in pasted:
            over |= _flat(mask)
        result = {}
        for target in ("image", "mask"):
            if target in own:
                result[target] = own[target].copy()
                result[target][over] = other[target][over]
        left = [_without(mask, over) for mask in own["masks"]]
        boxes = [np.asarray(part["boxes"], np.float64) if "boxes" in part else None for part in parts]
        if boxes[0] is None or boxes[1] is None:
            blank = np.zeros(0)
            objects = (
                Objects(np.ones(len(left), np.bool_), None, blank, left),
                Objects(rows, None, blank, pasted),
            )
        else:
            seen = boxes[0].copy()
            for row, (mask, rest) in enumerate(zip(own["masks"], left, strict=True)):
                if rest is not mask:
                    seen[row, :4] = _box_around(_flat(rest))
            chosen = boxes[1][rows]
            objects = (
                Objects(np.ones(len(left), np.bool_), seen, area(boxes[0]), left),
                Objects(rows, chosen, area(chosen), pasted),
            )
        return Mixture(result, (1.0, 0.0), objects)


def _flat(mask: Array) -> Array:
    """Return which pixels are an object's, (H, W)."""
    pixels: Array = mask != 0
    return pixels if pixels.ndim == 2 else np.any(pixels, axis=2)


def _without(mask: Array, over: Array) -> Array:
    """Return a mask without what is covered; the very same one if nothing of it is."""
    if not (_flat(mask) & over).any():
        return mask
    rest = mask.copy()
    rest[over] = 0
    return rest


def _box_around(pixels: Array) -> tuple[float, float, float, float]:
    """Return x0, y0, x1, y1 around pixels; all zero if there are none."""
    rows, columns = np.flatnonzero(pixels.any(axis=1)), np.flatnonzero(pixels.any(axis=0))
    if not len(rows):
        return 0.0, 0.0, 0.0, 0.0
    return float(columns[0]), float(rows[0]), float(columns[-1]) + 1.0, float(rows[-1]) + 1.0
