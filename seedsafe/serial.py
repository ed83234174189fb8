"""Transforms as plain data: dicts, lists, strings and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from seedsafe.transform import Transform, is_described, options

__all__ = ["from_plain", "to_plain"]


def to_plain(value: Any) -> Any:
    """Return a transform, or a value of one of its options, as plain data."""
    if isinstance(value, Transform):
        if not is_described(value):
            raise TypeError(
                f"{type(value).__name__} has an __init__ of its own, which plain data cannot tell the arguments of: make it "
                "a frozen dataclass"
            )
        return {"transform": type(value).__name__} | {k: to_plain(v) for k, v in options(value).items()}
    if hasattr(value, "transforms"):
        return {"transform": type(value).__name__, "transforms": [to_plain(one) for one in value.transforms]}
    if isinstance(value, tuple | list):
        return [to_plain(one) for one in value]
    if callable(value):
        raise TypeError(
            f"{value!r} is code, which plain data cannot hold: write the pipeline without it, or keep it as Python"
        )
    return value


def from_plain(data: Any, classes: Iterable[type]) -> Any:
    """Return what `to_plain` described, of the library's classes and the given ones."""
    for room in ("image", "audio", "containers"):
        import_module(f"seedsafe.{room}")
    known = {one.__name__: one for one in [*_library(), *classes]}
    return _revive(data, known)


def _revive(data: Any, known: dict[str, type]) -> Any:
    if isinstance(data, dict) and "transform" in data:
        kind = data["transform"]
        if kind not in known:
            raise ValueError(f"data name the class {kind!r}, which is not known: pass classes=[{kind}]")
        return known[kind](**{k: _revive(v, known) for k, v in data.items() if k != "transform"})
    if isinstance(data, list):
        return [_revive(one, known) for one in data]
    return data


def _library(root: type[Transform] = Transform) -> Iterator[type[Transform]]:
    for one in root.__subclasses__():
        if one.__module__.startswith("seedsafe."):
            yield one
        yield from _library(one)
