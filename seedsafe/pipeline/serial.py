"""Transforms as plain data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from importlib import import_module
from typing import Any, ClassVar, Self

import numpy as np

from seedsafe.keys.key import CONTRACT_VERSION
from seedsafe.pipeline.primitive import marks_of
from seedsafe.pipeline.transform import Transform, is_described, options

__all__ = ["Saved"]


class Saved:
    """What can be saved as plain data and as JSON: a Compose, or Views."""

    __slots__ = ()

    described_as: ClassVar[str]
    """What the data describe, for an error."""

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data, for `from_dict`."""
        return {"contract": CONTRACT_VERSION, **_to_plain(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, classes: Iterable[type] = ()) -> Self:
        """Return the pipeline, or the views, that `to_dict` described.

        Args:
            data: the dict that `to_dict` returned.
            classes: your own classes that it names; those of the library are known.

        Raises:
            TypeError: the data are not a mapping, or one of classes is not a class.
            ValueError: the data contain an unknown class, are nested too deeply, have a different version of the stream contract, or
                describe something else.
        """
        result = _from_data(data, classes)
        if not isinstance(result, cls):
            name = data.get("transform")
            way_out = f": use {name}.from_dict" if name in ("Compose", "Views") else ""
            raise ValueError(f"data must describe {cls.described_as}, got {name!r}{way_out}")
        return result

    def to_json(self) -> str:
        """Return this as JSON, for `from_json`."""
        return json.dumps(self.to_dict(), indent=2)

    @classmethod
    def from_json(cls, text: str, *, classes: Iterable[type] = ()) -> Self:
        """Return the pipeline, or the views, that `to_json` described; see `from_dict`.

        Raises:
            TypeError: one of classes is not a class.
            ValueError: the text is not JSON, is nested too deeply, or describes no pipeline of this version.
        """
        try:
            return cls.from_dict(json.loads(text), classes=classes)
        except RecursionError:
            raise ValueError(
                "text is nested too deeply for a pipeline: pass the text that to_json returned"
            ) from None


def _to_plain(value: Any) -> Any:
    """Convert a transform, or a value of one of its options, to plain data."""
    if isinstance(value, Transform) and not is_described(value):
        raise TypeError(
            f"{type(value).__name__} has its own __init__, so its arguments cannot be saved as plain data: make "
            "it a frozen dataclass"
        )
    for members in ("transforms", "pipelines"):  # of a Compose, of Views
        if hasattr(value, members) and not isinstance(value, Transform):
            inside = [_to_plain(member) for member in getattr(value, members)]
            result = {"transform": type(value).__name__, members: inside}
            return result | {name: _to_plain(option) for name, option in value.options().items()}
    if isinstance(value, Transform) or (is_dataclass(value) and marks_of(type(value)).own):
        return {"transform": type(value).__name__} | {k: _to_plain(v) for k, v in options(value).items()}
    if isinstance(value, tuple | list):
        return [_to_plain(entry) for entry in value]
    if hasattr(value, "__array__") and not isinstance(value, np.ndarray | np.generic):
        raise TypeError(
            f"{value!r} is an array, which plain data cannot hold: save it to a file, and pass the file name"
        )
    if callable(value):
        raise TypeError(
            f"{value!r} is code, which plain data cannot hold: save the pipeline without it, or keep it as Python code"
        )
    return value


def _from_plain(data: Any, find: Callable[[str], type | None]) -> Any:
    """Convert the result of `_to_plain` back; `find` returns the class of a name."""
    if isinstance(data, dict) and "transform" in data:
        name = data["transform"]
        kind = find(name)
        if kind is None:
            raise ValueError(f"data contain the class {name!r}, which is not known: pass classes=[{name}]")
        return kind(**{k: _from_plain(v, find) for k, v in data.items() if k != "transform"})
    if isinstance(data, list):
        return [_from_plain(entry, find) for entry in data]
    return data


def _from_data(data: Any, classes: Iterable[type]) -> Any:
    """Convert the result of `Saved.to_dict` back."""
    if not isinstance(data, Mapping):
        raise TypeError(f"data must be a mapping, as to_dict returns it, got {type(data).__name__}")
    plain = dict(data)
    version = plain.pop("contract", None)
    plain.pop("extra", None)  # what another library's pipeline has besides
    if version != CONTRACT_VERSION:
        raise ValueError(
            f"data must be of stream contract {CONTRACT_VERSION}, got {version!r}: use the release that wrote it"
        )
    own: dict[str, type] = {}
    for kind in classes:
        if not isinstance(kind, type):
            raise TypeError(f"classes must be classes of transforms, got {kind!r}: pass classes=[Mine]")
        own[kind.__name__] = kind
    try:
        return _from_plain(plain, lambda name: own.get(name) or _library_class(name))
    except RecursionError:
        raise ValueError(
            "data are nested too deeply for a pipeline, or contain themselves: pass the dict that to_dict returned"
        ) from None


def _library_class(name: Any) -> type | None:
    """Return the library's transform or container of this name, or None."""
    kind = getattr(import_module("seedsafe"), name, None) if isinstance(name, str) else None
    return kind if isinstance(kind, type) and marks_of(kind).own else None
