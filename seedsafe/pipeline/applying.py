"""The ``apply_<target>`` methods of a transform, found and guarded once, when it is bound."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from seedsafe.ground.info import TARGETS
from seedsafe.pipeline.primitive import Marks

__all__ = ["Applier", "appliers", "released"]


class Applier(NamedTuple):
    """What changes one target of a sample."""

    target: str
    is_primary: bool
    apply: Callable[..., Any]
    asks: bool
    """Whether it takes the info of the primary target."""


def appliers(transform: Any, marks: Marks) -> tuple[Applier, ...]:
    """Return a transform's methods, in the order of TARGETS.

    Raises:
        TypeError: it has none for its primary target, or one takes other arguments.
    """
    found = []
    for target in TARGETS:
        name = "mask" if target == "masks" else target
        method = getattr(transform, f"apply_{name}", None)
        if method is not None:
            asks = _asks(method, type(transform).__name__, name)
            apply = _guarded(method, marks, asks)
            if target == "masks":
                apply = _of_each(apply)
            found.append(Applier(target, target in transform.primary, apply, asks))
    if not any(one.is_primary for one in found):
        wanted = " or ".join(f"apply_{target}(self, {target}, params)" for target in transform.primary)
        raise TypeError(f"{type(transform).__name__} changes nothing: define {wanted}")
    return tuple(found)


def _asks(method: Any, kind: str, target: str) -> bool:
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):
        return False  # written in C
    asks = "info" in signature.parameters
    try:
        signature.bind(None, None, **({"info": None} if asks else {}))
    except TypeError:
        raise TypeError(
            f"{kind}.apply_{target} must take ({target}, params) or ({target}, params, info), got {signature}: "
            "let draw return whatever else it needs"
        ) from None
    return asks


def _guarded(method: Callable[..., Any], marks: Marks, asks: bool) -> Callable[..., Any]:
    """Return a method that neither changes the caller's memory nor keeps what it has returned."""
    if marks.own and marks.fresh:
        return method
    if marks.own:
        return lambda array, params, **info: released(method(array, params, **info))
    if asks:
        return lambda array, params, info: released(method(array.copy(), params, info=info))
    return lambda array, params: released(method(array.copy(), params))


def _of_each(apply: Callable[..., Any]) -> Callable[..., Any]:
    """Return what does to a list or a stack of masks what a method does to one."""

    def apply_to_all(masks: Any, params: Any, **info: Any) -> Any:
        if not isinstance(masks, np.ndarray):
            return type(masks)([apply(mask, params, **info) for mask in masks])
        if not len(masks):  # the shape is that of one
            return np.zeros(
                (0, *apply(np.zeros_like(masks, shape=masks.shape[1:]), params, **info).shape), masks.dtype
            )
        return np.stack([apply(mask, params, **info) for mask in masks])

    return apply_to_all


def released(made: Any) -> Any:
    """Return an array that its maker has let go of: the very one, or a copy where something else refers to its memory."""
    if not isinstance(made, np.ndarray):
        return made
    base = made.base
    if sys.getrefcount(made) > _HELD or not (
        base is None
        or (type(base) is np.ndarray and base.base is None and sys.getrefcount(base) <= _BASE_HELD)
    ):
        return made.copy()
    return made


def _references() -> tuple[int, int]:
    """Return how many references `released` sees of an array that nobody keeps, and of its base."""

    def released(made: Any) -> tuple[int, int]:
        base = made.base
        return sys.getrefcount(made), sys.getrefcount(base)

    return released(np.empty(2)[:1])


_HELD, _BASE_HELD = _references()
