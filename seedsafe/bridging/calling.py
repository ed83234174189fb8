"""How to call other libraries' callables."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from seedsafe.bridging.hooks import takes_seed
from seedsafe.bridging.same import as_array
from seedsafe.bridging.words import Words
from seedsafe.ground.info import TARGETS, Array
from seedsafe.keys.key import Address

__all__ = ["CALLS", "WRAPPER", "Calling", "copy", "name_of"]

_CONVERSIONS: Final = ("ToImage", "ToTensor", "ToPILImage", "Lambda")
"""Transforms of torchvision that convert an array themselves."""


def _takes_tensors(function: Any) -> bool:
    """Return whether a callable is from torchvision and begins with a transform that needs a tensor."""
    parts = [function]
    while parts:
        function = parts[0]
        members = getattr(function, "transforms", function)
        composed = type(function).__name__ in ("Compose", "Sequential") and hasattr(members, "__iter__")
        parts = list(members) if composed else []
    module = getattr(function, "__module__", None) or type(function).__module__
    return module.startswith("torchvision.transforms") and type(function).__name__ not in _CONVERSIONS


def _tensor_of(image: Array) -> Any:
    """Copy an image (H, W) or (H, W, C) to a tensor (1, H, W) or (C, H, W).

    Raises:
        RuntimeError: torch has not been imported.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        raise RuntimeError(
            'call="tensor" needs torch, which this process has not imported: import it before the first sample'
        )
    planes = image[None] if image.ndim == 2 else np.moveaxis(image, -1, 0)
    return torch.from_numpy(np.array(planes, order="C"))


def _channels_last(result: Any, dimensions: int) -> Any:
    """Return a tensor (C, H, W) as an array (H, W, C); as (H, W) if C is 1 and the image had 2 dimensions."""
    if not hasattr(result, "detach"):
        return result
    array = as_array(result)
    if array.ndim != 3:
        return array
    return (
        array[0].copy() if dimensions == 2 and len(array) == 1 else np.moveaxis(array, 0, -1).copy(order="C")
    )


CALLS: Final = ("array", "tensor", "named", "dict")
_ALONE: Final = ("array", "tensor")
_NAMED: Final = {"boxes": "bboxes"}
"""Targets with another name in libraries that take named arguments."""

_FORMATS: Final = {
    "boxes": "bbox_params=albumentations.BboxParams('pascal_voc')",
    "keypoints": "keypoint_params=albumentations.KeypointParams('xy', remove_invisible=False)",
}
"""Arguments of albumentations' Compose for targets that its transforms expect in a format of their own."""

WRAPPER: Final = """If it needs another call, wrap it:

    def wrapped(image):
        result = transform(...)  # as its library calls it: with a picture, a tensor, a dict, a sample rate
        return ...  # an array or tensor from the result

    seedsafe.bridge(wrapped)"""
"""The way out in errors about a callable that needs another call."""

_set = object.__setattr__


@dataclass(frozen=True, slots=True)
class Calling:
    """Calls a callable in the way that it expects.

    Args:
        function: the callable.
        style: one of CALLS; the default depends on its signature and class, else "array".

    Raises:
        TypeError: it needs arguments that a sample does not have.

    Example:
        >>> Calling(lambda **parts: parts).style
        'named'
    """

    function: Callable[..., Any]
    style: str | None = None
    _seeded: bool = field(init=False)
    _lost: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        _set(self, "style", self.style or _style(self.function))
        _set(self, "_seeded", takes_seed(self.function))
        lost = [target for target in _FORMATS if _loses(self.function, _NAMED.get(target, target))]
        _set(self, "_lost", tuple(lost))
        if self.alone:
            _check_arguments(self.function)

    @property
    def alone(self) -> bool:
        """Return whether it gets an image or audio alone."""
        return self.style in _ALONE

    def format_of(self, target: str) -> str | None:
        """Return the format of boxes or keypoints of a Compose of albumentations, or None. All "xy…" become "xy"."""
        processors = getattr(self.function, "processors", None)
        processor = processors.get(_NAMED.get(target, target)) if isinstance(processors, dict) else None
        result = getattr(getattr(processor, "params", None), "format", None)
        if not isinstance(result, str):
            return None
        return "xy" if target == "keypoints" and result.startswith("xy") else result

    def with_array(self, array: Array, params: Address) -> Any:
        """Call it with a copy of an image or of audio."""
        if self.style == "array":
            return self._call(params, copy(array))
        if self.style == "tensor":
            return _channels_last(self._call(params, _tensor_of(array)), array.ndim)
        return self.with_dict({"image": array}, params)["image"]

    def with_dict(self, sample: dict[Any, Any], params: Address) -> dict[Any, Any]:
        """Call it with a copy of a dict of targets.

        Raises:
            ValueError: it would lose boxes or keypoints.
        """
        if self.alone:
            return {"image": self.with_array(sample["image"], params)}
        lost = [target for target in self._lost if target in sample]
        if lost:
            options = ", ".join(_FORMATS[target] for target in lost)
            raise ValueError(
                f"{name_of(self.function)} of albumentations would lose the sample's {' and '.join(lost)}, since only a Compose of "
                f"albumentations converts them for its transforms: bridge albumentations.Compose([...], {options}), or use a "
                "transform of seedsafe or of its drop-in for albumentations"
            )
        own = copy(sample)
        if self.style == "dict":
            return self._check_dict(self._call(params, own))
        named = {_NAMED.get(name, name): part for name, part in own.items() if name in TARGETS}
        result = self._call(params, **named)
        if set(named) == {"image"} and as_array(result) is not None:
            return {"image": result}
        result = self._check_dict(result)
        return {name: result[_NAMED.get(name, name)] for name in own if name in TARGETS}

    def _call(self, params: Address, *arguments: Any, **named: Any) -> Any:
        seed = {"invocation_seed": Words(params).integer(3) % 2**32} if self._seeded else {}
        try:
            return self.function(*arguments, **named, **seed)
        except Exception as error:
            kinds = ", ".join(map(_kind, arguments)) or ", ".join(
                f"{name}={_kind(part)}" for name, part in named.items()
            )
            error.add_note(
                f"{name_of(self.function)} was called as call={self.style!r}, with {kinds}. {WRAPPER}"
            )
            raise

    def _check_dict(self, result: Any) -> dict[Any, Any]:
        if not isinstance(result, dict):
            raise TypeError(
                f"{name_of(self.function)} was called as call={self.style!r} and must return a dict, got "
                f'{type(result).__name__}: pass call="array" if it returns the image alone. {WRAPPER}'
            )
        return result


def _loses(function: Any, part: str) -> bool:
    """Return whether a callable from albumentations moves a part that no Compose of albumentations converts for it.

    Its transforms expect boxes as fractions of the image's sides, and keypoints with five columns.
    """
    return part not in getattr(function, "processors", ()) and _takes(function, part)


def _takes(function: Any, part: str) -> bool:
    roots = ("BasicTransform", "BaseCompose")
    if not any(
        cls.__name__ in roots and cls.__module__.startswith("albumentations.")
        for cls in type(function).__mro__
    ):
        return False
    transforms = getattr(function, "transforms", None)
    if transforms is None:
        return part in getattr(function, "targets", ())
    return any(_takes(transform, part) for transform in transforms)  # an inner Compose converts nothing


def copy(value: Any) -> Any:
    """Copy the arrays in a dict, list or tuple, or an array."""
    if isinstance(value, dict):
        return {name: copy(part) for name, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)([copy(part) for part in value])
    return value.copy() if isinstance(value, np.ndarray) else value


def name_of(function: Any) -> str:
    """Return the name of a callable's function or class, for errors and streams."""
    while isinstance(function, functools.partial):
        function = function.func
    named = getattr(function, "__name__", None)
    return named if isinstance(named, str) else type(function).__name__


def _parameters(function: Any) -> list[inspect.Parameter] | None:
    """Return the parameters of a callable, or None if they are unknown.

    For a torch module they are those of ``forward``, for a layer of Keras those of ``call``.
    """
    is_layer = any(
        cls.__name__ == "Layer" and "keras" in cls.__module__.partition(".")[0]
        for cls in type(function).__mro__
    )
    method = getattr(function, "call" if is_layer else "forward", function)
    try:
        return list(inspect.signature(method).parameters.values())
    except (TypeError, ValueError):
        return None  # written in C


def _style(function: Any) -> str:
    if _takes_tensors(function):
        return "tensor"
    if any(cls.__name__ == "MapTransform" for cls in type(function).__mro__):
        return "dict"
    parameters = _parameters(function)
    if parameters is None:
        return "array"
    kinds = {parameter.kind for parameter in parameters}
    alone = not any(  # apart from switches such as force_apply of volumentations
        parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        and not isinstance(parameter.default, bool)
        for parameter in parameters
    )
    return "named" if alone and inspect.Parameter.VAR_KEYWORD in kinds else "array"


def _kind(part: Any) -> str:
    shape = getattr(part, "shape", None)
    return type(part).__name__ + (f" of shape {tuple(shape)}" if isinstance(shape, tuple) else "")


def _check_arguments(function: Any) -> None:
    parameters = _parameters(function)
    if parameters is None:
        return
    needed = [
        parameter.name
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    takes = [parameter for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD]
    if len(needed) > 1:
        rest = ", ".join(f"{name}=…" for name in needed[1:])
        raise TypeError(
            f"{name_of(function)} needs the arguments {needed}, but a bridge passes only the sample: "
            f"fix the others with functools.partial({name_of(function)}, {rest})"
        )
    if not takes or (not needed and takes[0].kind is inspect.Parameter.KEYWORD_ONLY):
        raise TypeError(
            f"{name_of(function)} takes no argument, but a bridge passes it the sample: add a parameter, or use "
            "seedsafe.keyed(key) around the call"
        )
