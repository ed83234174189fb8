"""MixUp with another sample of the dataset."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple

from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.keys.decisions import beta
from seedsafe.keys.draws import Draws
from seedsafe.mixing.batch import blended
from seedsafe.mixing.partners import BetaMixTransform, draw_partners
from seedsafe.pipeline.primitive import primitive

__all__ = ["Blend", "MixUp"]


class Blend(NamedTuple):
    """The partner's position in the dataset, and the share of the sample itself."""

    partners: tuple[int]
    share: float


@primitive(exact=EVERYWHERE, opencv=False)
class MixUp(BetaMixTransform):
    """Blend the sample with another sample of its dataset, and their labels too.

    Draws the partner (word 1) and the share of the sample itself from Beta(alpha, alpha) (words 2 to 35). The partner
    is read at its own key, with the epoch, occurrence and view of the sample, and runs through the transforms before
    this one. Images of uint8 are blended in float32 and rounded to even. The result has the boxes of both samples, with
    their labels. A mask must have floats, and one channel for each class. It works only through AugmentedDataset and
    AugmentedSequence; `BatchMix` mixes ready batches.

    Args:
        alpha: the alpha of the Beta distribution, in [0.001, 10**6].

    Follows H. Zhang et al., "mixup: beyond empirical risk minimization" (2018).

    Example:
        >>> import seedsafe as ss
        >>> from seedsafe.reading import KeyedReader
        >>> photos = [(np.full((2, 2, 3), 60 * i, np.uint8), i) for i in range(4)]
        >>> reader = KeyedReader(photos, ss.Compose([MixUp(classes=4)]), seed=42)
        >>> image, label = reader.sample(ss.SampleIndex(0, epoch=0))
        >>> int(image[0, 0, 0]), [round(float(share), 2) for share in label]
        (12, [0.8, 0.2, 0.0, 0.0])
    """

    channels: ClassVar[Literal["any", "last", "to first"]] = "any"

    def draw(self, rng: Draws, info: Info) -> Blend:
        (partner,) = draw_partners(rng, info, 1, type(self).__name__)
        return Blend((partner,), beta(rng, self.alpha, self.alpha))

    def mix_images(self, images: list[Array], params: Any) -> Array:
        return blended(images[0], images[1], params.share)

    def mix_masks(self, masks: list[Array], params: Any) -> Array:
        """Return the blended masks; they must have floats."""
        if masks[0].dtype.kind != "f":
            raise ValueError(
                f"MixUp needs a mask of floats, one channel for each class, got {masks[0].dtype}: use CutMix or Mosaic, which copy "
                "pixels, or give each object's mask a box"
            )
        return blended(masks[0], masks[1], params.share)
