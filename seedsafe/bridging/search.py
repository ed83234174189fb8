"""Search an object for generators and hooks."""

from __future__ import annotations

import functools
import sys
import types
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from seedsafe.bridging.hooks import Hook, hook_of, registrations
from seedsafe.bridging.sources import HookSource, Source, generator_source
from seedsafe.keys.key import SampleKey, address, op_of, philox

__all__ = ["MOST", "Search", "find"]

_LEAVES = (
    str,
    bytes,
    bytearray,
    int,
    float,
    complex,
    bool,
    type(None),
    np.ndarray,
    np.generic,
    types.ModuleType,
)
_CONTAINERS = list, tuple, dict, set, frozenset, deque
_DEEP = 4096
"""The search looks at the first 4096 entries of a list or dict."""

_SAMPLED = 64
"""If 64 evenly spread entries of a longer list or dict are plain data, the search looks only at their classes."""


class _Part(NamedTuple):
    """A part of an object."""

    step: str
    """The step to it from the object, in an error."""
    thing: Any
    holder: Any
    """The dict or list that stores it, or None."""
    name: Any
    """Its name or position in the holder."""


@functools.lru_cache(4096)
def _is_leaf_kind(kind: Any) -> bool:
    tensor = getattr(sys.modules.get("torch"), "Tensor", None)
    return issubclass(kind, _LEAVES) or (isinstance(tensor, type) and issubclass(kind, tensor))


def _is_leaf(thing: Any) -> bool:
    """Return whether an object cannot store generators."""
    kind: Any = type(thing)
    return _is_leaf_kind(kind)


def _is_plain(thing: Any, kinds: set[type], depth: int = 4) -> bool:
    """Return whether an object is plain data: leaves, and containers and records of them.

    It looks at a few entries of a long container, and adds the classes of records to `kinds`. `depth` limits the nesting.
    """
    if _is_leaf(thing):
        return True
    if not depth:
        return False
    if isinstance(thing, _CONTAINERS):
        return all(_is_plain(part, kinds, depth - 1) for part in _spread(thing, 16))
    attributes = _attributes_of(thing)
    if attributes is None or callable(thing) or hook_of(thing) is not None:
        return False
    kinds.add(type(thing))
    slots = (_attribute(thing, name) for cls in type(thing).__mro__ for name in _slots(cls))
    return all(_is_plain(part, kinds, depth - 1) for part in (*attributes.values(), *slots))


def _spread(thing: Any, count: int) -> list[Any]:
    parts = list(thing.values() if isinstance(thing, dict) else thing)
    return parts[:: max(1, len(parts) // count)]


def _parts_of(thing: Any) -> Iterator[_Part]:
    """Yield the parts of an object, except plain data."""
    if isinstance(thing, _CONTAINERS):
        kinds: set[type] = set()
        if len(thing) > _SAMPLED and all(_is_plain(part, kinds) for part in _spread(thing, _SAMPLED)):
            yield from (_Part("[…]", kind, None, None) for kind in sorted(kinds, key=repr))
            return
        named = thing.items() if isinstance(thing, dict) else enumerate(thing)
        for name, part in list(islice(named, _DEEP)):
            if not _is_leaf(part):
                yield _Part(f"[{name!r}]", part, thing, name)
    elif isinstance(thing, types.MethodType):
        yield _Part("", thing.__self__, None, None)
        yield _Part("", thing.__func__, None, None)
    elif isinstance(thing, functools.partial):
        for part in (thing.func, *thing.args, *thing.keywords.values()):
            yield _Part(".partial", part, None, None)
    elif isinstance(thing, types.FunctionType):
        yield from _of_function(thing)
    elif isinstance(thing, type):
        if not _of_library(thing):
            for name, part in list(vars(thing).items()):
                if name.startswith("__") and not isinstance(part, types.FunctionType):
                    continue  # belongs to the language or a library
                function = getattr(part, "__func__", getattr(part, "fget", part))
                yield _Part(f".{name}", function, None, None)
            for base in thing.__bases__:
                yield _Part("", base, None, None)
    else:
        yield _Part("", type(thing), None, None)
        attributes = _attributes_of(thing)
        if attributes is not None:
            for name, part in list(attributes.items()):
                if not _is_leaf(part):
                    yield _Part(f".{name}", part, attributes, name)
        for cls in type(thing).__mro__:
            for name in _slots(cls):
                yield _Part(f".{name}", _attribute(thing, name), None, None)


def _of_function(function: types.FunctionType) -> Iterator[_Part]:
    for cell in function.__closure__ or ():
        try:
            yield _Part(".closure", cell.cell_contents, None, None)
        except ValueError:  # not bound yet
            continue
    for part in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield _Part(".default", part, None, None)
    wrapped = getattr(function, "__wrapped__", None)
    if wrapped is not None:
        yield _Part("", wrapped, None, None)
    if _of_library(function):
        return
    for name in _names_of(function.__code__):
        part = function.__globals__.get(name)
        if isinstance(part, types.FunctionType) or generator_source("", part, 0) is not None:
            yield _Part(f" → {name}", part, function.__globals__, name)


def _names_of(code: types.CodeType) -> Iterator[str]:
    """Yield the global names and attributes that code uses, also in its lambdas and comprehensions."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_of(constant)


def _modules_of(thing: Any) -> Iterator[str]:
    """Yield the module of an object, and the modules that a function names."""
    module = getattr(thing, "__module__", None) or type(thing).__module__
    if isinstance(module, str):
        yield module
    if isinstance(thing, types.FunctionType):
        for name in _names_of(thing.__code__):
            part = thing.__globals__.get(name)
            if isinstance(part, types.ModuleType):
                yield part.__name__


def _attributes_of(thing: Any) -> dict[str, Any] | None:
    """Return the dict of an object's own attributes, or None if it has none."""
    result = None if isinstance(thing, type) else _attribute(thing, "__dict__")
    return result if isinstance(result, dict) else None


def _attribute(thing: Any, name: str) -> Any:
    try:
        return getattr(thing, name, None)
    except Exception:  # noqa: BLE001  # the user's property
        return None


def _slots(cls: type) -> tuple[str, ...]:
    names = vars(cls).get("__slots__", ())
    private = f"_{cls.__name__.lstrip('_')}"
    return tuple(
        f"{private}{name}" if name.startswith("__") and not name.endswith("__") else name
        for name in ((names,) if isinstance(names, str) else names)
    )


# With sys.stdlib_module_names, which has abc, builtins and the like.
_LIBRARIES = {"numpy", "torch", "torchvision", "keras", "tensorflow"}


def _of_library(thing: Any) -> bool:
    """Return whether code belongs to a library whose module-level generators are not the user's."""
    root = (getattr(thing, "__module__", None) or "").partition(".")[0]
    return root in _LIBRARIES or root in sys.stdlib_module_names


_FIRST_SEGMENT = 8
"""The generators of the process have the segments before it."""

MOST = 200_000
"""The search ends after this many objects."""


class _Entry:
    """A part that the search has reached, with its parent and its owner: the nearest hooked object above it."""

    __slots__ = ("number", "owner", "parent", "part")

    def __init__(self, part: _Part, parent: _Entry | None, number: int, owner: _Candidate | None) -> None:
        self.part, self.parent, self.number, self.owner = part, parent, number, owner

    def path(self) -> str:
        """Return the path from the root, for errors."""
        return "".join(entry.part.step for entry in self._from_root()) or "itself"

    def order(self) -> tuple[int, ...]:
        """Return a key that sorts entries as a depth-first search would."""
        return tuple(entry.number for entry in self._from_root())

    def _from_root(self) -> list[_Entry]:
        entries = []
        entry: _Entry | None = self
        while entry is not None:
            entries.append(entry)
            entry = entry.parent
        return entries[::-1]


class _Candidate:
    """A generator, or an object with a hook."""

    def __init__(self, entry: _Entry, hook: Hook | None) -> None:
        self.entry, self.hook = entry, hook
        self.seeded = False
        """Whether a hooked object above passes its seed on to it."""

    def above(self) -> list[_Candidate]:
        """Return the hooked objects that may pass a seed on to it."""
        result = []
        candidate = self.entry.owner
        while candidate is not None:
            result.append(candidate)
            candidate = candidate.entry.owner
        return result

    def mark(self) -> Any:
        """Return a value that differs after a hook has set it. It keeps the objects alive."""
        part = self.entry.part
        stored = None
        if part.holder is not None:
            with suppress(LookupError):
                stored = _Same(part.holder[part.name])
        if self.hook is None:
            source = generator_source("", part.thing, 0)
            return stored, None if source is None else source.mark()
        inner = list((_attributes_of(part.thing) or {}).values())
        marks = [source.mark() for one in inner if (source := generator_source("", one, 0)) is not None]
        return stored, [_Same(one) for one in inner], marks

    def source(self, segment: int) -> Source:
        path, thing = self.entry.path(), self.entry.part.thing
        if self.hook is not None:
            return HookSource(path, thing, segment, self.hook)
        source = generator_source(path, thing, segment)
        assert source is not None  # as in `find`
        return source


class _Same:
    """Equal only for the same object."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.thing is self.thing

    __hash__ = None  # type: ignore[assignment]


class _Snapshot(NamedTuple):
    """The contents of a dict or list at the time of the search."""

    holder: Any
    names: tuple[str, ...] | None
    """The names to look at, or None for all."""
    things: tuple[Any, ...]

    def changed(self) -> bool:
        now = _things(self.holder, self.names)
        return len(now) != len(self.things) or any(a is not b for a, b in zip(now, self.things, strict=True))


class Search:
    """The results of one search, and snapshots that show later changes.

    Args:
        libraries: the top-level modules of the objects.
        incomplete: whether there are more objects than the search looks at.
        candidates: the generators and hooked objects.
        snapshots: the contents of all holders that may get other generators.
    """

    def __init__(self) -> None:
        self.libraries: set[str] = set()
        self.incomplete = False
        self.candidates: list[_Candidate] = []
        self.snapshots: list[_Snapshot] = []
        self._registrations = registrations()
        self._sources: tuple[Source, ...] | None = None
        self._generators: list[_Part] = []

    @property
    def sources(self) -> tuple[Source, ...]:
        """The generators and hooked objects, except those that a hooked object passes its seed on to."""
        if self._sources is None:
            self.candidates.sort(key=lambda candidate: candidate.entry.order())
            _try_hooks(self.candidates)
            own = [candidate for candidate in self.candidates if candidate.entry.owner is None]
            inner = [
                candidate for candidate in self.candidates if candidate.entry.owner and not candidate.seeded
            ]
            chosen = [*own, *inner]
            self._sources = tuple(candidate.source(_FIRST_SEGMENT + n) for n, candidate in enumerate(chosen))
            self._generators = [
                candidate.entry.part
                for candidate in chosen
                if candidate.hook is None and isinstance(candidate.entry.part.holder, dict | list)
            ]
        return self._sources

    def stale(self) -> bool:
        """Return whether another object has replaced a generator."""
        for _, thing, holder, name in self._generators:
            try:
                if holder[name] is not thing:
                    return True
            except (KeyError, IndexError):
                return True
        return False

    def changed(self) -> bool:
        """Return whether the searched objects have other contents now, or a hook was registered since."""
        return (
            self._registrations != registrations()
            or self.stale()
            or any(snapshot.changed() for snapshot in self.snapshots)
        )


def find(root: Any) -> Search:
    """Search an object for generators and hooked objects, breadth first.

    The search goes through attributes, lists, tuples, sets, dicts, partial functions, bound methods, closures, and the
    module-level generators that the object's functions name. It ends at arrays, strings and modules, leaves out long lists
    and dicts of plain data, and ends after 200,000 objects.
    """
    result = Search()
    seen: dict[int, Any] = {}
    todo = deque([_Entry(_Part("", root, None, None), None, 0, None)])
    while todo:
        if len(seen) >= MOST:
            result.incomplete = True
            break
        entry = todo.popleft()
        thing, owner = entry.part.thing, entry.owner
        if _is_leaf(thing) or id(thing) in seen:
            continue
        seen[id(thing)] = thing
        if generator_source("", thing, 0) is not None:
            result.candidates.append(_Candidate(entry, None))
            continue
        hook = None if isinstance(thing, type) else hook_of(thing)
        if hook is not None:
            owner = _Candidate(entry, hook)
            result.candidates.append(owner)
        elif not isinstance(thing, (type, *_CONTAINERS)):
            entry.owner = owner = None
        if not isinstance(thing, _CONTAINERS):
            result.libraries |= {module.partition(".")[0] for module in _modules_of(thing)}
        for number, part in enumerate(_parts_of(thing)):
            todo.append(_Entry(part, entry, number, owner))
        if owner is None and (snapshot := _snapshot(thing)) is not None:
            result.snapshots.append(snapshot)
    return result


def _snapshot(thing: Any) -> _Snapshot | None:
    """Return the contents of an object that may get another generator later, else None."""
    holder: Any
    names: tuple[str, ...] | None = None
    if isinstance(thing, types.FunctionType):
        holder, used = thing.__globals__, _names_of(thing.__code__)
        names = tuple(name for name in used if name in holder and holder[name] is None)
    elif isinstance(thing, type):
        holder = vars(thing)
        names = tuple(name for name, part in holder.items() if part is None and name != "__doc__")
    else:
        holder = thing if isinstance(thing, list | dict | deque) else _attributes_of(thing)
        if holder is None or len(holder) > _DEEP:
            return None
    return None if names == () else _Snapshot(holder, names, _things(holder, names))


def _things(holder: Any, names: tuple[str, ...] | None) -> tuple[Any, ...]:
    if names is not None:
        return tuple(holder.get(name) for name in names)
    things = list(holder.values() if isinstance(holder, dict) else holder)
    return tuple(thing for thing in things if not _is_leaf(thing))


def _try_hooks(candidates: list[_Candidate]) -> None:
    """Seed each hooked object to see which candidates below it get its seed.

    Candidates that get none are keyed by themselves, such as the transforms of a MONAI dataset.
    """
    for candidate in candidates:
        below = [one for one in candidates if not one.seeded and candidate in one.above()]
        if candidate.hook is None or candidate.seeded or not below:
            continue
        before = [one.mark() for one in below]
        with suppress(Exception):  # the first call raises it
            candidate.hook(candidate.entry.part.thing, Generator(philox(_TRIAL)))
        for one, mark in zip(below, before, strict=True):
            one.seeded = one.mark() != mark


_TRIAL = address(SampleKey(0, 0, 0), op_of("seedsafe/bridge"))
