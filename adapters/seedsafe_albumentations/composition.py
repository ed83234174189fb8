"""Compose and its kin, called with named parts."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import check_only, flag_of, number_of
from seedsafe_albumentations.members import list_of, members_of
from seedsafe_albumentations.named import Named
from seedsafe_albumentations.originals import Original
from seedsafe_albumentations.params import BboxParams, KeypointParams
from seedsafe_albumentations.serialization import extra_of, from_dict
from seedsafe_albumentations.table import name_of, with_masks

__all__ = ["Compose", "ReplayCompose", "Sequential"]


class Compose(Named):
    """Apply transforms one after another to named parts, and return the parts in a dict.

    Inside an AugmentedDataset, an AugmentedSequence or a `keyed_map`, a call uses the key of the current read. Anywhere else, pass
    ``key=seedsafe.SampleKey(seed, epoch, index)``.

    Args:
        transforms: transforms from this module or from seedsafe.
        bbox_params: a BboxParams, or a dict of its arguments.
        keypoint_params: a KeypointParams, or a dict of its arguments.
        additional_targets: the names of further arguments, and what each is: "image", "mask", "bboxes" or "keypoints".
        p: the probability that the transforms are applied at all.
        is_check_shapes: whether further images must be as large as the image. Masks must always be.
        strict: whether a call refuses arguments that are no parts. Unknown arguments of transforms are always errors.
        mask_interpolation: how masks are interpolated, a value of cv2.INTER_*; None leaves it to the transforms. With another than the
            nearest pixel, transforms become albumentations' own.
        seed: accepted with a warning, but not used: the seed is part of the key.
        save_applied_params: whether the result has an entry ``applied_transforms``, a list with a pair for each transform that
            fired: its name in albumentations, and a dict of the parameters drawn for it.

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
        self.save_applied_params = flag_of(save_applied_params, "save_applied_params")
        self.is_check_shapes = flag_of(is_check_shapes, "is_check_shapes")
        self.strict = flag_of(strict, "strict")
        _warn_of_seed(seed)
        self.transforms = list_of(transforms)
        self.p = number_of(p, "p")
        members, to_tensor = members_of(self.transforms)
        if mask_interpolation is not None:
            members = [with_masks(one, mask_interpolation) for one in members]
            self.transforms = members + ([] if to_tensor is None else [to_tensor])
        if p != 1 and members:
            members = [ss.RandomApply(members, p=p)]
        super().__init__(
            members,
            to_tensor,
            _read("bbox_params", bbox_params, BboxParams),
            _read("keypoint_params", keypoint_params, KeypointParams),
            _read("additional_targets", additional_targets, dict),
            self.is_check_shapes,
        )
        streams = [stream.name for stream in self.pipeline.streams() if "@" not in stream.name]
        self._names = dict(zip(streams, map(name_of, _with_streams(members)), strict=False))

    def add_targets(self, additional_targets: dict[str, str] | None) -> None:
        """Add further arguments, each with what it is."""
        self.additional_targets |= additional_targets or {}
        self._parts = replace(self._parts, additional=self.additional_targets)

    def __call__(
        self, *arguments: Any, key: ss.SampleKey | None = None, force_apply: bool = False, **data: Any
    ) -> Any:
        """Return the augmented parts. Arguments that are not parts come back unchanged.

        Args:
            arguments: none, because parts are passed by name.
            key: the key of the sample; None uses the key of the current read.
            force_apply: must be False.
            data: image, mask, masks, bboxes, keypoints, their labels, and anything else.

        Raises:
            ValueError: ``strict`` is set, and an argument is no part; or a part has a wrong form.
        """
        if self.strict and not self._parts.own and (unknown := sorted(set(data) - self.available_keys)):
            raise ValueError(f"strict=True takes the parts alone, got {unknown}: leave them out, or strict")
        result, used = self._run(arguments, key, force_apply, data)
        return result | self._recorded(used, data)

    def _recorded(self, used: ss.SampleKey, data: dict[str, Any]) -> dict[str, Any]:
        """Return the entry of a result with what was drawn for it."""
        if not self.save_applied_params:
            return {}
        applied = [
            (
                self._names.get(name.partition("@")[0], name),
                params._asdict() if hasattr(params, "_asdict") else {"params": params},
            )
            for name, params in self.pipeline.params(used, self._parts.call_of(data).infos())
            if params is not None
        ]
        return {"applied_transforms": applied}

    def report(self) -> str:
        """Return which transforms are albumentations' own, one a line; empty without any."""
        own = (one for one in _with_streams(self.pipeline.transforms) if isinstance(one, Original))
        return "\n".join(f"{one!r}: drawn by the original" for one in own)

    def to_dict(self, on_not_implemented_error: str = "raise") -> dict[str, Any]:
        """Return the pipeline as plain data; see ``to_dict`` of the module."""
        check_only(on_not_implemented_error, "on_not_implemented_error", "raise", "leave what is code out")
        extra = extra_of(self)
        return self.pipeline.to_dict() | ({"extra": extra} if extra else {})

    def set_random_seed(self, seed: int | None) -> None:
        """Warn that a seed is not used: it is part of the key."""
        _warn_of_seed(seed)

    @property
    def available_keys(self) -> set[str]:
        """The names of the arguments that a call changes."""
        given = [params for params in (self.bbox_params, self.keypoint_params) if params]
        labels = {label for params in given for label in ("labels", *(params.label_fields or ()))}
        return {*self._parts.kinds, "images", "masks", *labels}


class Sequential(Compose):
    """Apply transforms one after another, inside another Compose.

    Args:
        transforms: transforms from this module or from seedsafe.
        p: the probability that they are applied at all.
    """

    def __init__(self, transforms: Sequence[Any], p: float = 0.5) -> None:
        super().__init__(transforms, p=p)


class ReplayCompose(Compose):
    """Apply transforms as Compose does, and return what was drawn in an entry ``replay``.

    The entry is plain data, which JSON holds: the pipeline, the key, the shapes and dtypes of the parts, and the names of the
    transforms that fired. The draws follow from them. If there are transforms of the user's own, which are code, the entry holds the pipeline and the
    parameters as objects.

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
        self._plain: dict[str, Any] | None = None
        with suppress(TypeError):  # it has code
            self._plain = self.to_dict()

    def _recorded(self, used: ss.SampleKey, data: dict[str, Any]) -> dict[str, Any]:
        """Return the entry of a result from which `replay` repeats it."""
        infos = self._parts.call_of(data).infos()
        applied = [[name, params] for name, params in self.pipeline.params(used, infos)]
        if self._plain is None:
            return {self.save_key: {"pipeline": self, "applied": applied}}
        saved = {
            "pipeline": self._plain,
            "key": asdict(used),
            "parts": {name: _plain_info(info) for name, info in infos.items()},
            "applied": [name for name, params in applied if params is not None],
        }
        return {self.save_key: saved}

    @staticmethod
    def replay(saved: dict[str, Any], **data: Any) -> Any:
        """Apply the parameters of an earlier result to other parts.

        Args:
            saved: the entry ``replay`` of that result, which may have been JSON in between.
            data: the parts, as in a call.
        """
        augment, applied = saved["pipeline"], saved["applied"]
        if isinstance(augment, dict):
            augment = from_dict(augment)
            infos = {name: _info_of(plain) for name, plain in saved["parts"].items()}
            applied = augment.pipeline.params(ss.SampleKey(**saved["key"]), infos)
        parts = augment._parts.call_of(data)
        result = augment.pipeline.replay(parts.sample, applied)
        others = augment._replay_images(parts, applied)
        return parts.result_of(data, result, others, augment._to_tensor) | {"replay": saved}


def _read(name: str, value: Any, kind: type) -> Any:
    """Return an argument of a class, which may be a dict of that class's arguments."""
    if not (value is None or isinstance(value, kind | dict)):
        raise TypeError(
            f"{name} must be a {kind.__name__} or a dict, got {value!r}: pass one of them, or leave it out"
        )
    return kind(**value) if isinstance(value, dict) else value


def _with_streams(transforms: Any) -> Iterator[Any]:
    """Yield the transforms and containers that have a stream, in the order of the streams."""
    for one in transforms:
        if not isinstance(one, ss.Compose):
            yield one
        yield from _with_streams(getattr(one, "transforms", ()))


def _warn_of_seed(seed: int | None) -> None:
    if seed is not None:
        warnings.warn(
            f"seed={seed!r} is not used: pass the seed to the AugmentedDataset, or in the key. Two pipelines with one seed do not move "
            "an image and its mask together: pass both to one call, augment(image=image, mask=mask)",
            stacklevel=3,
        )


def _plain_info(info: ss.Info) -> dict[str, Any]:
    """Return the info of a part as plain data."""
    boxes = info.given_boxes
    plain = {"shape": list(info.shape), "dtype": str(info.dtype)}
    return plain if boxes is None else plain | {"boxes": np.asarray(boxes).tolist()}


def _info_of(plain: dict[str, Any]) -> ss.Info:
    return ss.Info(tuple(plain["shape"]), plain["dtype"], plain.get("boxes"))
