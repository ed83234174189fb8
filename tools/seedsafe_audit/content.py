"""The digest and the values of a sample."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from seedsafe.bridging import again
from seedsafe.bridging.walk import Location, Part, held_by, walk

__all__ = ["Content", "arrays_of", "as_array", "content", "digest"]

_DEPTH = 12


@dataclass(frozen=True, slots=True)
class Content:
    """The content of one sample. Each part has a path such as ``[0]["image"]``."""

    digest: str
    none: tuple[str, ...]  # paths
    not_finite: tuple[str, ...]  # paths, with what is there


def content(sample: Any) -> Content:
    """Return the content of a sample."""
    none, not_finite = [], []
    for location in _locations(sample):
        array, path = as_array(location.thing), location.path
        if location.thing is None:
            none.append(path or "the sample itself")
        elif array is not None and array.dtype.kind in "fc":
            found = {"NaN": np.isnan(array), "infinite": np.isinf(array)}
            not_finite += [f"{path} {what}".strip() for what, where in found.items() if where.any()]
    return Content(digest(sample), tuple(none), tuple(not_finite))


def digest(value: Any) -> str:
    """Return the digest of a value with all its parts, as a bridge does to compare two results."""
    return again.content(value).digest.hex()


def arrays_of(sample: Any) -> list[np.ndarray[Any, Any]]:
    """Return the arrays, tensors, images and numbers of a sample as arrays."""
    found = (as_array(location.thing) for location in _locations(sample))
    return [array for array in found if array is not None]


def _locations(sample: Any) -> Iterator[Location]:
    """Yield the parts of a sample, and of arrays of objects."""

    def parts(location: Location) -> Iterator[Part]:
        thing = location.thing
        return iter(()) if callable(thing) or as_array(thing) is not None else held_by(thing, sys.maxsize)

    for location in walk(sample, parts, depth=_DEPTH, leaves=True):
        array = as_array(location.thing)
        if array is None or array.dtype != object:
            yield location
        else:
            yield from (Location(Part(f"[{number}]", one), location) for number, one in enumerate(array.flat))


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
