"""The methods of a transform that change targets."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy import ndarray

from seedsafe.ground.info import TARGETS
from seedsafe.pipeline.primitive import Marks

__all__ = ["Applier", "appliers", "for_frames", "release"]

_OF_ONE: Final = {"masks": "mask", "video": "image", "video_mask": "mask"}
"""Targets that hold several of another target. A transform without a method for them applies the method for one to each."""


class Applier(NamedTuple):
    """A method that changes one target of a sample."""

    target: str
    is_primary: bool
    apply: Callable[..., Any]
    takes_info: bool
    """Whether it takes the info of the primary target."""


def appliers(transform: Any, marks: Marks) -> tuple[Applier, ...]:
    """Return the methods of a transform, in the order of TARGETS.

    Raises:
        TypeError: it has none for its primary target, or a method takes other arguments.
    """
    found = []
    for target in TARGETS:
        method = None if target == "masks" else getattr(transform, f"apply_{target}", None)
        of_one = None if method is not None else _OF_ONE.get(target)
        name = of_one or target
        if of_one is not None:
            method = getattr(transform, f"apply_{of_one}", None)
        if method is not None:
            takes_info = _takes_info(method, type(transform).__name__, name)
            apply = _guard(method, marks, takes_info)
            if target == "masks":
                apply = _for_masks(apply)
            elif of_one is not None:
                apply = for_frames(apply, marks.fills and name == "image")
            found.append(Applier(target, target in transform.primary, apply, takes_info))
    if not any(applier.is_primary for applier in found):
        methods = " or ".join(f"apply_{target}(self, {target}, params)" for target in transform.primary)
        raise TypeError(f"{type(transform).__name__} changes nothing: define {methods}")
    return tuple(found)


def _takes_info(method: Any, kind: str, target: str) -> bool:
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):
        return False  # a function written in C
    takes_info = "info" in signature.parameters
    try:
        signature.bind(None, None, **({"info": None} if takes_info else {}))
    except TypeError:
        raise TypeError(
            f"{kind}.apply_{target} must take ({target}, params) or ({target}, params, info), got {signature}: "
            "let draw return anything else that it needs"
        ) from None
    return takes_info


def _guard(method: Callable[..., Any], marks: Marks, takes_info: bool) -> Callable[..., Any]:
    """Return a method that neither changes its array nor keeps its result."""
    if marks.own and marks.fresh:
        return method
    if marks.own:
        return lambda array, params, **info: release(method(array, params, **info))
    if takes_info:
        return lambda array, params, info: release(method(array.copy(), params, info=info))
    return lambda array, params: release(method(array.copy(), params))


def _for_masks(apply: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that applies a method to each mask of a list or a stack."""

    def apply_to_all(masks: Any, params: Any, **info: Any) -> Any:
        if not isinstance(masks, np.ndarray):
            return type(masks)([apply(mask, params, **info) for mask in masks])
        if not len(masks):  # one blank mask shows the shape of the results
            return np.zeros(
                (0, *apply(np.zeros_like(masks, shape=masks.shape[1:]), params, **info).shape), masks.dtype
            )
        return np.stack([apply(mask, params, **info) for mask in masks])

    return apply_to_all


def for_frames(apply: Callable[..., Any], fills: bool) -> Callable[..., Any]:
    """Return a function that applies a method to each frame of a video; see `Marks.fills`."""

    def apply_to_all(video: Any, params: Any, **info: Any) -> Any:
        result = row = None
        for number, frame in enumerate(video):
            # From the second frame on, the shape is known, and the method may write into the result itself.
            changed = apply(frame, params, row) if fills and row is not None else apply(frame, params, **info)
            if not isinstance(changed, ndarray):
                return changed
            if result is None:
                result = np.empty((len(video), *changed.shape), changed.dtype)
            row = result[number]
            if (changed.shape, changed.dtype) != (row.shape, row.dtype):
                raise ValueError(
                    f"the results for all frames of a video must have one shape and dtype, got {row.shape}, {row.dtype} and "
                    f"{changed.shape}, {changed.dtype}: let both depend on the parameters alone in apply_image"
                )
            if changed is not row:
                row[...] = changed
            row = result[number + 1] if number + 1 < len(result) else None
        return result

    return apply_to_all


def release(result: Any) -> Any:
    """Return an array to which nothing else refers: itself, or a copy if something else refers to it or to its memory."""
    if not isinstance(result, np.ndarray):
        return result
    base = result.base
    if sys.getrefcount(result) > _REFERENCES or not (
        base is None
        or (type(base) is np.ndarray and base.base is None and sys.getrefcount(base) <= _BASE_REFERENCES)
    ):
        return result.copy()
    return result


def _references() -> tuple[int, int]:
    """Return the number of references that `release` sees to an array that nothing else keeps, and to its base."""

    def release(result: Any) -> tuple[int, int]:
        base = result.base
        return sys.getrefcount(result), sys.getrefcount(base)

    return release(np.empty(2)[:1])


# Measured, because the counts depend on Python's version.
_REFERENCES, _BASE_REFERENCES = _references()
