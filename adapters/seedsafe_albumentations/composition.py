"""Compose, and classes like it: called with named parts, as albumentations is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import check_only, flag_of, number_of
from seedsafe_albumentations.own import Called, Container, Own, bridged, is_original
from seedsafe_albumentations.params import BboxParams, KeypointParams
from seedsafe_albumentations.parts import Parts
from seedsafe_albumentations.pytorch import ToTensorV2, tensor

__all__ = ["Compose", "ReplayCompose", "Sequential", "members_of"]


class Compose(Container):
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
        save_applied_params: whether the result has an entry ``applied_transforms``: pairs of a transform's name and what was
            drawn for it, a dict, of those that fired.

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
        if isinstance(mask_interpolation, np.ndarray) or mask_interpolation not in (None, 0):
            raise ValueError(
                f"mask_interpolation must be 0, nearest, got {mask_interpolation!r}: a mask holds labels"
            )
        flag_of(save_applied_params, "save_applied_params")
        flag_of(is_check_shapes, "is_check_shapes")
        flag_of(strict, "strict")
        if not 0 <= number_of(p, "p") <= 1:
            raise ValueError(f"p must be in [0, 1], got {p!r}: pass the share of samples that are changed")
        for name, given, kind in (
            ("bbox_params", bbox_params, BboxParams),
            ("keypoint_params", keypoint_params, KeypointParams),
            ("additional_targets", additional_targets, dict),
        ):
            if not (given is None or isinstance(given, kind | dict)):
                raise TypeError(
                    f"{name} must be a {kind.__name__} or a dict, got {given!r}: pass one of these"
                )
        if seed is not None:
            warnings.warn(
                f"seed={seed!r} is not used: the seed is the AugmentedDataset's, or the key's", stacklevel=2
            )
        self.transforms = _listed(transforms)
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
                    f"a bridged albumentations.Compose without parameters of {part} in the format {form!r}, and without "
                    f"label_fields, would lose {part}: bridge its transforms one by one"
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
        # A tensor's channels come first: the core puts them there in the pass that normalizes.
        self._runs = ss.Compose([*members, ss.ToCHW()], **rules) if self._to_tensor else self.pipeline

    def add_targets(self, additional_targets: dict[str, str] | None) -> None:
        """Take further arguments, by what they are."""
        self.additional_targets |= additional_targets or {}
        self._parts = self._new_parts()

    def _new_parts(self) -> Parts:
        return Parts(self.bbox_params, self.keypoint_params, self.additional_targets, **self._asks)

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
        result, used = self._run(arguments, key, force_apply, data)
        if self.save_applied_params:
            result["applied_transforms"] = [
                (name, _described(params)) for name, params in self._drawn(used, data) if params is not None
            ]
        return result

    def _drawn(self, key: Any, data: dict[str, Any]) -> Any:
        return self.pipeline.params(key, self._parts.entered(data).infos())

    def _run(self, arguments: Any, key: Any, force_apply: bool, data: dict[str, Any]) -> tuple[Any, Any]:
        if arguments:
            raise KeyError("pass the parts of a sample by name: augment(image=image)")
        check_only(force_apply, "force_apply", False, "make the transforms with p=1")
        image = data.get("image")
        if self._takes_images and len(data) == 1 and _is_usual(image):  # in less time
            key = self.pipeline.next_key() if key is None else key
            result = self._runs(image, key=key)
            return {"image": tensor(result) if self._to_tensor else result}, key
        parts = self._parts.entered(data)
        key = self.pipeline.next_key() if key is None else key
        result = self._runs(parts.sample, key=key)
        if self._asks["own"]:  # whose result is known when it has run
            others = [
                self.pipeline(parts.sample | {"image": one}, key=key)["image"] for _, one in parts.images
            ]
        else:
            others = [
                self.pipeline.replay({"image": one}, self.pipeline.params(key, parts.infos()))["image"]
                for _, one in parts.images
            ]
        return parts.returned(data, result, others, self._to_tensor, planes=True), key

    def __len__(self) -> int:
        return len(self.transforms)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.transforms)

    def __getitem__(self, place: Any) -> Any:
        return self.transforms[place]

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
        result, used = self._run(arguments, key, force_apply, data)
        applied = [[name, params] for name, params in self._drawn(used, data)]
        return result | {self.save_key: {"pipeline": self, "applied": applied}}

    @staticmethod
    def replay(saved: dict[str, Any], **data: Any) -> Any:
        """Return other parts, with what was drawn before applied.

        Args:
            saved: the entry ``replay`` of a result.
            data: as in a call.
        """
        augment: ReplayCompose = saved["pipeline"]
        parts = augment._parts.entered(data)
        result = augment.pipeline.replay(parts.sample, saved["applied"])
        others = [
            augment.pipeline.replay({"image": one}, saved["applied"])["image"] for _, one in parts.images
        ]
        return parts.returned(data, result, others, augment._to_tensor)


def _is_usual(image: Any) -> bool:
    """Return whether it is an array that needs no further look; what is wrong with others is said in the parts' names."""
    return type(image) is np.ndarray and image.dtype.char in "Bf" and image.size > 0


def _has(transforms: Any, wanted: Callable[[Any], bool]) -> bool:
    """Return whether one of these is wanted, or one inside of them."""
    return any(wanted(one) or _has(getattr(one, "transforms", ()), wanted) for one in transforms)


def _is_own(one: Any) -> bool:
    return isinstance(one, ss.Bridged) and isinstance(one.function, Called)


def _loses(part: str, form: str, one: Any) -> bool:
    """Return whether a transform is a bridged container of albumentations, which reads a part in another format than it gets."""
    if not isinstance(one, ss.Bridged) or not is_original(one.function):
        return False
    processors: Any = getattr(one.function, "processors", {})
    params = getattr(processors.get(part), "params", None)
    return params is None or params.format != form or bool(params.label_fields)


def _described(params: Any) -> dict[str, Any]:
    """Return what was drawn as a dict."""
    return dict(params._asdict()) if hasattr(params, "_asdict") else {"params": params}


def _listed(transforms: Any) -> list[Any]:
    """Return a list of transforms; one stands for itself, with a warning, as in albumentations."""
    if isinstance(transforms, Compose | ss.Transform | ss.Compose | ToTensorV2):
        warnings.warn(
            f"transforms should be a list, got {transforms!r} alone: it is taken as the only one",
            stacklevel=3,
        )
        return [transforms]
    if not isinstance(transforms, Iterable) or getattr(transforms, "shape", None) == ():
        raise TypeError(f"transforms must be a list of transforms, got {transforms!r}: pass [] for none")
    return list(transforms)


def members_of(transforms: Sequence[Any]) -> tuple[list[Any], ToTensorV2 | None]:
    """Return seedsafe's transforms, and the ToTensorV2 at the end, if there is one."""
    members: list[Any] = []
    to_tensor = None
    for one in _listed(transforms):
        if one is None:
            continue
        if to_tensor is not None:
            raise ValueError(f"ToTensorV2 must stand last, and {one!r} follows it: put ToTensorV2 at the end")
        if isinstance(one, ToTensorV2):
            to_tensor = one
        elif isinstance(one, Compose):
            inner, to_tensor = members_of(one.transforms)
            core = ss.Compose(inner)
            members.append(ss.RandomApply([core], p=one.p) if one.p < 1 and inner else core)
        elif isinstance(one, Own):
            members.append(bridged(one))
        elif (
            isinstance(one, ss.Bridged)
            and is_original(one.function)
            and not hasattr(one.function, "transforms")
        ):
            members.append(bridged(one.function, name=one.name, options=one.options, returns=one.returns))
        elif isinstance(one, ss.Transform | ss.Compose):
            members.append(one)
        else:
            raise TypeError(
                f"a transform must be of seedsafe_albumentations or seedsafe, got {one!r}: put seedsafe.bridge around those of "
                "other libraries"
            )
    return members, to_tensor
