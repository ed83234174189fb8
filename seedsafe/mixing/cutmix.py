"""CutMix with another sample of the dataset."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.keys.decisions import beta
from seedsafe.keys.draws import Draws
from seedsafe.mixing.batch import cut_box
from seedsafe.mixing.partners import BetaMixTransform, Sizes, draw_partners
from seedsafe.pipeline.primitive import primitive

__all__ = ["CutMix", "Patch", "boxes_outside"]


class Patch(NamedTuple):
    """The partner, the share of the sample itself, and the partner's rectangle.

    Args:
        partners: the partner's position in the dataset.
        share: the share of the pixels, in [0, 1].
        box: top, bottom, left and right.
    """

    partners: tuple[int]
    share: float
    box: tuple[int, int, int, int]


@primitive(exact=EVERYWHERE, opencv=False)
class CutMix(BetaMixTransform):
    """Put a rectangle of another sample of the dataset over the sample, and mix labels by area.

    Draws the partner (word 1), a share from Beta(alpha, alpha) (words 2 to 35), and the row (word 36) and column (word
    37) of the rectangle's middle. Its sides are the image's times the square root of (1 - share); it is clipped at the
    edges, and labels are mixed by its remaining area. The partner is read at its own key, with the epoch, occurrence
    and view of the sample, and runs through the transforms before this one. Masks follow. The sample's boxes shrink to
    their visible parts, the partner's to the rectangle, and the pipeline's Boxes decides which to keep. It works only
    through AugmentedDataset and AugmentedSequence; `BatchMix` mixes ready batches.

    Args:
        alpha: the alpha of the Beta distribution, in [0.001, 10**6].

    Follows S. Yun et al., "CutMix: regularization strategy to train strong classifiers with localizable features"
    (2019).

    Example:
        >>> import seedsafe as ss
        >>> from seedsafe.reading import KeyedReader
        >>> photos = [(np.full((4, 4), i, np.uint8), i) for i in range(4)]
        >>> reader = KeyedReader(photos, ss.Compose([CutMix(classes=4)]), seed=42)
        >>> image, label = reader.sample(ss.SampleIndex(1, epoch=0))
        >>> image.tolist(), label.tolist()
        ([[1, 1, 1, 1], [0, 1, 1, 1], [0, 1, 1, 1], [1, 1, 1, 1]], [0.125, 0.875, 0.0, 0.0])
    """

    def draw(self, rng: Draws, info: Info) -> Patch:
        (partner,) = draw_partners(rng, info, 1, type(self).__name__)
        height, width = info.image_size()
        share = beta(rng, self.alpha, self.alpha)
        box = cut_box(share, rng.integer(height), rng.integer(width), height, width)
        area = (box[1] - box[0]) * (box[3] - box[2])
        return Patch((partner,), 1.0 - area / (height * width), box)

    def mix_images(self, images: list[Array], params: Any) -> Array:
        top, bottom, left, right = params.box
        result = images[0].copy()
        result[top:bottom, left:right] = images[1][top:bottom, left:right]
        return result

    def move_boxes(self, number: int, boxes: Array, sizes: Sizes, params: Any) -> Array:
        top, bottom, left, right = params.box
        if not number:
            return boxes_outside(boxes, (left, top, right, bottom))
        result = boxes.copy()
        result[:, 0:4:2] = np.clip(boxes[:, 0:4:2], left, right)
        result[:, 1:4:2] = np.clip(boxes[:, 1:4:2], top, bottom)
        return result

    def move_mask(self, number: int, mask: Array, sizes: Sizes, params: Any) -> Array:
        nothing = np.zeros_like(mask)
        return self.mix_images([nothing, mask] if number else [mask, nothing], params)


def boxes_outside(boxes: Array, hole: tuple[int, int, int, int]) -> Array:
    """Return boxes, shrunk to their parts outside a rectangle over them; a box under it has an area of zero.

    Args:
        boxes: (N, 4 or more), x0, y0, x1, y1 of pixel edges first.
        hole: x0, y0, x1, y1 of the rectangle.

    Example:
        >>> boxes_outside(np.array([[0.0, 0.0, 4.0, 2.0], [0.0, 0.0, 4.0, 3.0]]), (0, 0, 2, 2))[:, :4].tolist()
        [[2.0, 0.0, 4.0, 2.0], [0.0, 0.0, 4.0, 3.0]]
    """
    seen = boxes.copy()
    x0, y0, x1, y1 = boxes[:, :4].T
    left, top, right, bottom = hole
    across, down = (left <= x0) & (x1 <= right), (top <= y0) & (y1 <= bottom)
    seen[:, 2:4][across & down] = seen[:, :2][across & down]
    across, down = across & ~down, down & ~across
    seen[:, 0] = np.where(down & (left <= x0) & (right > x0), right, x0)
    seen[:, 2] = np.where(down & (right >= x1) & (left < x1), left, seen[:, 2])
    seen[:, 1] = np.where(across & (top <= y0) & (bottom > y0), bottom, y0)
    seen[:, 3] = np.where(across & (bottom >= y1) & (top < y1), top, seen[:, 3])
    return seen
