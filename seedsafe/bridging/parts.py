"""Parts of objects that may store generators."""

from __future__ import annotations

import functools
import sys
import types
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np

from seedsafe.bridging.hooks import hook_of
from seedsafe.bridging.sources import generator_source

__all__ = ["CONTAINERS", "LONGEST", "Part", "attributes_of", "is_leaf", "modules_of", "names_of", "parts_of"]

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
CONTAINERS = list, tuple, dict, set, frozenset, deque
LONGEST = 4096
"""The search looks at the first 4096 entries of a list or dict."""

_SAMPLED = 64
"""If 64 evenly spread entries of a longer list or dict are plain data, the search looks only at their classes."""


class Part(NamedTuple):
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


def is_leaf(thing: Any) -> bool:
    """Return whether an object cannot store generators."""
    kind: Any = type(thing)
    return _is_leaf_kind(kind)


def _is_plain(thing: Any, kinds: set[type], depth: int = 4) -> bool:
    """Return whether an object is plain data: leaves, and containers and records of them.

    It looks at a few entries of a long container, and adds the classes of records to `kinds`. `depth` limits the nesting.
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
    """Yield the parts of an object, except plain data."""
    for kind, parts in _PARTS_BY_KIND.items():
        if isinstance(thing, kind):
            return parts(thing)
    return _of_instance(thing)


def _of_container(container: Any) -> Iterator[Part]:
    kinds: set[type] = set()
    if len(container) > _SAMPLED and all(_is_plain(part, kinds) for part in _spread(container, _SAMPLED)):
        yield from (Part("[…]", kind, None, None) for kind in sorted(kinds, key=repr))
        return
    named = container.items() if isinstance(container, dict) else enumerate(container)
    for name, part in list(islice(named, LONGEST)):
        if not is_leaf(part):
            yield Part(f"[{name!r}]", part, container, name)


def _of_method(method: types.MethodType) -> Iterator[Part]:
    yield Part("", method.__self__, None, None)
    yield Part("", method.__func__, None, None)


def _of_partial(partial: functools.partial[Any]) -> Iterator[Part]:
    for part in (partial.func, *partial.args, *partial.keywords.values()):
        yield Part(".partial", part, None, None)


def _of_class(cls: type) -> Iterator[Part]:
    if _of_library(cls):
        return
    for name, part in list(vars(cls).items()):
        if name.startswith("__") and not isinstance(part, types.FunctionType):
            continue  # belongs to the language or a library
        function = getattr(part, "__func__", getattr(part, "fget", part))
        yield Part(f".{name}", function, None, None)
    for base in cls.__bases__:
        yield Part("", base, None, None)


def _of_instance(thing: Any) -> Iterator[Part]:
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
    """Yield the global names and attributes that code uses, also in its lambdas and comprehensions."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_of(constant)


def modules_of(thing: Any) -> Iterator[str]:
    """Yield the module of an object, and the modules that a function names."""
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


_PARTS_BY_KIND: Final[dict[Any, Callable[[Any], Iterator[Part]]]] = {
    CONTAINERS: _of_container,
    types.MethodType: _of_method,
    functools.partial: _of_partial,
    types.FunctionType: _of_function,
    type: _of_class,
}
