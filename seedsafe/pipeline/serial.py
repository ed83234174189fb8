"""Transforms as plain data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from seedsafe.pipeline.primitive import marks_of
from seedsafe.pipeline.transform import Transform, is_described, options

__all__ = ["from_plain", "to_plain"]


def to_plain(value: Any) -> Any:
    """Convert a transform, or a value of one of its options, to plain data."""
    if isinstance(value, Transform) and not is_described(value):
        raise TypeError(
            f"{type(value).__name__} has its own __init__, so its arguments cannot be saved as plain data: make "
            "it a frozen dataclass"
        )
    if hasattr(value, "transforms") and not isinstance(value, Transform):
        result = {
            "transform": type(value).__name__,
            "transforms": [to_plain(one) for one in value.transforms],
        }
        return result | {name: to_plain(option) for name, option in value.options().items()}
    if isinstance(value, Transform) or (is_dataclass(value) and marks_of(type(value)).own):
        return {"transform": type(value).__name__} | {k: to_plain(v) for k, v in options(value).items()}
    if isinstance(value, tuple | list):
        return [to_plain(one) for one in value]
    if hasattr(value, "__array__") and not isinstance(value, np.ndarray | np.generic):
        raise TypeError(
            f"{value!r} is an array, which plain data cannot hold: save it to a file, and pass the file name"
        )
    if callable(value):
        raise TypeError(
            f"{value!r} is code, which plain data cannot hold: save the pipeline without it, or keep it as Python code"
        )
    return value


def from_plain(data: Any, find: Callable[[str], type | None]) -> Any:
    """Convert the result of `to_plain` back; `find` returns the class of a name."""
    if isinstance(data, dict) and "transform" in data:
        name = data["transform"]
        kind = find(name)
        if kind is None:
            raise ValueError(f"data contain the class {name!r}, which is not known: pass classes=[{name}]")
        return kind(**{k: from_plain(v, find) for k, v in data.items() if k != "transform"})
    if isinstance(data, list):
        return [from_plain(one, find) for one in data]
    return data
