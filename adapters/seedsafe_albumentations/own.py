"""Base classes of the user's own transforms.

Transforms and containers are written as albumentations documents it, and all their draws follow the key.
"""

from __future__ import annotations

import functools
from abc import ABCMeta
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, ClassVar, Final

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import flag_of, number_of

__all__ = [
    "OTHERS",
    "BaseCompose",
    "BasicTransform",
    "Caller",
    "Container",
    "DualTransform",
    "ImageOnlyTransform",
    "Own",
    "bridge",
    "is_original",
]

OTHERS: Final = "other arguments of the call"
"""The entry of a sample with a call's other arguments, which the user's own transforms may read."""

_RUNNING: ContextVar[bool] = ContextVar("running", default=False)


class Kind(ABCMeta):
    """Metaclass of the base classes: seedsafe's transforms count as their instances."""

    def __instancecheck__(cls, thing: Any) -> bool:
        return super().__instancecheck__(thing) or isinstance(thing, vars(cls).get("_ours", ()))


class Own:
    """Base of the user's own transforms and containers: a probability, and generators that the key sets."""

    p: float
    random_generator: Any
    py_random: Any
    decides: ClassVar[bool] = False
    """Whether its own ``__call__`` decides when it fires."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__call__" in vars(cls) and cls.__module__ != __name__:
            cls.decides = True
            cls.__call__ = _with_key(vars(cls)["__call__"])  # type: ignore[method-assign]

    def set_random_state(self, random_generator: Any, py_random: Any) -> None:
        """Set the generators for a sample."""
        self.random_generator = random_generator
        self.py_random = py_random

    def __call__(self, *arguments: Any, force_apply: bool = False, **data: Any) -> Any:
        """Return the changed parts of a sample."""
        raise NotImplementedError(f"{type(self).__name__} has no __call__: define it")


class BasicTransform(Own, metaclass=Kind):
    """Base class of the user's own transforms, as in albumentations 1.x and 2.x.

    In a Compose, and alone in a read or with ``key=``, all its draws follow the key: those from ``self.py_random`` and
    ``self.random_generator``, and from `random`, ``numpy.random`` and torch. Boxes are rows
    ``(x_min, y_min, x_max, y_max, number)`` in [0, 1], keypoints are rows ``(x, y, 0, 0, 0, number)`` in pixels. A class that keeps
    an image's shape may set ``returns = "same"``. ReplayCompose and ``save_applied_params`` require that if a transform whose draws
    depend on the shape follows.

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
        if not _RUNNING.get():
            return _pipeline_of(self)(*arguments, key=key, **data)
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
        return {
            "image": self.apply,
            "mask": self.apply_to_mask,
            "masks": self.apply_to_masks,
            "bboxes": self.apply_to_bboxes,
            "keypoints": self.apply_to_keypoints,
        }

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


class Container:
    """Base of Compose, which makes it count as a BaseCompose: a sequence of transforms."""

    transforms: list[Any]

    def __len__(self) -> int:
        return len(self.transforms)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.transforms)

    def __getitem__(self, position: Any) -> Any:
        return self.transforms[position]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.transforms!r})"


class BaseCompose(Own, Container, metaclass=Kind):
    """Base class of the user's own containers, which call their transforms with named parts.

    Its draws follow the key, as those of a transform do (see BasicTransform). The draws of its transforms follow from
    ``self.py_random``.

    Args:
        transforms: transforms from this module, from seedsafe, or the user's own.
        p: the probability by which its ``__call__`` decides.
        options: other arguments of albumentations, without effect.
    """

    _ours: ClassVar[Any] = (Container, ss.Compose, ss.OneOf, ss.Choice, ss.SomeOf, ss.RandomApply)

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
    """A transform of seedsafe in the user's own container, whose draws give it its keys."""

    def __init__(self, transform: Any, container: BaseCompose) -> None:
        self._container = container
        self._pipeline = _pipeline_of.__wrapped__(transform)
        self.p = getattr(transform, "p", 1.0)

    def __call__(self, *arguments: Any, force_apply: bool = False, **data: Any) -> Any:
        """Return the changed parts of a sample."""
        if force_apply and self.p < 1:
            raise ValueError("force_apply=True has no effect here: make the transform with p=1")
        key = ss.SampleKey(self._container.py_random.getrandbits(63), 0, 0)
        return self._pipeline(*arguments, key=key, **data)

    def __repr__(self) -> str:
        return repr(self._pipeline.transforms[0])


class Caller:
    """The function of a bridge: it calls the user's own transform, or one of albumentations, with the parts that it expects."""

    def __init__(self, transform: Any) -> None:
        self.transform = transform
        self.__name__ = type(transform).__name__
        self.__module__ = type(transform).__module__

    def __call__(self, sample: dict[Any, Any]) -> dict[Any, Any]:
        """Return the changed sample."""
        direct = not isinstance(self.transform, BasicTransform) or self.transform.decides
        token = _RUNNING.set(True)
        try:
            parts = _as_theirs(sample)
            result = self.transform(**parts) if direct else self.transform.applied(parts)
        finally:
            _RUNNING.reset(token)
        return _as_ours(result, sample, self.__name__)

    def __repr__(self) -> str:
        return repr(self.transform)


def bridge(transform: Any, **options: Any) -> Any:
    """Return the user's own transform, or one of albumentations, as a transform of seedsafe."""
    options = {"returns": getattr(transform, "returns", None)} | options
    result = ss.bridge(Caller(transform), call="dict", **options)
    decides = not isinstance(transform, BasicTransform) or transform.decides or transform.p == 1
    return result if decides else ss.RandomApply([result], p=transform.p)


def _as_theirs(sample: dict[Any, Any]) -> dict[str, Any]:
    """Return a sample as named parts: boxes in [0, 1], keypoints with angle and scale, both with their numbers."""
    parts = dict(sample.get(OTHERS, {}))
    parts |= {name: sample[name] for name in ("image", "mask", "masks") if name in sample}
    rows, columns = sample["image"].shape[:2]
    if "boxes" in sample:
        boxes = sample["boxes"]
        edges = boxes[:, :4] / (columns, rows, columns, rows)
        parts["bboxes"] = np.column_stack([edges, np.arange(len(boxes))])
    if "keypoints" in sample:
        points = sample["keypoints"]
        parts["keypoints"] = np.column_stack(
            [points[:, :2], np.zeros((len(points), 3)), np.arange(len(points))]
        )
    return parts


def _as_ours(result: Any, sample: dict[Any, Any], name: str) -> dict[Any, Any]:
    """Return the sample with the parts of a result. Boxes that were left out become empty."""
    if not isinstance(result, dict) or "image" not in result:
        raise TypeError(
            f"{name} must return a dict with the parts of the sample, got {result!r}: return all of them"
        )
    out = sample | {part: result[part] for part in ("image", "mask", "masks") if part in sample}
    rows, columns = out["image"].shape[:2]
    if "boxes" in sample:
        kept = _rows_of(result["bboxes"], 5, name, "bboxes")
        boxes = np.zeros((len(sample["boxes"]), 4))
        boxes[kept[:, 4].astype(int)] = kept[:, :4] * (columns, rows, columns, rows)
        out["boxes"] = boxes
    if "keypoints" in sample:
        kept = _rows_of(result["keypoints"], 6, name, "keypoints")
        points = np.array(sample["keypoints"], np.float64)
        numbers = kept[:, 5].astype(int)
        lost = np.setdiff1d(np.arange(len(points)), numbers)
        if len(lost) and points.shape[1] < 3:
            raise ValueError(
                f"{name} left out keypoints, which remove_invisible=False keeps: return all of them"
            )
        points[lost, :2] = -1.0  # outside of every image
        points[numbers, :2] = kept[:, :2]
        out["keypoints"] = points
    if OTHERS in sample:
        out[OTHERS] = {part: result.get(part) for part in sample[OTHERS]}
    return out


def _rows_of(rows: Any, count: int, name: str, target: str) -> Any:
    array = np.array(rows, np.float64)
    if not array.size:
        return np.zeros((0, count))
    if array.ndim != 2 or array.shape[1] != count:
        raise ValueError(
            f"{name} must return {target} of {count} columns, as it gets them, got the shape {array.shape}: return the columns "
            "after the coordinates unchanged"
        )
    return array


def _with_key(call: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a user's ``__call__``, so that it runs under the key of a sample."""

    @functools.wraps(call)
    def call_with_key(self: Any, *arguments: Any, key: Any = None, **data: Any) -> Any:
        if _RUNNING.get():
            return call(self, *arguments, **data)
        return _pipeline_of(self)(*arguments, key=key, **data)

    return call_with_key


@functools.lru_cache(64)
def _pipeline_of(transform: Any) -> Any:
    """Return a pipeline of this transform alone, for boxes in [0, 1]."""
    from seedsafe_albumentations.composition import Compose
    from seedsafe_albumentations.params import BboxParams, KeypointParams

    return Compose([transform], BboxParams("albumentations"), KeypointParams("xy", remove_invisible=False))


def is_original(thing: Any) -> bool:
    """Return whether a thing is a transform or container of albumentations itself."""
    roots = {"BasicTransform", "BaseCompose"}
    return any(
        one.__name__ in roots and one.__module__.startswith("albumentations.") for one in type(thing).__mro__
    )
