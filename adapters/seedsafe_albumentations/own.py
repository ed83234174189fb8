"""Base classes of the user's own transforms.

Transforms and containers are written as albumentations documents it, and all their draws follow the key.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import seedsafe as ss
from seedsafe_albumentations.arguments import flag_of, number_of
from seedsafe_albumentations.base import Own, bare_pipeline, pipeline_of
from seedsafe_albumentations.caller import RUNNING
from seedsafe_albumentations.members import members_of
from seedsafe_albumentations.named import Container

__all__ = ["BaseCompose", "BasicTransform", "DualTransform", "ImageOnlyTransform"]


class BaseMeta(ABCMeta):
    """Metaclass of the base classes: seedsafe's transforms count as their instances."""

    def __instancecheck__(cls, thing: Any) -> bool:
        return super().__instancecheck__(thing) or isinstance(thing, vars(cls).get("_ours", ()))


class BasicTransform(Own, metaclass=BaseMeta):
    """Base class of the user's own transforms, as in albumentations 1.x and 2.x.

    In a Compose, and alone in a read or with ``key=``, all its draws follow the key: those from ``self.py_random`` and
    ``self.random_generator``, and from `random`, ``numpy.random`` and torch. Boxes are rows
    ``(x_min, y_min, x_max, y_max, number)`` in [0, 1], keypoints are rows ``(x, y, 0, 0, 0, number)`` in pixels. A class that keeps
    an image's shape may set ``returns = "same"``. ReplayCompose and ``save_applied_params`` require it of a
    class before a transform whose draws depend on the shape. A class that draws from ``self.py_random`` and
    ``self.random_generator`` alone may set ``own_draws = True``: only these two are set for a call then, with the same draws.

    Args:
        p: the probability that it is applied; 1.x passes ``always_apply`` before it.

    Example:
        >>> import numpy as np
        >>> import seedsafe_albumentations as A
        >>> class Darker(A.ImageOnlyTransform):
        ...     def get_params(self):
        ...         return {"shift": self.py_random.randint(0, 99)}
        ...
        ...     def apply(self, img, shift=0, **params):
        ...         return np.maximum(img, shift) - np.uint8(shift)
        >>> augment = A.Compose([Darker(p=1)])
        >>> augment(image=np.full((2, 2, 3), 255, np.uint8), key=ss.SampleKey(42, 0, 0))["image"].shape
        (2, 2, 3)
    """

    _ours: ClassVar[Any] = ss.Transform

    def __init__(self, *arguments: Any, p: float = 0.5, always_apply: bool | None = None) -> None:
        *first, p = arguments or (p,)
        if isinstance(p, bool):  # always_apply alone
            first, p = [p], 0.5
        always_apply = first[0] if first else always_apply
        always = always_apply is not None and flag_of(always_apply, "always_apply")
        self.p = 1.0 if always else number_of(p, "p")
        self.params: dict[str, Any] = {}

    def __call__(self, *arguments: Any, force_apply: bool = False, key: Any = None, **data: Any) -> Any:
        """Return the changed parts of a sample."""
        if not RUNNING.get():
            return pipeline_of(self)(*arguments, key=key, **data)
        return self.applied(data) if force_apply or self.should_apply() else data

    def should_apply(self, force_apply: bool = False) -> bool:
        """Draw whether it fires."""
        return bool(force_apply or self.py_random.random() < self.p)

    def applied(self, data: dict[str, Any]) -> dict[str, Any]:
        """Draw parameters, and return the parts changed by them."""
        missing = sorted(set(self.targets_as_params) - set(data))
        if missing:
            raise ValueError(
                f"{type(self).__name__} draws by {missing}, but the call lacks them: pass them by name"
            )
        params = self.update_transform_params(self.get_params(), data)
        params |= self.get_params_dependent_on_data(params, data) or {}
        self.params = params
        targets = self.targets
        return {
            name: targets[name](part, **params) if name in targets and part is not None else part
            for name, part in data.items()
        }

    @property
    def targets(self) -> dict[str, Callable[..., Any]]:
        """The method that changes each part, by the part's name."""
        return {"image": self.apply}

    @property
    def targets_as_params(self) -> list[str]:
        """The names of the parts that its draws depend on."""
        return []

    def get_params(self) -> dict[str, Any]:
        """Return the parameters whose draws do not depend on the sample."""
        return {}

    def get_params_dependent_on_data(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters whose draws depend on the sample (2.x)."""
        return self.get_params_dependent_on_targets({name: data[name] for name in self.targets_as_params})

    def get_params_dependent_on_targets(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters whose draws depend on `targets_as_params` (1.x)."""
        return {}

    def update_transform_params(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters with the image's shape and this object's options added."""
        return self.update_params(params, **data)

    def update_params(self, params: dict[str, Any], **data: Any) -> dict[str, Any]:
        """Return the same as `update_transform_params` (1.x)."""
        shape = data["image"].shape
        names = ("interpolation", "fill", "fill_value", "fill_mask")
        options = {name: getattr(self, name) for name in names if hasattr(self, name)}
        return params | {"shape": shape, "rows": shape[0], "cols": shape[1]} | options

    def apply(self, img: Any, *arguments: Any, **params: Any) -> Any:
        """Return the changed image."""
        raise NotImplementedError(f"{type(self).__name__} has no apply: define apply(self, img, **params)")

    def get_transform_init_args_names(self) -> tuple[str, ...]:
        """Return the names of the arguments that the repr shows."""
        return ()

    def __repr__(self) -> str:
        shown = [*self.get_transform_init_args_names(), "p"]
        arguments = (f"{name}={getattr(self, name)!r}" for name in shown if hasattr(self, name))
        return f"{type(self).__name__}({', '.join(arguments)})"


class ImageOnlyTransform(BasicTransform):
    """Base class of the user's own transforms that change the image alone; see BasicTransform."""

    _ours = ss.ImageTransform


class DualTransform(BasicTransform):
    """Base class of the user's own transforms of image, masks, boxes and keypoints; see BasicTransform."""

    _ours = ss.SpatialTransform

    @property
    def targets(self) -> dict[str, Callable[..., Any]]:
        """The method that changes each part, by the part's name."""
        others = ("mask", "masks", "bboxes", "keypoints")
        return {"image": self.apply} | {name: getattr(self, f"apply_to_{name}") for name in others}

    def apply_to_mask(self, mask: Any, *arguments: Any, **params: Any) -> Any:
        """Return a mask, changed as the image is, but interpolated by the nearest pixel."""
        if "interpolation" in params:
            params["interpolation"] = 0
        return self.apply(mask, *arguments, **params)

    def apply_to_masks(self, masks: Any, *arguments: Any, **params: Any) -> Any:
        """Return the masks, each changed by `apply_to_mask`."""
        return [self.apply_to_mask(mask, *arguments, **params) for mask in masks]

    def apply_to_bboxes(self, bboxes: Any, *arguments: Any, **params: Any) -> Any:
        """Return the boxes, each changed by `apply_to_bbox` (1.x)."""
        return [
            (*self.apply_to_bbox(tuple(row[:4]), *arguments, **params), *row[4:]) for row in bboxes.tolist()
        ]

    def apply_to_keypoints(self, keypoints: Any, *arguments: Any, **params: Any) -> Any:
        """Return the keypoints, each changed by `apply_to_keypoint` (1.x)."""
        return [
            (*self.apply_to_keypoint((*row[:2], 0.0, 1.0), *arguments, **params)[:2], *row[2:])
            for row in keypoints.tolist()
        ]

    def apply_to_bbox(self, bbox: Any, *arguments: Any, **params: Any) -> Any:
        """Return the changed box."""
        raise NotImplementedError(f"{type(self).__name__} has no apply_to_bboxes, but got boxes: define it")

    def apply_to_keypoint(self, keypoint: Any, *arguments: Any, **params: Any) -> Any:
        """Return the changed keypoint (x, y, 0, 1)."""
        raise NotImplementedError(
            f"{type(self).__name__} has no apply_to_keypoints, but got keypoints: define it"
        )


class BaseCompose(Own, Container, metaclass=BaseMeta):
    """Base class of the user's own containers, which call their transforms with named parts.

    Its draws follow the key, as those of a transform do (see BasicTransform). The draws of its transforms follow from
    ``self.py_random``.

    Args:
        transforms: transforms from this module, from seedsafe, or the user's own.
        p: the probability by which its ``__call__`` decides.
        options: other arguments of albumentations, without effect.
    """

    _ours: ClassVar[Any] = (Container, ss.Compose, ss.OneOf, ss.Choice, ss.SomeOf, ss.RandomApply)
    decides = True

    def __init__(self, transforms: Sequence[Any], p: float = 1.0, **options: Any) -> None:
        self.p = p
        self.transforms = [one if isinstance(one, Own) else Child(one, self) for one in transforms]

    def set_random_state(self, random_generator: Any, py_random: Any) -> None:
        """Set the generators for a sample, also those of its transforms."""
        super().set_random_state(random_generator, py_random)
        for one in self.transforms:
            if isinstance(one, Own):
                one.set_random_state(random_generator, py_random)


class Child:
    """A transform of seedsafe in the user's own container. Its keys come from the draws of the container."""

    def __init__(self, transform: Any, container: BaseCompose) -> None:
        self._container = container
        self._transform = transform
        self._pipeline = bare_pipeline(*members_of([transform]))
        self.p = getattr(transform, "p", 1.0)

    def __call__(self, *arguments: Any, force_apply: bool = False, **data: Any) -> Any:
        """Return the changed parts of a sample."""
        if force_apply and self.p < 1:
            raise ValueError("force_apply=True has no effect here: make the transform with p=1")
        key = ss.SampleKey(self._container.py_random.getrandbits(63), 0, 0)
        return self._pipeline(*arguments, key=key, **data)

    def __repr__(self) -> str:
        return repr(self._transform)
