"""CopyPaste: objects copied from another sample."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedsafe.ground.checks import real
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import Address, philox
from seedsafe.mixing.mixer import Mixture, Objects, Samples
from seedsafe.mixing.partners import MixTransform, draw_partners
from seedsafe.pipeline.boxes import area
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import primitive

__all__ = ["CopyPaste", "Pasted"]


class Pasted(NamedTuple):
    """The partner's position in the dataset, and the address of the words that choose its objects."""

    partners: tuple[int]
    address: Address


@primitive(exact=EVERYWHERE, opencv=False)
class CopyPaste(MixTransform):
    """Copy objects of another sample of the dataset onto the sample, by their masks.

    Draws the partner (word 1). Object k of the partner is pasted at its own position if the unit of word 4 + k is below
    `object_p`; nothing is blended. ``masks`` has one mask for each object of a sample, and ``boxes``, if there are any,
    one box. The sample's masks lose their covered parts, and its boxes shrink to their visible parts. The pipeline's
    Boxes decides which boxes to keep; a mask is dropped along with its box. The partner is read at its own key, with
    the epoch, occurrence and view of the sample, and runs through the transforms before this one: put those that scale
    and shift there. It works only through AugmentedDataset and AugmentedSequence.

    Args:
        object_p: the probability that an object of the partner is pasted, in [0, 1].

    Raises:
        ValueError: when applied, there is no dataset or it has only one sample, the sample has no masks, or the sizes
            differ.

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

    object_p: float = option(real, 0.0, 1.0, "pass a probability", default=0.5)

    def draw(self, rng: Draws, info: Info) -> Pasted:
        (partner,) = draw_partners(rng, info, 1, type(self).__name__)
        return Pasted((partner,), rng.noise())

    def mix(self, parts: Samples, params: Any) -> Mixture:
        """Return the sample with some objects of its partner.

        Raises:
            ValueError: the samples have no masks, or the sizes differ.
        """
        self.check(parts, params)
        own, other = parts
        if "masks" not in own:
            raise ValueError(
                f"CopyPaste copies objects by their masks, but the sample has {list(own)}: give it 'masks', one for each object"
            )
        count = len(other["masks"])
        words = philox(params.address).random_raw(count) if count else np.zeros(0, np.uint64)
        chosen = (words >> np.uint64(11)) * 2.0**-53 < self.object_p
        masks = [mask for mask, paste in zip(other["masks"], chosen.tolist(), strict=True) if paste]
        over = np.zeros(own["image"].shape[:2], np.bool_)
        for mask in masks:
            over |= _pixels(mask)
        result = {}
        for target in ("image", "mask"):
            if target in own:
                result[target] = own[target].copy()
                result[target][over] = other[target][over]
        uncovered = [_without(mask, over) for mask in own["masks"]]
        boxes = new = visible = None
        if "boxes" in own:
            boxes, theirs = (np.asarray(part["boxes"], np.float64) for part in parts)
            new, visible = theirs[chosen], boxes.copy()
            for number, (mask, rest) in enumerate(zip(own["masks"], uncovered, strict=True)):
                if rest is not mask:
                    visible[number, :4] = _box_around(_pixels(rest))
        pasted = Objects(chosen, new, _areas(new), masks)
        kept = Objects(np.ones(len(uncovered), np.bool_), visible, _areas(boxes), uncovered)
        return Mixture(result, (1.0, 0.0), (kept, pasted))


def _areas(boxes: Array | None) -> Array:
    return np.zeros(0) if boxes is None else area(boxes)


def _pixels(mask: Array) -> Array:
    """Return whether each pixel belongs to an object, (H, W)."""
    pixels: Array = mask != 0
    return pixels if pixels.ndim == 2 else np.any(pixels, axis=2)


def _without(mask: Array, over: Array) -> Array:
    """Return a copy of a mask without its covered part, or the mask itself if it has none."""
    if not (_pixels(mask) & over).any():
        return mask
    rest = mask.copy()
    rest[over] = 0
    return rest


def _box_around(pixels: Array) -> tuple[float, float, float, float]:
    """Return x0, y0, x1, y1 around pixels, or zeros if there are none."""
    rows, columns = np.flatnonzero(pixels.any(axis=1)), np.flatnonzero(pixels.any(axis=0))
    if not len(rows):
        return 0.0, 0.0, 0.0, 0.0
    return float(columns[0]), float(rows[0]), float(columns[-1]) + 1.0, float(rows[-1]) + 1.0
