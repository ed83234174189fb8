"""Base classes for transforms and containers of the user's own, written as albumentations documents it: their draws follow the key."""

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
    "Called",
    "Container",
    "DualTransform",
    "ImageOnlyTransform",
    "Own",
    "bridged",
    "is_original",
]

OTHERS: Final = "other arguments of the call"
"""The name in a sample of what a call has beside its parts, which transforms of the user's own may look at."""

_RUNNING: ContextVar[bool] = ContextVar("running", default=False)


class Kind(ABCMeta):
    """The class of albumentations' base classes: seedsafe's transforms count as theirs."""

    def __instancecheck__(cls, thing: Any) -> bool:
        return super().__instancecheck__(thing) or isinstance(thing, vars(cls).get("_ours", ()))


class Own:
    """What a transform and a container of the user's own have in common: a probability, and generators that the key sets."""

    p: float
    random_generator: Any
    py_random: Any
    decides: ClassVar[bool] = False
    """Whether its own ``__call__`` says when it fires."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__call__" in vars(cls) and cls.__module__ != __name__:
            cls.decides = True
            cls.__call__ = _keyed(vars(cls)["__call__"])  # type: ignore[method-assign]

    def set_random_state(self, random_generator: Any, py_random: Any) -> None:
        """Take the generators of a sample."""
        self.random_generator = random_generator
        self.py_random = py_random

    def __call__(self, *arguments: Any, force_apply: bool = False, **data: Any) -> Any:
        """Return the parts of a sample, changed."""
        raise NotImplementedError(f"{type(self).__name__} has no __call__: define it")


class BasicTransform(Own, metaclass=Kind):
    """A transform of the user's own, as in albumentations 1.x and 2.x.

    In a Compose, and alone in a read or with ``key=``, each of its draws is a function of the key: those from
    ``self.py_random`` and ``self.random_generator``, from `random`, ``numpy.random`` and torch. Boxes come as rows
    ``(x_min, y_min, x_max, y_max, number)`` in [0, 1], keypoints as ``(x, y, 0, 0, 0, number)`` in pixels. A class that keeps an
    image's shape may say so with ``returns = "same"``: ReplayCompose and ``save_applied_params`` ask for it where a transform
    that draws by the shape follows.

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
        """Return the parts of a sample, changed."""
        if not _RUNNING.get():
            return _alone(self)(*arguments, key=key, **data)
        return self.applied(data) if force_apply or self.should_apply() else data

    def should_apply(self, force_apply: bool = False) -> bool:
        """Draw whether it fires."""
        return bool(force_apply or self.py_random.random() < self.p)

    def applied(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the parts with drawn parameters applied."""
        missing = sorted(set(self.targets_as_params) - set(data))
        if missing:
            raise ValueError(
                f"{type(self).__name__} draws by {missing}, which the call lacks: pass them by name"
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
        """What changes each part, by its name."""
        return {"image": self.apply}

    @property
    def targets_as_params(self) -> list[str]:
        """The parts by which it draws."""
        return []

    def get_params(self) -> dict[str, Any]:
        """Return what is drawn without looking at the sample."""
        return {}

    def get_params_dependent_on_data(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        """Return what is drawn by the sample; of 2.x."""
        return self.get_params_dependent_on_targets({name: data[name] for name in self.targets_as_params})

    def get_params_dependent_on_targets(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return what is drawn by `targets_as_params`; of 1.x."""
        return {}

    def update_transform_params(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters with the image's shape, and with options of this object's."""
        return self.update_params(params, **data)

    def update_params(self, params: dict[str, Any], **data: Any) -> dict[str, Any]:
        """Return what `update_transform_params` does; of 1.x."""
        shape = data["image"].shape
        options = ("interpolation", "fill", "fill_value", "fill_mask")
        given = {name: getattr(self, name) for name in options if hasattr(self, name)}
        return params | {"shape": shape, "rows": shape[0], "cols": shape[1]} | given

    def apply(self, img: Any, *arguments: Any, **params: Any) -> Any:
        """Return the image, changed."""
        raise NotImplementedError(f"{type(self).__name__} has no apply: define apply(self, img, **params)")

    def get_transform_init_args_names(self) -> tuple[str, ...]:
        """Return the names of arguments that a repr shows."""
        return ()

    def __repr__(self) -> str:
        shown = [*self.get_transform_init_args_names(), "p"]
        named = (f"{name}={getattr(self, name)!r}" for name in shown if hasattr(self, name))
        return f"{type(self).__name__}({', '.join(named)})"


class ImageOnlyTransform(BasicTransform):
    """A transform of the user's own that changes the image alone; see BasicTransform."""

    _ours = ss.ImageTransform


class DualTransform(BasicTransform):
    """A transform of the user's own that changes image, masks, boxes and keypoints; see BasicTransform."""

    _ours = ss.SpatialTransform

    @property
    def targets(self) -> dict[str, Callable[..., Any]]:
        """What changes each part, by its name."""
        return {
            "image": self.apply,
            "mask": self.apply_to_mask,
            "masks": self.apply_to_masks,
            "bboxes": self.apply_to_bboxes,
            "keypoints": self.apply_to_keypoints,
        }

    def apply_to_mask(self, mask: Any, *arguments: Any, **params: Any) -> Any:
        """Return a mask, changed: as the image is, by the nearest pixel."""
        if "interpolation" in params:
            params["interpolation"] = 0
        return self.apply(mask, *arguments, **params)

    def apply_to_masks(self, masks: Any, *arguments: Any, **params: Any) -> Any:
        """Return masks, each changed."""
        return [self.apply_to_mask(mask, *arguments, **params) for mask in masks]

    def apply_to_bboxes(self, bboxes: Any, *arguments: Any, **params: Any) -> Any:
        """Return boxes, each changed by `apply_to_bbox`, of 1.x."""
        return [
            (*self.apply_to_bbox(tuple(row[:4]), *arguments, **params), *row[4:]) for row in bboxes.tolist()
        ]

    def apply_to_keypoints(self, keypoints: Any, *arguments: Any, **params: Any) -> Any:
        """Return keypoints, each changed by `apply_to_keypoint`, of 1.x."""
        moved = [
            self.apply_to_keypoint((*row[:2], 0.0, 1.0), *arguments, **params) for row in keypoints.tolist()
        ]
        return [(*point[:2], *row[2:]) for point, row in zip(moved, keypoints.tolist(), strict=True)]

    def apply_to_bbox(self, bbox: Any, *arguments: Any, **params: Any) -> Any:
        """Return one box, changed."""
        raise NotImplementedError(
            f"{type(self).__name__} has no apply_to_bboxes, and was given boxes: define it"
        )

    def apply_to_keypoint(self, keypoint: Any, *arguments: Any, **params: Any) -> Any:
        """Return one keypoint (x, y, 0, 1), changed."""
        raise NotImplementedError(
            f"{type(self).__name__} has no apply_to_keypoints, and was given keypoints: define it"
        )


class Container:
    """What this module's Compose derives from, so that it counts as a BaseCompose."""


class BaseCompose(Own, metaclass=Kind):
    """A container of the user's own, which calls its transforms with the parts of a sample by name.

    Its own draws follow the key as those of a transform do (see BasicTransform), and those of its transforms follow from
    ``self.py_random``.

    Args:
        transforms: of this module, of seedsafe, or of the user's own.
        p: the probability, which its ``__call__`` draws by.
        options: of albumentations' other arguments, all without effect.
    """

    _ours: ClassVar[Any] = (Container, ss.Compose, ss.OneOf, ss.Choice, ss.SomeOf, ss.RandomApply)

    def __init__(self, transforms: Sequence[Any], p: float = 1.0, **options: Any) -> None:
        self.p = p
        self.transforms = [one if isinstance(one, Own) else Child(one, self) for one in transforms]

    def set_random_state(self, random_generator: Any, py_random: Any) -> None:
        """Take the generators of a sample, for its transforms as well."""
        super().set_random_state(random_generator, py_random)
        for one in self.transforms:
            if isinstance(one, Own):
                one.set_random_state(random_generator, py_random)

    def __len__(self) -> int:
        return len(self.transforms)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.transforms)

    def __getitem__(self, place: Any) -> Any:
        return self.transforms[place]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.transforms!r})"


class Child:
    """One of our transforms in a container of the user's own: called with the parts by name, and with the container's draws."""

    def __init__(self, transform: Any, container: BaseCompose) -> None:
        self._container = container
        self._pipeline = _alone.__wrapped__(transform)
        self.p = getattr(transform, "p", 1.0)

    def __call__(self, *arguments: Any, force_apply: bool = False, **data: Any) -> Any:
        """Return the parts of a sample, changed."""
        if force_apply and self.p < 1:
            raise ValueError("force_apply=True has no effect here: make the transform with p=1")
        key = ss.SampleKey(self._container.py_random.getrandbits(63), 0, 0)
        return self._pipeline(*arguments, key=key, **data)

    def __repr__(self) -> str:
        return repr(self._pipeline.transforms[0])


class Called:
    """What a bridge calls for a transform of the user's own, or of albumentations itself: it is given the parts as they expect them."""

    def __init__(self, transform: Any) -> None:
        self.transform = transform
        self.__name__ = type(transform).__name__
        self.__module__ = type(transform).__module__

    def __call__(self, sample: dict[Any, Any]) -> dict[Any, Any]:
        """Return the sample, changed."""
        direct = not isinstance(self.transform, BasicTransform) or self.transform.decides
        token = _RUNNING.set(True)
        try:
            given = _as_theirs(sample)
            result = self.transform(**given) if direct else self.transform.applied(given)
        finally:
            _RUNNING.reset(token)
        return _as_ours(result, sample, self.__name__)

    def __repr__(self) -> str:
        return repr(self.transform)


def bridged(transform: Any, **options: Any) -> Any:
    """Return a transform of the user's own, or of albumentations itself, as one of seedsafe's."""
    options = {"returns": getattr(transform, "returns", None)} | options
    result = ss.bridge(Called(transform), call="dict", **options)
    decides = not isinstance(transform, BasicTransform) or transform.decides or transform.p == 1
    return result if decides else ss.RandomApply([result], p=transform.p)


def _as_theirs(sample: dict[Any, Any]) -> dict[str, Any]:
    """Return a sample as a call's named parts: boxes in [0, 1], keypoints with angle and scale, both with their numbers."""
    given = dict(sample.get(OTHERS, {}))
    given |= {name: sample[name] for name in ("image", "mask", "masks") if name in sample}
    rows, columns = sample["image"].shape[:2]
    if "boxes" in sample:
        boxes = sample["boxes"]
        edges = boxes[:, :4] / (columns, rows, columns, rows)
        given["bboxes"] = np.column_stack([edges, np.arange(len(boxes))])
    if "keypoints" in sample:
        points = sample["keypoints"]
        given["keypoints"] = np.column_stack(
            [points[:, :2], np.zeros((len(points), 3)), np.arange(len(points))]
        )
    return given


def _as_ours(made: Any, sample: dict[Any, Any], name: str) -> dict[Any, Any]:
    """Return a sample with what was made of its parts; of boxes that were left out nothing is left."""
    if not isinstance(made, dict) or "image" not in made:
        raise TypeError(
            f"{name} must return a dict with the parts of the sample, got {made!r}: return all of them"
        )
    out = sample | {part: made[part] for part in ("image", "mask", "masks") if part in sample}
    rows, columns = out["image"].shape[:2]
    if "boxes" in sample:
        found = _numbered(made["bboxes"], 5, name, "bboxes")
        boxes = np.zeros((len(sample["boxes"]), 4))
        boxes[found[:, 4].astype(int)] = found[:, :4] * (columns, rows, columns, rows)
        out["boxes"] = boxes
    if "keypoints" in sample:
        found = _numbered(made["keypoints"], 6, name, "keypoints")
        points = np.array(sample["keypoints"], np.float64)
        numbers = found[:, 5].astype(int)
        lost = np.setdiff1d(np.arange(len(points)), numbers)
        if len(lost) and points.shape[1] < 3:
            raise ValueError(
                f"{name} left out keypoints, which remove_invisible=False keeps: return all of them"
            )
        points[lost, :2] = -1.0  # outside of every image
        points[numbers, :2] = found[:, :2]
        out["keypoints"] = points
    if OTHERS in sample:
        out[OTHERS] = {part: made.get(part) for part in sample[OTHERS]}
    return out


def _numbered(rows: Any, count: int, name: str, target: str) -> Any:
    found = np.array(rows, np.float64)
    if not found.size:
        return np.zeros((0, count))
    if found.ndim != 2 or found.shape[1] != count:
        raise ValueError(
            f"{name} must return {target} with the columns that it was given, {count} of them, got the shape {found.shape}: "
            "return what stands behind the coordinates unchanged"
        )
    return found


def _keyed(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a ``__call__`` of the user's that runs under the key of a sample."""

    @functools.wraps(call)
    def keyed(self: Any, *arguments: Any, key: Any = None, **data: Any) -> Any:
        if _RUNNING.get():
            return call(self, *arguments, **data)
        return _alone(self)(*arguments, key=key, **data)

    return keyed


@functools.lru_cache(64)
def _alone(transform: Any) -> Any:
    """Return a pipeline of one transform, whose boxes are in [0, 1]."""
    from seedsafe_albumentations.composition import Compose
    from seedsafe_albumentations.params import BboxParams, KeypointParams

    return Compose([transform], BboxParams("albumentations"), KeypointParams("xy", remove_invisible=False))


def is_original(thing: Any) -> bool:
    """Return whether a thing is one of albumentations' own transforms or containers."""
    roots = {"BasicTransform", "BaseCompose"}
    return any(
        one.__name__ in roots and one.__module__.startswith("albumentations.") for one in type(thing).__mro__
    )
