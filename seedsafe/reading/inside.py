"""Datasets inside datasets, as far as their attributes tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

__all__ = ["Keyed", "nested", "outermost", "parts", "walk"]

_KNOWN: Final = (
    "datasets",
    "base",
    "dataset",
)  # torch's ConcatDataset and StackDataset, ours, torch's Subset
_MANY: Final = 64  # entries of a list that may be datasets; a longer one is data
_DATA: Final = ("builtins", "numpy", "pandas", "pyarrow")


class Keyed:
    """A dataset with a `reader`, a KeyedReader."""

    reader: Any


def walk(dataset: Any, *, into_keyed: bool = True) -> Iterator[Any]:
    """Yield a dataset and all that it reads from, each once; what keyed datasets read from only if asked."""
    seen: set[int] = set()
    todo = [dataset]
    while todo:
        one = todo.pop()
        if id(one) not in seen:
            seen.add(id(one))
            yield one
            if into_keyed or not isinstance(one, Keyed):
                todo += reversed(list(parts(one)))


def outermost(dataset: Any) -> Iterator[Any]:
    """Yield the keyed datasets inside a dataset, itself included, that are in no other one."""
    return (one for one in walk(dataset, into_keyed=False) if isinstance(one, Keyed))


def nested(dataset: Any) -> Iterator[Any]:
    """Yield all keyed datasets inside a dataset, itself included."""
    return (one for one in walk(dataset) if isinstance(one, Keyed))


def parts(dataset: Any) -> Iterator[Any]:
    """Yield what a dataset reads from: what is known as such, then what else it keeps that has items."""
    if isinstance(dataset, Keyed):
        yield dataset.reader.base
        return
    kept = dict.fromkeys(_KNOWN, None) | getattr(dataset, "__dict__", {})
    for name, part in kept.items():
        if name in _KNOWN:
            part = getattr(dataset, name, None)
        entries = (
            part.values() if isinstance(part, dict) else part if isinstance(part, list | tuple) else (part,)
        )
        if name in _KNOWN or len(entries) <= _MANY:
            yield from (entry for entry in entries if isinstance(entry, Keyed) or _has_items(entry))


def _has_items(thing: Any) -> bool:
    """Return whether a thing may be a dataset of somebody's."""
    cls = type(thing)
    return (
        hasattr(cls, "__getitem__")
        and cls.__module__.partition(".")[0] not in _DATA
        and cls.__name__ != "Tensor"
    )
