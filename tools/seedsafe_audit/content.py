"""The digest, form and values of a sample."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from seedsafe.bridging import again
from seedsafe.bridging.walk import held_by
from seedsafe.ground.tree import entries

__all__ = ["Content", "as_array", "content", "digest", "leaves"]

_DEPTH = 12


@dataclass(frozen=True, slots=True)
class Content:
    """The content of one sample. Each part has a path such as ``[0]["image"]``."""

    digest: str
    form: tuple[tuple[str, str, str], ...]  # path, type with dtype, shape
    none: tuple[str, ...]  # paths
    not_finite: tuple[str, ...]  # paths, with what is there


def content(sample: Any) -> Content:
    """Return the content of a sample."""
    form, none, not_finite = [], [], []
    for path, leaf in leaves(sample):
        array = as_array(leaf)
        kind, shape = type(leaf).__name__, ""
        if leaf is None:
            none.append(path or "the sample itself")
        elif array is not None and array.dtype != object:
            shape = "×".join(map(str, array.shape))
            kind = kind if isinstance(leaf, int | float | complex) else f"{kind} {array.dtype}"
            if array.dtype.kind in "fc" and not np.isfinite(array).all():
                found = {"NaN": np.isnan(array), "infinite": np.isinf(array)}
                not_finite += [f"{path} {what}".strip() for what, where in found.items() if where.any()]
        form.append((path, kind, shape))
    return Content(digest(sample), tuple(form), tuple(none), tuple(not_finite))


def digest(value: Any) -> str:
    """Return the digest of a value with all its parts, as a bridge does to compare two results."""
    return again.content(value).digest.hex()


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
    found = entries(value)
    if found is not None:  # sorted, because the order of a dict is no difference of form
        return sorted(((f"[{key!r}]", part) for key, part in found), key=itemgetter(0))
    if isinstance(value, set | frozenset):
        return [(f"[{number}]", text) for number, text in enumerate(sorted(map(repr, value)))]
    array = as_array(value)
    if array is not None:
        return _parts(array.tolist()) if array.dtype == object and array.ndim else None
    plain = not (dataclasses.is_dataclass(value) or getattr(value, "__dict__", None))
    if plain or isinstance(value, type) or callable(value):
        return None
    return [(part.step, part.thing) for part in sorted(held_by(value), key=lambda part: part.step)]


def as_array(leaf: Any) -> np.ndarray[Any, Any] | None:
    """Return an array, tensor, image or Python number as an array, or None for everything else."""
    if isinstance(leaf, bool | int | float | complex):
        return np.asarray(leaf)
    try:
        array: np.ndarray[Any, Any] | None = again.as_array(leaf)
    except TypeError:
        if not again.is_tensor(leaf):
            raise
        array = np.asarray(leaf.detach().cpu().float())  # bfloat16 and other dtypes that NumPy lacks
    return array
