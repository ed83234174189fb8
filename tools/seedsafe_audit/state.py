"""Snapshots of a dataset's attributes, and their differences."""

from __future__ import annotations

import random
import re
import sys
import types
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from seedsafe_audit.content import as_array, digest

__all__ = ["Change", "Generator", "Snapshot", "changes", "generators", "snapshot"]

_DEPTH, _ENTRIES, _LONG, _WIDE, _BYTES = 8, 20_000, 2_000, 2**24, 2**26
_LEFT_OUT = (
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    type,
    type(sys.stdout),
)

_OPAQUE = (
    "builtins",
    "threading",
    "_thread",
    "multiprocessing.context",
    "seedsafe.bridging.runner",  # a bridge's notes about a dataset are not its state
)

Kind = Literal["in place", "value", "generator"]


@dataclass(frozen=True, slots=True)
class _Entry:
    kind: Literal["array", "value", "generator", "container"]
    identity: int
    digest: str
    shown: str
    nested: bool  # below an element of a list or dict that an attribute holds
    size: int = 0  # of an array, in bytes


Snapshot = dict[str, _Entry]


@dataclass(frozen=True, slots=True)
class Change:
    """One changed attribute.

    Attributes:
        path: its path from the dataset: ``.images[3]``.
        kind: ``"in place"`` for the content of an array or a cached sample, ``"generator"``, or ``"value"``.
        shown: the value before and after, in words.
    """

    path: str
    kind: Kind
    shown: str


def snapshot(dataset: Any, positions: tuple[int, ...]) -> Snapshot:
    """Return all that a dataset refers to, but only the elements at `positions` of long lists and large arrays."""
    result: Snapshot = {}
    seen: set[int] = set()
    budget = _BYTES  # of arrays, spent in the order of the walk
    todo: deque[tuple[str, Any, int, bool]] = deque(
        [("", dataset, 0, isinstance(dataset, list | tuple | dict))]
    )
    while todo and len(result) < _ENTRIES:
        path, value, depth, nested = todo.popleft()
        if budget <= 0 and hasattr(value, "shape"):
            continue
        entry = _entry(value, positions, nested)
        if entry is not None:
            result[path] = entry
            budget -= entry.size
        if entry is None or entry.kind == "container":
            if id(value) in seen or depth >= _DEPTH or isinstance(value, _LEFT_OUT):
                continue
            seen.add(id(value))
            inside = nested or isinstance(value, list | tuple | Mapping | deque)
            for step, part in _parts(value, positions):
                todo.append(
                    (path + step, part, depth + 1, nested if step.startswith(".") else inside and depth > 0)
                )
    return result


@dataclass(frozen=True, slots=True)
class Generator:
    """A generator in a dataset, named by its path."""

    name: str
    value: Any

    def mark(self) -> str | None:
        """Return a digest of its state."""
        return _generator_state(self.value)


def generators(dataset: Any) -> Iterator[Generator]:
    """Yield the generators that a dataset refers to, the nearest first."""
    seen: set[int] = set()
    todo: deque[tuple[str, Any, int]] = deque([("", dataset, 0)])
    while todo and len(seen) < _ENTRIES:
        path, value, depth = todo.popleft()
        if id(value) in seen or isinstance(value, _LEFT_OUT):
            continue
        seen.add(id(value))
        if _generator_state(value) is not None:
            yield Generator(path, value)
        elif depth < _DEPTH and not hasattr(value, "shape"):
            todo += [(path + step, part, depth + 1) for step, part in _parts(value, ())]


def changes(before: Snapshot, after: Snapshot) -> list[Change]:
    """Return the differences in the order of the paths, except for objects that are created on first use."""
    result = []
    attributes = {_attribute(path) for path in before}
    empty = tuple(path for path, entry in before.items() if entry.shown == "None")
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if _is_lazy(path, old, new, empty, attributes):
            continue
        if old is None or new is None:
            entry, word = (new, "was added") if old is None else (old, "is gone")
            if entry is not None and not (
                _parent(path) in before and before[_parent(path)].kind == "container"
            ):
                result.append(
                    Change(path, "value", f"{entry.shown} {word}")
                )  # in a container, its length shows the change
        elif old.digest != new.digest:
            shown = f"{new.shown} drawn from" if new.kind == "generator" else f"{old.shown} → {new.shown}"
            result.append(Change(path, _kind(old, new), shown))
    return result


def _is_lazy(
    path: str, old: _Entry | None, new: _Entry | None, empty: tuple[str, ...], attributes: set[str]
) -> bool:
    """Return whether the entry is new and not a plain value, such as a file, a generator or a table."""
    if old is None and _attribute(path) not in attributes:
        return new is not None and (new.kind != "value" or path != _attribute(path))
    if path in empty:
        return new is None or new.kind != "value"
    return old is None and any(path.startswith((f"{one}.", f"{one}[")) for one in empty)


def _attribute(path: str) -> str:
    return path[:1] + re.split(r"[.\[]", path[1:], maxsplit=1)[0]


def _kind(old: _Entry, new: _Entry) -> Kind:
    if "generator" in (old.kind, new.kind):
        return "generator"
    if old.kind == new.kind == "array" and (old.identity == new.identity or (old.nested and new.nested)):
        return "in place"
    return "value"


def _parent(path: str) -> str:
    return path[: max(path.rfind("["), path.rfind("."), 0)]


def _entry(value: Any, positions: tuple[int, ...], nested: bool) -> _Entry | None:
    """Return the entry of a value, or None for an object of which only the parts count."""
    state = _generator_state(value)
    name = type(value).__name__
    if state is not None:
        return _Entry("generator", id(value), state, name, nested)
    if isinstance(value, bool | int | float | complex | str | bytes | np.generic) or value is None:
        shown = text if len(text := repr(value)) <= 40 else f"{text[:37]}…"
        return _Entry("value", id(value), digest(value), shown, nested)
    if isinstance(value, list | tuple | Mapping | set | deque):
        return _Entry("container", id(value), str(len(value)), f"{name} of {len(value)}", nested)
    if isinstance(value, _LEFT_OUT):
        return None
    array = as_array(value) if hasattr(value, "shape") else None
    if array is None or array.dtype == object:
        return None
    if array.nbytes > _WIDE and array.ndim:
        array = array[[position for position in positions if position < len(array)]]
    shape = "×".join(map(str, array.shape))
    return _Entry("array", id(value), digest(array), f"{name} {array.dtype} {shape}", nested, array.nbytes)


def _parts(value: Any, positions: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        chosen = list(value) if len(value) <= _LONG else [p for p in positions if p in value]
        yield from ((f"[{key!r}]", value[key]) for key in chosen)
    elif isinstance(value, list | tuple | deque):
        numbers = range(len(value)) if len(value) <= _LONG else [p for p in positions if p < len(value)]
        yield from ((f"[{number}]", value[number]) for number in numbers)
    elif type(value).__module__ not in _OPAQUE:
        yield from ((f".{name}", part) for name, part in _attributes(value))


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    ours = (
        type(value).__module__.partition(".")[0] == "seedsafe"
    )  # private attributes of seedsafe's objects are not the dataset's state
    for name, part in getattr(value, "__dict__", {}).items():
        if not (ours and name.startswith("_")):
            yield name, part
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                yield name, getattr(value, name)
    for base in type(value).__mro__:  # generators are often class attributes
        for name, part in vars(base).items():
            if _generator_state(part) is not None:
                yield name, part


def _generator_state(value: Any) -> str | None:
    if isinstance(value, np.random.Generator):
        return digest(value.bit_generator.state)
    if isinstance(value, np.random.RandomState):
        return digest(value.get_state(legacy=False))
    if isinstance(value, random.Random):
        return digest(np.array([hash(value.getstate())], np.int64))
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Generator):
        return digest(value.get_state().numpy())
    return None
