"""Compose and its kin, called with named parts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import check_only, flag_of, number_of
from seedsafe_albumentations.own import Caller, Container, Own, bridge, is_original
from seedsafe_albumentations.params import BboxParams, KeypointParams
from seedsafe_albumentations.parts import Call, Parts
from seedsafe_albumentations.pytorch import ToTensorV2, tensor

__all__ = ["Compose", "ReplayCompose", "Sequential", "members_of"]


class Compose(Container):
    """Apply transforms one after another to named parts, and return the parts in a dict.

    Inside an AugmentedDataset, an AugmentedSequence or a `keyed_map`, a call uses the key of the current read. Anywhere else, pass
    ``key=seedsafe.SampleKey(seed, epoch, index)``.

    Args:
        transforms: transforms from this module or from seedsafe.
        bbox_params: a BboxParams, or a dict of its arguments.
        keypoint_params: a KeypointParams, or a dict of its arguments.
        additional_targets: the names of further arguments, and what each is: "image", "mask", "bboxes" or "keypoints".
        p: the probability that the transforms are applied at all.
        is_check_shapes: accepted, but not used: masks must always be as large as the image.
        strict: accepted, but not used: unknown arguments of transforms are always errors.
        mask_interpolation: None or 0 (nearest), because masks hold labels.
        seed: accepted with a warning, but not used: the seed is part of the key.
        save_applied_params: whether the result has an entry ``applied_transforms``, a list with a pair for each transform that
            fired: its name, and a dict of the parameters drawn for it.

    Raises:
        TypeError: an argument has the wrong type.
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
        if isinstance(mask_interpolation, np.ndarray) or mask_interpolation not in (None, 0):
            raise ValueError(
                f"mask_interpolation must be 0 (nearest), got {mask_interpolation!r}: leave it out, because masks hold labels"
            )
        flag_of(save_applied_params, "save_applied_params")
        flag_of(is_check_shapes, "is_check_shapes")
        flag_of(strict, "strict")
        if not 0 <= number_of(p, "p") <= 1:
            raise ValueError(f"p must be in [0, 1], got {p!r}: pass a probability")
        for name, value, kinds in (
            ("bbox_params", bbox_params, (BboxParams, dict)),
            ("keypoint_params", keypoint_params, (KeypointParams, dict)),
            ("additional_targets", additional_targets, (dict,)),
        ):
            if not (value is None or isinstance(value, kinds)):
                words = " or a ".join(kind.__name__ for kind in kinds)
                raise TypeError(f"{name} must be a {words}, got {value!r}: pass a {words}, or leave it out")
        if seed is not None:
            warnings.warn(
                f"seed={seed!r} is not used: pass the seed to the AugmentedDataset, or in the key",
                stacklevel=2,
            )
        self.transforms = _list_of(transforms)
        self.p = p
        self.bbox_params = BboxParams(**bbox_params) if isinstance(bbox_params, dict) else bbox_params
        self.keypoint_params = (
            KeypointParams(**keypoint_params) if isinstance(keypoint_params, dict) else keypoint_params
        )
        self.is_check_shapes = is_check_shapes
        self.save_applied_params = save_applied_params
        self.additional_targets = dict(additional_targets or {})
        members, self._to_tensor = members_of(self.transforms)
        for part, params, form in (
            ("bboxes", bbox_params, "pascal_voc"),
            ("keypoints", keypoint_params, "xy"),
        ):
            if params and _has(members, partial(_loses, part, form)):
                raise ValueError(
                    f"a bridged albumentations.Compose loses {part} unless its parameters have the format {form!r} and no "
                    "label_fields: bridge its transforms one by one"
                )
        if p < 1 and members:
            members = [ss.RandomApply(members, p=p)]
        self._asks = {
            "asks_boxes": _has(members, lambda one: isinstance(one, ss.BBoxSafeCrop)),
            "one_mask": _has(members, lambda one: isinstance(one, ss.CropNonEmptyMask)),
            "own": _has(members, _is_own),
        }
        self._parts = self._new_parts()
        rules: Any = {"boxes": self._parts.boxes, "keypoints": self._parts.keypoints}
        self.pipeline = ss.Compose(members, **rules)
        self._takes_images = not any(self._asks.values()) and bbox_params is keypoint_params is None
        # The core puts the channels first, as a tensor has them, in the same pass that normalizes.
        self._runs = ss.Compose([*members, ss.ToCHW()], **rules) if self._to_tensor else self.pipeline

    def add_targets(self, additional_targets: dict[str, str] | None) -> None:
        """Add further arguments, each with what it is."""
        self.additional_targets |= additional_targets or {}
        self._parts = self._new_parts()

    def _new_parts(self) -> Parts:
        return Parts(self.bbox_params, self.keypoint_params, self.additional_targets, **self._asks)

    def __call__(
        self, *arguments: Any, key: ss.SampleKey | None = None, force_apply: bool = False, **data: Any
    ) -> Any:
        """Return the augmented parts. Arguments that are not parts come back unchanged.

        Args:
            arguments: none, because parts are passed by name.
            key: the key of the sample; None uses the key of the current read.
            force_apply: must be False.
            data: image, mask, masks, bboxes, keypoints, their labels, and anything else.
        """
        result, used = self._run(arguments, key, force_apply, data)
        if self.save_applied_params:
            result["applied_transforms"] = [
                (name, _fields_of(params))
                for name, params in self._params_of(used, data)
                if params is not None
            ]
        return result

    def _params_of(self, key: Any, data: dict[str, Any]) -> Any:
        return self.pipeline.params(key, self._parts.call_of(data).infos())

    def _run(self, arguments: Any, key: Any, force_apply: bool, data: dict[str, Any]) -> tuple[Any, Any]:
        if arguments:
            raise KeyError(
                f"a call takes no positional arguments, got {len(arguments)}: pass the parts of a sample by name, "
                "augment(image=image)"
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
        if self._asks["own"]:  # whose parameters are only known after the call
            others = [
                self.pipeline(parts.sample | {"image": one}, key=key)["image"] for _, one in parts.images
            ]
        else:
            applied = self.pipeline.params(key, parts.infos()) if parts.images else ()
            others = self._replay_images(parts, applied)
        return parts.result_of(data, result, others, self._to_tensor, planes=True), key

    def _replay_images(self, parts: Call, applied: Any) -> list[Any]:
        """Return the call's other images, with the same parameters."""
        return [self.pipeline.replay({"image": one}, applied)["image"] for _, one in parts.images]

    def to_dict(self) -> dict[str, Any]:
        """Return the pipeline as plain data, as ``seedsafe.Compose.to_dict`` does."""
        return self.pipeline.to_dict()


class Sequential(Compose):
    """Apply transforms one after another, inside another Compose.

    Args:
        transforms: transforms from this module or from seedsafe.
        p: the probability that they are applied at all.
    """

    def __init__(self, transforms: Sequence[Any], p: float = 0.5) -> None:
        super().__init__(transforms, p=p)


class ReplayCompose(Compose):
    """Apply transforms as Compose does, and return the drawn parameters in an entry ``replay``.

    Args:
        transforms: see Compose.
        bbox_params: see Compose.
        keypoint_params: see Compose.
        additional_targets: see Compose.
        p: see Compose.
        is_check_shapes: see Compose.
        save_key: the name of that entry.

    Example:
        >>> import numpy as np
        >>> import seedsafe_albumentations as A
        >>> augment = A.ReplayCompose([A.RandomCrop(1, 1)])
        >>> image = np.arange(16, dtype=np.uint8).reshape(4, 4)
        >>> result = augment(image=image, key=ss.SampleKey(42, 0, 0))
        >>> bool((A.ReplayCompose.replay(result["replay"], image=image)["image"] == result["image"]).all())
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
        """Return the augmented parts and the drawn parameters."""
        result, used = self._run(arguments, key, force_apply, data)
        applied = [[name, params] for name, params in self._params_of(used, data)]
        return result | {self.save_key: {"pipeline": self, "applied": applied}}

    @staticmethod
    def replay(saved: dict[str, Any], **data: Any) -> Any:
        """Apply the parameters of an earlier result to other parts.

        Args:
            saved: the entry ``replay`` of that result.
            data: the parts, as in a call.
        """
        augment: ReplayCompose = saved["pipeline"]
        parts = augment._parts.call_of(data)
        result = augment.pipeline.replay(parts.sample, saved["applied"])
        others = augment._replay_images(parts, saved["applied"])
        return parts.result_of(data, result, others, augment._to_tensor)


def _is_usual(image: Any) -> bool:
    """Return whether an image needs no checks by Parts, whose errors name the part."""
    return type(image) is np.ndarray and image.dtype.char in "Bf" and image.size > 0


def _has(transforms: Any, wanted: Callable[[Any], bool]) -> bool:
    """Return whether any transform is wanted, at any depth."""
    return any(wanted(one) or _has(getattr(one, "transforms", ()), wanted) for one in transforms)


def _is_own(one: Any) -> bool:
    return isinstance(one, ss.Bridged) and isinstance(one.function, Caller)


def _loses(part: str, form: str, one: Any) -> bool:
    """Return whether a bridged container of albumentations would read a part in a format other than ours."""
    if not isinstance(one, ss.Bridged) or not is_original(one.function):
        return False
    processors: Any = getattr(one.function, "processors", {})
    params = getattr(processors.get(part), "params", None)
    return params is None or params.format != form or bool(params.label_fields)


def _fields_of(params: Any) -> dict[str, Any]:
    """Return drawn parameters as a dict."""
    return dict(params._asdict()) if hasattr(params, "_asdict") else {"params": params}


def _list_of(transforms: Any) -> list[Any]:
    """Return the transforms as a list. A single one is accepted with a warning, as in albumentations."""
    if isinstance(transforms, Compose | ss.Transform | ss.Compose | ToTensorV2):
        warnings.warn(
            f"transforms should be a list, got {transforms!r} alone: put it in a list",
            stacklevel=3,
        )
        return [transforms]
    if not isinstance(transforms, Iterable) or getattr(transforms, "shape", None) == ():
        raise TypeError(f"transforms must be a list of transforms, got {transforms!r}: pass [] for none")
    return list(transforms)


def members_of(transforms: Sequence[Any]) -> tuple[list[Any], ToTensorV2 | None]:
    """Return the transforms as seedsafe's, and the ToTensorV2 at their end or None."""
    members: list[Any] = []
    to_tensor = None
    for one in _list_of(transforms):
        if one is None:
            continue
        if to_tensor is not None:
            raise ValueError(f"ToTensorV2 must stand last, but {one!r} follows it: put ToTensorV2 at the end")
        if isinstance(one, ToTensorV2):
            to_tensor = one
        elif isinstance(one, Compose):
            inner, to_tensor = members_of(one.transforms)
            core = ss.Compose(inner)
            members.append(ss.RandomApply([core], p=one.p) if one.p < 1 and inner else core)
        elif isinstance(one, Own):
            members.append(bridge(one))
        elif (
            isinstance(one, ss.Bridged)
            and is_original(one.function)
            and not hasattr(one.function, "transforms")
        ):
            members.append(bridge(one.function, name=one.name, options=one.options, returns=one.returns))
        elif isinstance(one, ss.Transform | ss.Compose):
            members.append(one)
        else:
            raise TypeError(
                f"a transform must be of seedsafe_albumentations or seedsafe, got {one!r}: wrap it in seedsafe.bridge"
            )
    return members, to_tensor
