"""Base classes of MixUp, CutMix, Mosaic and CopyPaste."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from seedsafe.ground.checks import checked_int, probability, real
from seedsafe.ground.info import TARGETS, Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.mixing.mixer import Mixer, MixingRoot, Mixture, Objects, Samples, no_dataset
from seedsafe.pipeline.boxes import area
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.node import Node
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import Transform

__all__ = ["BetaMixTransform", "LabelMixTransform", "MixTransform", "Sizes", "draw_partners"]

Sizes = list[tuple[int, int]]
"""The height and width of a sample and its partners."""


def draw_partners(rng: Draws, info: Info, count: int, name: str) -> tuple[int, ...]:
    """Draw the positions of other samples of the dataset, all equally likely, none twice. One word each.

    Word k becomes an integer below the number of remaining samples, and counts these in order.

    Args:
        rng: the stream.
        info: the info of the sample, with the dataset's length and the sample's position.
        count: the number of partners.
        name: the name of the transform, for an error.

    Raises:
        ValueError: the dataset has too few samples, or the position is not in it.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> draw_partners(Draws(address(SampleKey(42, 0, 0))), Info((4, 4), length=4, position=1), 3, "Mosaic")
        (3, 0, 2)
    """
    length, position = info.length, info.position
    if length <= count:
        raise ValueError(
            f"{name} mixes a sample with {count} other{'s' * (count > 1)}, but the dataset has {length} in all: give it more "
            f"samples, or leave {name} out"
        )
    if position is None or not 0 <= position < length:
        raise ValueError(
            f"the position {position} is not in a dataset of length={length}: pass Info(shape, dtype, length=…, position=…)"
        )
    positions = [position]
    for _ in range(count):
        partner = rng.integer(length - len(positions))
        # In order, because each skipped position shifts those after it.
        for one in sorted(positions):
            partner += partner >= one
        positions.append(partner)
    return tuple(positions[1:])


def _label(name: str, value: Any) -> str | None:
    if value is None or (isinstance(value, str) and value not in TARGETS):
        return value
    kind = ValueError if isinstance(value, str) else TypeError
    raise kind(
        f"{name} must name an entry of the sample other than {', '.join(TARGETS)}, or be None, got {value!r}: pass the name "
        "of the label"
    )


@primitive(opencv=False)
class MixTransform(Transform):
    """A transform that mixes a sample with others of its dataset; it works only through a dataset."""

    p: float = option(probability, default=1.0, kw_only=True)

    channels: ClassVar[Literal["any", "last", "to first"]] = "last"
    same_size: ClassVar[bool] = True
    """Whether all images to mix must have the same height and width."""

    def bind(self, namer: Namer) -> Node:
        """Return this transform's node, with its stream and the nodes that partners run through."""
        namer.rules.look(spatial=True)
        name, ops = namer.claim(self.name, type(self).__name__)
        namer.rules.mix(name, MixingRoot, *self.labelled())
        return Mixer(self, name, ops, namer)

    def labelled(self) -> tuple[str | None, int | None]:
        """Return the name of the entry with the label, and the number of classes."""
        return None, None

    def mix(self, parts: Samples, params: Any) -> Mixture:
        """Return the mixture of a sample and its partners; the sample is the first of `parts`.

        Raises:
            ValueError: the sample has a part that cannot be mixed, or the sizes differ.
        """
        self.check(parts, params)
        images: list[Array] = [part["image"] for part in parts]
        sizes = [image.shape[:2] for image in images]
        result: dict[str, Any] = {"image": self.mix_images(images, params)}
        if "mask" in parts[0]:
            result["mask"] = self.mix_masks([part["mask"] for part in parts], params)
        masks = "masks" in parts[0]
        objects: tuple[Objects, ...] = ()
        if "boxes" in parts[0]:
            objects = tuple(self.objects(number, part, sizes, params) for number, part in enumerate(parts))
        elif masks:
            result["masks"] = self._mix_each([part["masks"] for part in parts], params)
        return Mixture(result, self.shares(sizes, params), objects)

    def check(self, parts: Samples, params: Any) -> None:
        """Raise an error if the parts cannot be mixed."""
        kind = type(self).__name__
        for target in ("keypoints", "audio", "spectrogram", "video"):
            if target in parts[0]:
                raise ValueError(f"{kind} cannot mix {target}: take {target!r} out of the sample")
        first = parts[0]["image"].shape
        for part, position in zip(parts[1:], params.partners, strict=True):
            shape = part["image"].shape
            if self.same_size and shape[:2] != first[:2]:
                raise ValueError(
                    f"{kind} mixes images of one size, but the sample has the shape {first} and its partner, sample {position}, "
                    f"{shape}: put RandomCrop(size, pad_if_needed=True), Resize or LetterBox before {kind}; Mosaic takes any sizes"
                )
        for part in parts:
            if "boxes" in part and "masks" in part and len(part["boxes"]) != len(part["masks"]):
                raise ValueError(
                    f"{kind} needs one mask for each box, got {len(part['masks'])} masks and {len(part['boxes'])} boxes: put other "
                    "masks under 'mask'"
                )

    def mix_images(self, images: list[Array], params: Any) -> Array:
        """Return one image from several, the sample's first."""
        raise NotImplementedError

    def mix_masks(self, masks: list[Array], params: Any) -> Array:
        """Return one mask from several, the sample's first."""
        return self.mix_images(masks, params)

    def shares(self, sizes: Sizes, params: Any) -> tuple[float, ...]:
        """Return each sample's share in the mixed label."""
        return (1.0,) + (0.0,) * (len(sizes) - 1)

    def move_boxes(self, number: int, boxes: Array, sizes: Sizes, params: Any) -> Array:
        """Return the boxes of one sample, float64, moved and shrunk to their visible parts."""
        return boxes

    def move_mask(self, number: int, mask: Array, sizes: Sizes, params: Any) -> Array:
        """Return the mask of one object of a sample, moved and shrunk to its visible part."""
        return mask

    def objects(self, number: int, part: dict[Any, Any], sizes: Sizes, params: Any) -> Objects:
        """Return the objects that one sample adds to the mixture."""
        boxes = np.asarray(part["boxes"], np.float64)
        masks = (
            [self.move_mask(number, one, sizes, params) for one in part["masks"]] if "masks" in part else None
        )
        return Objects(
            np.ones(len(boxes), np.bool_), self.move_boxes(number, boxes, sizes, params), area(boxes), masks
        )

    def _mix_each(self, stacks: list[Any], params: Any) -> Any:
        """Return one list or stack of masks from several, mixing the masks at each position."""
        counts = {len(one) for one in stacks}
        if len(counts) > 1:
            raise ValueError(
                f"{type(self).__name__} mixes masks with those at the same position in the partner, got {sorted(counts)} masks: "
                "for masks of objects, add a box for each, and the masks of both samples are kept"
            )
        result = [self.mix_masks(list(masks), params) for masks in zip(*stacks, strict=True)]
        if isinstance(stacks[0], np.ndarray):
            return np.stack(result) if result else stacks[0]
        return type(stacks[0])(result)

    def apply_image(self, image: Array, params: Any) -> Array:
        """Raise an error: neither an image by itself nor recorded parameters have partners.

        Raises:
            ValueError: always.
        """
        raise no_dataset(type(self).__name__)


@primitive(opencv=False)
class LabelMixTransform(MixTransform):
    """A transform that mixes labels as well."""

    label: str | None = option(
        _label,
        default="label",
        kw_only=True,
        doc="the name of the sample's entry with its class, which becomes a float32 vector whether the sample is mixed or not; "
        'None if there is none. A tuple (image, label) works by itself; for others, pass ``targets=("image", "label")``. '
        "Samples with mask, masks or boxes may lack it.",
    )
    classes: int | None = option(
        checked_int,
        1,
        2**31,
        "pass the number of classes",
        default=None,
        kw_only=True,
        doc="the number of classes, for labels that are class numbers; vectors need none.",
    )

    def labelled(self) -> tuple[str | None, int | None]:
        return self.label, self.classes


@primitive(opencv=False)
class BetaMixTransform(LabelMixTransform):
    """A transform that mixes a sample with one partner, in a share from a Beta distribution.

    Raises:
        ValueError: when applied, there is no dataset or it has only one sample, or the sizes, labels or parts do not
            fit.
    """

    alpha: float = option(
        real, 1e-3, 1e6, "pass the alpha of the Beta(alpha, alpha) distribution, such as 1.0", default=1.0
    )

    def shares(self, sizes: Sizes, params: Any) -> tuple[float, ...]:
        return params.share, 1.0 - params.share
