"""Compose, and classes like it: called with named parts, as albumentations is."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import seedsafe as ss
from seedsafe_albumentations.arguments import only
from seedsafe_albumentations.params import BboxParams, KeypointParams
from seedsafe_albumentations.parts import Parts
from seedsafe_albumentations.pytorch import ToTensorV2

__all__ = ["Compose", "OneOf", "OneOrOther", "RandomOrder", "ReplayCompose", "Sequential", "SomeOf"]


class Compose:
    """Transforms one after another, called with named parts, which come back in a dict.

    Inside an AugmentedDataset, an AugmentedSequence or a `keyed_map` a call takes the key of the sample that is read; anywhere
    else pass ``key=seedsafe.SampleKey(seed, epoch, index)``.

    Args:
        transforms: of this module or of seedsafe.
        bbox_params: a BboxParams, or a dict of its arguments.
        keypoint_params: a KeypointParams, or a dict of its arguments.
        additional_targets: further arguments by what they are: "image", "mask".
        p: the probability that the transforms are applied at all.
        is_check_shapes: True; masks must be as large as the image.
        strict: accepted, but not used: unknown arguments of transforms are always errors.
        mask_interpolation: None or 0: masks hold labels.
        seed: accepted with a warning: the key has the seed.
        save_applied_params: False; see ReplayCompose.

    Raises:
        TypeError: an argument is of another type.
        ValueError: an argument is not supported.

    Example:
        >>> import numpy as np
        >>> import seedsafe_albumentations as A
        >>> augment = A.Compose([A.RandomCrop(2, 2), A.HorizontalFlip(p=0.5)])
        >>> augment(image=np.arange(16, dtype=np.uint8).reshape(4, 4), key=ss.SampleKey(42, 0, 0))["image"].shape
        (2, 2)
    """

    def __init__(
        self,
        transforms: Sequence[Any],
        bbox_params: Any = None,
        keypoint_params: Any = None,
        additional_targets: dict[str, str] | None = None,
        p: float = 1.0,
        is_check_shapes: bool = True,
        strict: bool = False,
        mask_interpolation: int | None = None,
        seed: int | None = None,
        save_applied_params: bool = False,
    ) -> None:
        if mask_interpolation not in (None, 0):
            raise ValueError(
                f"mask_interpolation must be 0, nearest, got {mask_interpolation!r}: a mask holds labels"
            )
        only("save_applied_params", save_applied_params, False, "ReplayCompose returns them")
        if seed is not None:
            warnings.warn(
                f"seed={seed!r} is not used: the seed is the AugmentedDataset's, or the key's", stacklevel=2
            )
        self.transforms = list(transforms)
        self.p = p
        self.bbox_params = BboxParams(**bbox_params) if isinstance(bbox_params, dict) else bbox_params
        self.keypoint_params = (
            KeypointParams(**keypoint_params) if isinstance(keypoint_params, dict) else keypoint_params
        )
        self.is_check_shapes = is_check_shapes
        self.additional_targets = dict(additional_targets or {})
        self._parts = Parts(self.bbox_params, self.keypoint_params, self.additional_targets)
        members, self._to_tensor = _members(self.transforms)
        if p < 1 and members:
            members = [ss.RandomApply(members, p=p)]
        self._parts.asks_boxes = any(map(_asks_boxes, members))
        self.pipeline = ss.Compose(members, boxes=self._parts.boxes, keypoints=self._parts.keypoints)

    def add_targets(self, additional_targets: dict[str, str] | None) -> None:
        """Take further arguments, by what they are."""
        self.additional_targets |= additional_targets or {}
        asks = self._parts.asks_boxes
        self._parts = Parts(self.bbox_params, self.keypoint_params, self.additional_targets)
        self._parts.asks_boxes = asks

    def __call__(
        self, *arguments: Any, key: ss.SampleKey | None = None, force_apply: bool = False, **data: Any
    ) -> Any:
        """Return the parts, augmented; what is not a part of a sample comes back unchanged.

        Args:
            arguments: none; parts are named.
            key: of the sample; None inside a read.
            force_apply: False.
            data: image, mask, masks, bboxes, keypoints, their labels, and anything else.
        """
        made, _ = self._run(arguments, key, force_apply, data)
        return made

    def _run(self, arguments: Any, key: Any, force_apply: bool, data: dict[str, Any]) -> tuple[Any, Any]:
        if arguments:
            raise KeyError("pass the parts of a sample by name: augment(image=image)")
        only("force_apply", force_apply, False, "make the transforms with p=1")
        parts = self._parts.entered(data)
        key = self.pipeline.next_key() if key is None else key
        made = self.pipeline(parts.sample, key=key)
        others = [
            self.pipeline.replay({"image": image}, self.pipeline.params(key, parts.infos))["image"]
            for image in parts.images
        ]
        return parts.returned(data, made, others, self._to_tensor), key

    def to_dict(self) -> dict[str, Any]:
        """Return the pipeline as plain data, as ``seedsafe.Compose.to_dict`` does."""
        return self.pipeline.to_dict()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.transforms!r})"


class Sequential(Compose):
    """Transforms one after another, inside another Compose.

    Args:
        transforms: of this module or of seedsafe.
        p: the probability that they are applied at all.
    """

    def __init__(self, transforms: Sequence[Any], p: float = 0.5) -> None:
        super().__init__(transforms, p=p)


class ReplayCompose(Compose):
    """A Compose whose result has an entry ``replay``: what was drawn, as plain data, for `replay`.

    Args:
        transforms: see Compose.
        bbox_params: see Compose.
        keypoint_params: see Compose.
        additional_targets: see Compose.
        p: see Compose.
        is_check_shapes: see Compose.
        save_key: the entry's name.

    Example:
        >>> import numpy as np
        >>> import seedsafe_albumentations as A
        >>> augment = A.ReplayCompose([A.RandomCrop(1, 1)])
        >>> image = np.arange(16, dtype=np.uint8).reshape(4, 4)
        >>> made = augment(image=image, key=ss.SampleKey(42, 0, 0))
        >>> bool((A.ReplayCompose.replay(made["replay"], image=image)["image"] == made["image"]).all())
        True
    """

    def __init__(
        self,
        transforms: Sequence[Any],
        bbox_params: Any = None,
        keypoint_params: Any = None,
        additional_targets: dict[str, str] | None = None,
        p: float = 1.0,
        is_check_shapes: bool = True,
        save_key: str = "replay",
    ) -> None:
        super().__init__(transforms, bbox_params, keypoint_params, additional_targets, p, is_check_shapes)
        self.save_key = save_key

    def __call__(
        self, *arguments: Any, key: ss.SampleKey | None = None, force_apply: bool = False, **data: Any
    ) -> Any:
        """Return the parts, augmented, and what was drawn."""
        made, used = self._run(arguments, key, force_apply, data)
        infos = self._parts.entered(data).infos
        applied = [[name, params] for name, params in self.pipeline.params(used, infos)]
        return made | {self.save_key: {"pipeline": self, "applied": applied}}

    @staticmethod
    def replay(saved: dict[str, Any], **data: Any) -> Any:
        """Return other parts, with what was drawn before applied.

        Args:
            saved: the entry ``replay`` of a result.
            data: as in a call.
        """
        augment: ReplayCompose = saved["pipeline"]
        parts = augment._parts.entered(data)
        made = augment.pipeline.replay(parts.sample, saved["applied"])
        others = [augment.pipeline.replay({"image": one}, saved["applied"])["image"] for one in parts.images]
        return parts.returned(data, made, others, augment._to_tensor)


def OneOf(transforms: Sequence[Any], p: float = 0.5) -> Any:
    """Return a choice of one transform, as likely as its p says, which then fires."""
    members = _without_tensors(transforms)
    weights = [float(getattr(one, "p", 1.0)) for one in members]
    return ss.Choice([_always(one) for one in members], weights=weights, p=p)


def OneOrOther(
    first: Any = None, second: Any = None, transforms: Sequence[Any] | None = None, p: float = 0.5
) -> Any:
    """Return a choice of two: the first with probability p, else the second."""
    members = _without_tensors([first, second] if transforms is None else transforms)
    return ss.Choice([_always(one) for one in members], weights=[p, 1 - p])


def SomeOf(transforms: Sequence[Any], n: int = 1, replace: bool = False, p: float = 1) -> Any:
    """Return a choice of n transforms, each as likely as the others, which fire with their own p."""
    members = _without_tensors(transforms)
    return ss.SomeOf(members, n=n if replace else min(n, len(members)), replace=replace, p=p)


def RandomOrder(transforms: Sequence[Any], n: int = 1, replace: bool = False, p: float = 1) -> Any:
    """Raise an error: seedsafe keeps the order of what it chooses."""
    raise ValueError("seedsafe has no RandomOrder, because it keeps the order of transforms: use SomeOf")


def _always(transform: Any) -> Any:
    return replace(transform, p=1.0) if hasattr(transform, "p") else transform


def _asks_boxes(transform: Any) -> bool:
    """Return whether a transform draws by the boxes, so that no boxes are an empty list of them."""
    return isinstance(transform, ss.BBoxSafeCrop) or any(
        map(_asks_boxes, getattr(transform, "transforms", ()))
    )


def _without_tensors(transforms: Sequence[Any]) -> list[Any]:
    members, to_tensor = _members(transforms)
    if to_tensor is not None:
        raise ValueError("ToTensorV2 must stand last in the outermost Compose: take it out of the choice")
    return members


def _members(transforms: Sequence[Any]) -> tuple[list[Any], ToTensorV2 | None]:
    """Return the core's transforms, and the ToTensorV2 at the end, if there is one."""
    members: list[Any] = []
    to_tensor = None
    for one in transforms:
        if one is None:
            continue
        if to_tensor is not None:
            raise ValueError(f"ToTensorV2 must stand last, and {one!r} follows it: put ToTensorV2 at the end")
        if isinstance(one, ToTensorV2):
            to_tensor = one
        elif isinstance(one, Compose):
            inner, to_tensor = _members(one.transforms)
            core = ss.Compose(inner)
            members.append(ss.RandomApply([core], p=one.p) if one.p < 1 and inner else core)
        elif isinstance(one, ss.Transform | ss.Compose):
            members.append(one)
        else:
            raise TypeError(
                f"a transform must be of seedsafe_albumentations or seedsafe, got {one!r}: put seedsafe.bridge around those of "
                "other libraries"
            )
    return members, to_tensor
