"""CutMix of a sample with another one of its dataset."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedsafe.ground.checks import real
from seedsafe.ground.info import Array, Info
from seedsafe.keys.decisions import beta
from seedsafe.keys.draws import Draws
from seedsafe.mixing.batch import cut_box
from seedsafe.mixing.member import ALPHA, LabelMixTransform, draw_partners
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import primitive

__all__ = ["CutMix", "Patch", "around"]


class Patch(NamedTuple):
    """The partner's position in the dataset, the share of the sample itself, and what is taken of the partner.

    Args:
        partners: the position.
        share: of the pixels, in [0, 1].
        box: top, bottom, left and right.
    """

    partners: tuple[int]
    share: float
    box: tuple[int, int, int, int]


@primitive(opencv=False)
class CutMix(LabelMixTransform):
    """Put a rectangle of another sample of the dataset over the sample, and mix their labels by area. Exact on every machine.

    Draws the partner (word 1), a share from Beta(alpha, alpha) (words 2 to 35), and the row (word 36) and column (word 37) of the
    rectangle's middle. Its sides are the image's times the root of one minus the share; it is cut off at the edges, and what is
    left counts. The partner is read at its own key, with the epoch, occurrence and view of the sample, and runs through the
    transforms before this one. Masks follow. Boxes of the sample shrink to what is still seen, those of the partner to the
    rectangle, and the pipeline's Boxes says which are kept. It works through AugmentedDataset and AugmentedSequence alone;
    `BatchMix` mixes ready batches.

    Args:
        alpha: of the Beta distribution, in [0.001, 10**6].

    Raises:
        ValueError: when applied, there is no dataset or but one sample in it, or the sizes, labels or parts do not fit.

    Follows S. Yun et al., "CutMix: regularization strategy to train strong classifiers with localizable features" (2019).

    Example:
        >>> import seedsafe as ss
        >>> from seedsafe.reading import KeyedReader
        >>> photos = [(np.full((4, 4), i, np.uint8), i) for i in range(4)]
        >>> reader = KeyedReader(photos, ss.Compose([CutMix(classes=4)]), seed=42)
        >>> image, label = reader.sample(ss.SampleIndex(1, epoch=0))
        >>> image.tolist(), label.tolist()
        ([[1, 1, 1, 1], [0, 1, 1, 1], [0, 1, 1, 1], [1, 1, 1, 1]], [0.125, 0.875, 0.0, 0.0])
    """

    alpha: float = option(real, *ALPHA, default=1.0)

    def draw(self, rng: Draws, info: Info) -> Patch:
        """Return the partner and the rectangle."""
        (partner,) = draw_partners(rng, info, 1, type(self).__name__)
        height, width = info.image_size()
        share = beta(rng, self.alpha, self.alpha)
        box = cut_box(share, rng.integer(height), rng.integer(width), height, width)
        area = (box[1] - box[0]) * (box[3] - box[2])
        return Patch((partner,), 1.0 - area / (height * width), box)

    def mix_images(self, images: list[Array], params: Any) -> Array:
        """Return the sample's image with the rectangle of the partner's."""
        top, bottom, left, right = params.box
        result = images[0].copy()
        result[top:bottom, left:right] = images[1][top:bottom, left:right]
        return result

    def shares(self, sizes: list[tuple[int, int]], params: Any) -> tuple[float, ...]:
        """Return the share of each in the mixed label."""
        return params.share, 1.0 - params.share

    def place(self, number: int, boxes: Array, sizes: list[tuple[int, int]], params: Any) -> Array:
        """Return boxes as large as what is seen of them."""
        top, bottom, left, right = params.box
        if not number:
            return around(boxes, (left, top, right, bottom))
        placed = boxes.copy()
        placed[:, 0:4:2] = np.clip(boxes[:, 0:4:2], left, right)
        placed[:, 1:4:2] = np.clip(boxes[:, 1:4:2], top, bottom)
        return placed

    def show(self, number: int, mask: Array, sizes: list[tuple[int, int]], params: Any) -> Array:
        """Return what is seen of an object."""
        nothing = np.zeros_like(mask)
        return self.mix_images([nothing, mask] if number else [mask, nothing], params)


def around(boxes: Array, hole: tuple[int, int, int, int]) -> Array:
    """Return boxes as large as what a rectangle over them leaves to see; one that is covered has an area of zero.

    Args:
        boxes: (N, 4 or more), x0, y0, x1, y1 of pixel edges first.
        hole: the same of the rectangle.

    Example:
        >>> around(np.array([[0.0, 0.0, 4.0, 2.0], [0.0, 0.0, 4.0, 3.0]]), (0, 0, 2, 2))[:, :4].tolist()
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
