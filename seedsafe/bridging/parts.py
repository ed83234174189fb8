"""Parts: what an object is made of, where a generator may be stored."""

from __future__ import annotations

import functools
import sys
import types
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from seedsafe.bridging.hooks import hook_of
from seedsafe.bridging.stored import generator_source

__all__ = [
    "CONTAINERS",
    "Part",
    "attributes_of",
    "is_leaf",
    "modules_of",
    "names_of",
    "parts_of",
]

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
CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_DEEP = 4096
"""Of a longer list or dict only this many entries are looked at, the first ones."""

_SAMPLED = 64
"""Of a list or dict that is longer, and of which this many entries, evenly spread, are plain data, only their classes count."""


class Part(NamedTuple):
    """A part of an object."""

    way: str
    """How the way to it is written."""
    thing: Any
    holder: Any
    """The dict or list that it is stored in, or None."""
    name: Any
    """Its key or place there."""


@functools.lru_cache(4096)
def _is_leaf_kind(kind: Any) -> bool:
    tensor = getattr(sys.modules.get("torch"), "Tensor", None)
    return issubclass(kind, _LEAVES) or (isinstance(tensor, type) and issubclass(kind, tensor))


def is_leaf(thing: Any) -> bool:
    """Return whether nothing can be stored in an object."""
    kind: Any = type(thing)
    return _is_leaf_kind(kind)


def _is_plain(thing: Any, kinds: set[type], depth: int = 4) -> bool:
    """Return whether an object is plain data: leaves, and containers and records of them.

    Of a long container a few entries are looked at.

    Args:
        thing: the object.
        kinds: the classes of the records are added to it.
        depth: how many containers and records may be inside each other.
    """
    if is_leaf(thing):
        return True
    if not depth:
        return False
    if isinstance(thing, CONTAINERS):
        return all(_is_plain(part, kinds, depth - 1) for part in _spread(thing, 16))
    attributes = attributes_of(thing)
    if attributes is None or callable(thing) or hook_of(thing) is not None:
        return False
    kinds.add(type(thing))
    slots = (_attribute(thing, name) for cls in type(thing).__mro__ for name in _slots(cls))
    return all(_is_plain(part, kinds, depth - 1) for part in (*attributes.values(), *slots))


def _spread(thing: Any, count: int) -> list[Any]:
    parts = list(thing.values() if isinstance(thing, dict) else thing)
    return parts[:: max(1, len(parts) // count)]


def parts_of(thing: Any) -> Iterator[Part]:
    """Yield what an object holds, but for plain data."""
    if isinstance(thing, CONTAINERS):
        kinds: set[type] = set()
        if len(thing) > _SAMPLED and all(_is_plain(part, kinds) for part in _spread(thing, _SAMPLED)):
            yield from (Part("[…]", kind, None, None) for kind in sorted(kinds, key=repr))
            return
        named = thing.items() if isinstance(thing, dict) else enumerate(thing)
        for name, part in list(islice(named, _DEEP)):
            if not is_leaf(part):
                yield Part(f"[{name!r}]", part, thing, name)
    elif isinstance(thing, types.MethodType):
        yield Part("", thing.__self__, None, None)
        yield Part("", thing.__func__, None, None)
    elif isinstance(thing, functools.partial):
        for part in (thing.func, *thing.args, *thing.keywords.values()):
            yield Part(".partial", part, None, None)
    elif isinstance(thing, types.FunctionType):
        yield from _of_function(thing)
    elif isinstance(thing, type):
        if not _of_library(thing):
            for name, part in list(vars(thing).items()):
                if name.startswith("__") and not isinstance(part, types.FunctionType):
                    continue  # the language's and other libraries' own
                function = getattr(part, "__func__", getattr(part, "fget", part))
                yield Part(f".{name}", function, None, None)
            for base in thing.__bases__:
                yield Part("", base, None, None)
    else:
        yield Part("", type(thing), None, None)
        attributes = attributes_of(thing)
        if attributes is not None:
            for name, part in list(attributes.items()):
                if not is_leaf(part):
                    yield Part(f".{name}", part, attributes, name)
        for cls in type(thing).__mro__:
            for name in _slots(cls):
                yield Part(f".{name}", _attribute(thing, name), None, None)


def _of_function(function: types.FunctionType) -> Iterator[Part]:
    for cell in function.__closure__ or ():
        try:
            yield Part(".closure", cell.cell_contents, None, None)
        except ValueError:  # not bound yet
            continue
    for part in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield Part(".default", part, None, None)
    wrapped = getattr(function, "__wrapped__", None)
    if wrapped is not None:
        yield Part("", wrapped, None, None)
    if _of_library(function):
        return
    for name in names_of(function.__code__):
        part = function.__globals__.get(name)
        if isinstance(part, types.FunctionType) or generator_source("", part, 0) is not None:
            yield Part(f" → {name}", part, function.__globals__, name)


def names_of(code: types.CodeType) -> Iterator[str]:
    """Yield the global names and attributes that code uses, that of its lambdas and comprehensions as well."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_of(constant)


def modules_of(thing: Any) -> Iterator[str]:
    """Yield the module that an object is of, and those that a function names."""
    module = getattr(thing, "__module__", None) or type(thing).__module__
    if isinstance(module, str):
        yield module
    if isinstance(thing, types.FunctionType):
        for name in names_of(thing.__code__):
            part = thing.__globals__.get(name)
            if isinstance(part, types.ModuleType):
                yield part.__name__


def attributes_of(thing: Any) -> dict[str, Any] | None:
    """Return the dict of an object's own attributes, or None if it has none."""
    found = None if isinstance(thing, type) else _attribute(thing, "__dict__")
    return found if isinstance(found, dict) else None


def _attribute(thing: Any, name: str) -> Any:
    try:
        return getattr(thing, name, None)
    except Exception:  # noqa: BLE001  # somebody's attributes, which may be computed
        return None


def _slots(cls: type) -> tuple[str, ...]:
    names = vars(cls).get("__slots__", ())
    private = f"_{cls.__name__.lstrip('_')}"
    return tuple(
        f"{private}{name}" if name.startswith("__") and not name.endswith("__") else name
        for name in ((names,) if isinstance(names, str) else names)
    )


_LIBRARIES = {
    "numpy",
    "torch",
    "torchvision",
    "builtins",
    "abc",
    "typing",
    "collections",
    "functools",
    "keras",
    "tensorflow",
}


def _of_library(thing: Any) -> bool:
    """Return whether code is of a library whose module-level state is no stored generator of the user's."""
    root = (getattr(thing, "__module__", None) or "").partition(".")[0]
    return root in _LIBRARIES or root in sys.stdlib_module_names
