"""Pipelines called with named parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import check_only
from seedsafe_albumentations.caller import Caller
from seedsafe_albumentations.params import BboxParams, KeypointParams
from seedsafe_albumentations.parts import Call, Parts
from seedsafe_albumentations.pytorch import ToTensorV2, tensor

__all__ = ["Container", "Named"]


class Container:
    """A sequence of transforms: a Compose, or a container of the user's own."""

    transforms: list[Any]

    def __len__(self) -> int:
        return len(self.transforms)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.transforms)

    def __getitem__(self, position: Any) -> Any:
        return self.transforms[position]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.transforms!r})"


class Named(Container):
    """A pipeline of seedsafe, called with named parts.

    Args:
        members: its transforms, of seedsafe.
        to_tensor: the ToTensorV2 at their end, or None.
        bbox_params: the parameters of the boxes, or None.
        keypoint_params: the parameters of the keypoints, or None.
        additional_targets: the names of further arguments, and what each is.
        check_shapes: whether further images must be as large as the first.

    Raises:
        ValueError: a member takes boxes or keypoints in another format, or an additional target has an unknown kind.
    """

    p: float = 1.0
    """The probability that the transforms are applied at all."""

    follows_key: ClassVar[bool] = True
    """Because of this, a bridge does not call ``set_random_seed``."""

    def __init__(
        self,
        members: list[Any],
        to_tensor: ToTensorV2 | None,
        bbox_params: BboxParams | None,
        keypoint_params: KeypointParams | None,
        additional_targets: dict[str, str] | None = None,
        check_shapes: bool = True,
    ) -> None:
        self.bbox_params = bbox_params
        self.keypoint_params = keypoint_params
        self.additional_targets = dict(additional_targets or {})
        self._to_tensor = to_tensor
        asks_boxes = _has(members, lambda one: isinstance(one, ss.BBoxSafeCrop))
        own = _has(members, lambda one: isinstance(getattr(one, "function", None), Caller))
        params = bbox_params, keypoint_params
        self._parts = Parts(*params, self.additional_targets, asks_boxes, own, check_shapes)
        rules: Any = {"boxes": self._parts.boxes, "keypoints": self._parts.keypoints}
        self.pipeline = ss.Compose(members, **rules)
        self._by_mask = _has(members, lambda one: isinstance(one, ss.CropNonEmptyMask))
        self._takes_images = not (asks_boxes or self._by_mask) and params == (None, None)
        # The core puts the channels first, as a tensor has them, in the same pass that normalizes.
        self._runs = ss.Compose([*members, ss.ToCHW()], **rules) if to_tensor else self.pipeline

    def __call__(
        self, *arguments: Any, key: ss.SampleKey | None = None, force_apply: bool = False, **data: Any
    ) -> Any:
        """Return the augmented parts. Arguments that are not parts come back unchanged."""
        return self._run(arguments, key, force_apply, data)[0]

    def _run(self, arguments: Any, key: Any, force_apply: bool, data: dict[str, Any]) -> tuple[Any, Any]:
        if arguments:
            raise KeyError(
                f"a call takes no positional arguments, got {len(arguments)}: pass the parts of a sample by name, "
                "augment(image=image); in a dataset, call it in __getitem__"
            )
        check_only(force_apply, "force_apply", False, "make the transforms with p=1")
        image = data.get("image")
        if self._takes_images and len(data) == 1 and _is_usual(image):  # the usual call needs no Parts
            key = self.pipeline.next_key() if key is None else key
            result = self._runs(image, key=key)
            return {"image": tensor(result) if self._to_tensor else result}, key
        parts = self._parts.call_of(data)
        key = self.pipeline.next_key() if key is None else key
        result = self._runs(parts.sample, key=key)
        if self._parts.own:  # whose parameters are only known after the call
            others = [
                self.pipeline(parts.sample | {"image": one}, key=key)["image"] for _, one in parts.images
            ]
        else:
            applied = self.pipeline.params(key, parts.infos()) if parts.images else ()
            others = self._replay_images(parts, applied)
        return parts.result_of(data, result, others, self._to_tensor, planes=True), key

    def _replay_images(self, parts: Call, applied: Any) -> list[Any]:
        """Return the call's other images, with the same parameters."""
        beside = parts.sample if self._by_mask else {}
        return [self.pipeline.replay(beside | {"image": one}, applied)["image"] for _, one in parts.images]


def _is_usual(image: Any) -> bool:
    """Return whether an image needs no checks by Parts, whose errors name the part."""
    return type(image) is np.ndarray and image.dtype.char in "Bf" and image.size > 0


def _has(transforms: Any, wanted: Callable[[Any], bool]) -> bool:
    """Return whether any transform is wanted, at any depth."""
    return any(wanted(one) or _has(getattr(one, "transforms", ()), wanted) for one in transforms)
