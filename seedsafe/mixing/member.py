"""What transforms have in common that mix a sample with others of its dataset."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

import numpy as np

from seedsafe.ground.checks import probability
from seedsafe.ground.info import TARGETS, Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import checked_int
from seedsafe.pipeline.boxes import area
from seedsafe.pipeline.mixer import Mixer, Mixture, Objects, no_dataset
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.node import Node
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import Transform

__all__ = ["ALPHA", "LabelMixTransform", "MixTransform", "draw_partners"]

ALPHA: Final = (1e-3, 1e6, "pass the alpha of the Beta(alpha, alpha) distribution, such as 1.0")

Parts = list[dict[Any, Any]]


def draw_partners(rng: Draws, info: Info, count: int, name: str) -> tuple[int, ...]:
    """Return the positions of other samples of the dataset, each as likely as the others, none twice; one word each.

    Word k is an integer below the number of samples that are left, and counts these in order.

    Args:
        rng: the stream.
        info: of the sample, with the dataset's length and the sample's position.
        count: how many.
        name: of the transform, for an error.

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
            f"{name} mixes a sample with {count} other{'s' * (count > 1)}, and the dataset has {length} in all: give it more "
            f"samples, or leave {name} out"
        )
    if position is None or not 0 <= position < length:
        raise ValueError(
            f"the position {position} is not in a dataset of length={length}: pass Info(shape, dtype, length=…, position=…)"
        )
    taken = [position]
    found: list[int] = []
    for _ in range(count):
        chosen = rng.integer(length - len(taken))
        for one in sorted(taken):
            chosen += chosen >= one
        taken.append(chosen)
        found.append(chosen)
    return tuple(found)


def _label(name: str, value: Any) -> str | None:
    if value is None or (isinstance(value, str) and value not in TARGETS):
        return value
    kind = ValueError if isinstance(value, str) else TypeError
    raise kind(
        f"{name} must name an entry of the sample other than {', '.join(TARGETS)}, or be None, got {value!r}"
    )


@primitive(opencv=False)
class MixTransform(Transform):
    """A transform that mixes a sample with others of its dataset; it works through a dataset alone."""

    p: float = option(probability, default=1.0, kw_only=True)

    channels: ClassVar[Literal["any", "last", "to first"]] = "last"
    same_size: ClassVar[bool] = True
    """Whether all images that are mixed must have one height and width."""

    def bind(self, namer: Namer) -> Node:
        """Return this transform with its stream in a pipeline, and with what partners run through."""
        namer.rules.look(spatial=True)
        namer.rules.mix(*self.labelled())
        name, ops = namer.claim(self.name, type(self).__name__)
        return Mixer(self, name, ops, self.draw, namer.before, namer.rules)

    def labelled(self) -> tuple[str | None, int | None]:
        """Return the entry with the label that is mixed, and the number of classes."""
        return None, None

    def mix(self, parts: Parts, params: Any) -> Mixture:
        """Return what becomes of a sample, the first of `parts`, and its partners.

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
            result["masks"] = self._several([part["masks"] for part in parts], params)
        return Mixture(result, self.shares(sizes, params), objects)

    def check(self, parts: Parts, params: Any) -> None:
        """Raise an error unless the parts can be mixed."""
        kind = type(self).__name__
        for target in ("keypoints", "audio", "spectrogram", "video"):
            if target in parts[0]:
                raise ValueError(f"{kind} cannot mix {target}: take {target!r} out of the sample")
        first = parts[0]["image"].shape
        for part, position in zip(parts[1:], params.partners, strict=True):
            shape = part["image"].shape
            if self.same_size and shape[:2] != first[:2]:
                raise ValueError(
                    f"{kind} mixes images of one size, and the sample has the shape {first}, its partner, sample {position}, "
                    f"{shape}: put RandomCrop(size, pad_if_needed=True), Resize or LetterBox before {kind}; Mosaic takes any sizes"
                )
        for part in parts:
            if "boxes" in part and "masks" in part and len(part["boxes"]) != len(part["masks"]):
                raise ValueError(
                    f"{kind} needs one of masks for each of boxes, got {len(part['masks'])} and {len(part['boxes'])}: put other "
                    "masks under 'mask'"
                )

    def mix_images(self, images: list[Array], params: Any) -> Array:
        """Return one image of several, the sample's first."""
        raise NotImplementedError

    def mix_masks(self, masks: list[Array], params: Any) -> Array:
        """Return one mask of several, the sample's first."""
        return self.mix_images(masks, params)

    def shares(self, sizes: list[tuple[int, int]], params: Any) -> tuple[float, ...]:
        """Return the share of each in the mixed label."""
        return (1.0,) + (0.0,) * (len(sizes) - 1)

    def place(self, number: int, boxes: Array, sizes: list[tuple[int, int]], params: Any) -> Array:
        """Return the boxes of one of the samples, float64, where they are now, as large as what is seen of them."""
        return boxes

    def show(self, number: int, mask: Array, sizes: list[tuple[int, int]], params: Any) -> Array:
        """Return the mask of an object of one of the samples, as it is now."""
        return mask

    def objects(
        self, number: int, part: dict[Any, Any], sizes: list[tuple[int, int]], params: Any
    ) -> Objects:
        """Return what is taken of the objects of one of the samples."""
        boxes = np.asarray(part["boxes"], np.float64)
        masks = [self.show(number, one, sizes, params) for one in part["masks"]] if "masks" in part else None
        return Objects(
            np.ones(len(boxes), np.bool_), self.place(number, boxes, sizes, params), area(boxes), masks
        )

    def _several(self, given: list[Any], params: Any) -> Any:
        """Return lists or stacks of masks as one, each mask mixed with those that stand at its place."""
        counts = {len(one) for one in given}
        if len(counts) > 1:
            raise ValueError(
                f"{type(self).__name__} mixes each of masks with the partner's at its place, got {sorted(counts)} masks: give "
                "masks of objects boxes beside them, which puts them together"
            )
        result = [self.mix_masks(list(masks), params) for masks in zip(*given, strict=True)]
        if isinstance(given[0], np.ndarray):
            return np.stack(result) if result else given[0]
        return type(given[0])(result)

    def apply_image(self, image: Array, params: Any) -> Array:
        """Refuse: an image alone, or a record of what was drawn, has no partners.

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
        doc="the sample's entry with its class, which becomes a float32 vector whether the sample is mixed or not; None if there "
        'is none. A tuple (image, label) needs no more; elsewhere name it with ``targets=("image", "label")``. Samples with '
        "mask, masks or boxes may lack it.",
    )
    classes: int | None = option(
        checked_int,
        1,
        2**31,
        "pass the number of classes",
        default=None,
        kw_only=True,
        doc="the number of classes, for labels that are numbers of classes; labels that are vectors need none.",
    )

    def labelled(self) -> tuple[str | None, int | None]:
        """Return the entry with the label that is mixed, and the number of classes."""
        return self.label, self.classes
