"""The digest, form and values of a sample."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from seedsafe.bridging import same

__all__ = ["Content", "as_array", "content", "digest", "leaves"]

_DEPTH = 12


@dataclass(frozen=True, slots=True)
class Content:
    """The content of one sample. Each part has a path such as ``[0]["image"]``."""

    digest: str
    form: tuple[tuple[str, str, str], ...]  # path, type with dtype, shape
    none: tuple[str, ...]
    nan: tuple[str, ...]
    infinite: tuple[str, ...]
    ranges: tuple[tuple[str, float, float], ...]  # path, least and greatest finite value


def content(sample: Any) -> Content:
    """Return the content of a sample."""
    form, none, nan, infinite, ranges = [], [], [], [], []
    for path, leaf in leaves(sample):
        array = as_array(leaf)
        kind = type(leaf).__name__
        if leaf is None:
            none.append(path)
        if array is None or array.dtype == object:
            form.append((path, kind, ""))
            continue
        shape = "×".join(map(str, array.shape)) if array.ndim else ""
        named = kind if isinstance(leaf, int | float | complex) else f"{kind} {array.dtype}"
        form.append((path, named, shape))
        if array.dtype.kind in "biuf" and array.size:
            values = (
                array.astype(np.float64) if array.dtype.itemsize < 4 or array.dtype.kind == "b" else array
            )
            if array.dtype.kind == "f":
                finite = np.isfinite(values)
                if not finite.all():
                    nan.extend([path] * bool(np.isnan(values).any()))
                    infinite.extend([path] * bool(np.isinf(values).any()))
                    values = values[finite]
            if values.size:
                ranges.append((path, float(values.min()), float(values.max())))
    return Content(digest(sample), *map(tuple, (form, none, nan, infinite, ranges)))  # type: ignore[arg-type]


def digest(value: Any) -> str:
    """Return the digest of a value with all its parts, as a bridge does to compare two results."""
    return same.content(value).digest.hex()


def leaves(value: Any, path: str = "", above: tuple[int, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a sample with their paths. An empty container is itself a part."""
    if len(above) >= _DEPTH or id(value) in above:
        yield path, type(value).__qualname__
        return
    parts = _parts(value)
    if parts is None:
        yield path, value
        return
    if not parts:
        yield f"{path}{{}}", type(value).__qualname__
    for step, part in parts:
        yield from leaves(part, path + step, (*above, id(value)))


def _parts(value: Any) -> list[tuple[str, Any]] | None:
    """Return the parts of a container or an object, or None for everything else."""
    if isinstance(value, Mapping):
        return [(f"[{key!r}]", value[key]) for key in sorted(value, key=repr)]
    if isinstance(value, set | frozenset):
        return [(f"[{number}]", text) for number, text in enumerate(sorted(map(repr, value)))]
    if isinstance(value, list | tuple):
        return [(f"[{number}]", part) for number, part in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(f".{part.name}", getattr(value, part.name)) for part in dataclasses.fields(value)]
    array = as_array(value)
    if array is not None:
        return _parts(array.tolist()) if array.dtype == object and array.ndim else None
    if isinstance(value, type) or callable(value) or not getattr(value, "__dict__", None):
        return None
    return [(f".{name}", part) for name, part in sorted(vars(value).items())]


def as_array(leaf: Any) -> np.ndarray[Any, Any] | None:
    """Return an array, tensor, image or Python number as an array, or None for everything else."""
    if isinstance(leaf, bool | int | float | complex):
        try:
            return np.asarray(leaf)
        except OverflowError:
            return None
    try:
        array: np.ndarray[Any, Any] | None = same.as_array(leaf)
    except TypeError:
        if not same.is_tensor(leaf):
            raise
        array = np.asarray(leaf.detach().cpu().float())  # bfloat16 and other dtypes that NumPy lacks
    return array
