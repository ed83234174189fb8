"""A walk through all that an object holds."""

from __future__ import annotations

import functools
import sys
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from time import monotonic
from typing import Any, Final, NamedTuple

import numpy as np

from seedsafe.bridging.generators import is_generator
from seedsafe.bridging.hooks import hook_of

__all__ = [
    "CONTAINERS",
    "LONGEST",
    "Location",
    "Part",
    "attributes_of",
    "held_by",
    "is_leaf",
    "modules_of",
    "names_of",
    "parts_of",
    "walk",
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
CONTAINERS = list, tuple, dict, set, frozenset, deque
LONGEST = 4096
"""The search looks at the first 4096 entries of a list or dict."""

_SAMPLED = 64
"""If 64 evenly spread entries of a longer list or dict are plain data, the search looks only at their classes."""


class Part(NamedTuple):
    """A part of an object."""

    step: str
    """The step to it from the object, in a path."""
    thing: Any
    holder: Any = None
    """What stores it under its name, a dict, list, tuple or deque, or None."""
    name: Any = None
    """Its name or position in the holder."""


class Location:
    """A thing that a walk has reached, and where."""

    __slots__ = ("above", "depth", "holder", "name", "number", "step", "thing")

    def __init__(self, part: Part, above: Location | None = None, number: int = 0) -> None:
        self.step, self.thing, self.holder, self.name = part
        self.above = above
        """The location of the object that it is a part of; None for the root."""
        self.number = number
        self.depth: int = 0 if above is None else above.depth + 1

    @property
    def path(self) -> str:
        """The path from the root, such as ``.transform.rngs[0]``, empty for the root."""
        return "".join(location.step for location in self._from_root())

    @property
    def order(self) -> tuple[int, ...]:
        """A key that sorts locations as a walk in depth would reach them."""
        return tuple(location.number for location in self._from_root())

    @property
    def owner(self) -> Any:
        """The object that holds it, in lists, tuples and dicts if need be, or None."""
        above = self.above
        while above is not None and type(above.thing) in (list, tuple, dict):
            above = above.above
        return None if above is None else above.thing

    def stored(self) -> Any:
        """Return what its holder stores in its location now, or None."""
        try:
            return None if self.holder is None else self.holder[self.name]
        except LookupError:
            return None

    def _from_root(self) -> list[Location]:
        locations: list[Location] = [self]
        location = self.above
        while location is not None:
            locations.append(location)
            location = location.above
        return locations[::-1]


def walk(
    root: Any,
    parts: Callable[[Location], Iterable[Part]] | None = None,
    *,
    most: int | None = None,
    seconds: float | None = None,
    depth: int | None = None,
    leaves: bool = False,
) -> Iterator[Location]:
    """Yield the locations of an object and of all that it refers to, breadth first, each object once.

    An object's parts are asked for after its location was yielded. Of two locations of one object, the nearer one is yielded.

    Args:
        root: the object.
        parts: returns the parts of the thing at a location that the walk goes on to; by default `parts_of` it, which end at
            generators.
        most: the walk ends after so many objects.
        seconds: the walk ends after this time.
        depth: the greatest number of steps from the root.
        leaves: whether to yield leaves (numbers, strings, arrays, tensors, modules), each at all its locations.

    Example:
        >>> [(location.path, location.thing) for location in walk({"a": [1, (2,)]})]
        [('', {'a': [1, (2,)]}), ("['a']", [1, (2,)]), ("['a'][1]", (2,))]
        >>> class Base:
        ...     def __init__(self):
        ...         self.count, self.labels = 3, [1, 2]
        >>> [location.path for location in walk(Base(), lambda location: held_by(location.thing), leaves=True)]
        ['', '.count', '.labels', '.labels[0]', '.labels[1]']
    """
    until = None if seconds is None else monotonic() + seconds
    seen: dict[int, Any] = {}  # it keeps the things alive, or another one could get an id
    todo = deque([Location(Part("", root))])
    while todo and (most is None or len(seen) < most) and (until is None or monotonic() < until):
        location = todo.popleft()
        if is_leaf(location.thing):
            if leaves:
                yield location
            continue
        if id(location.thing) in seen:
            continue
        seen[id(location.thing)] = location.thing
        yield location
        if depth is None or location.depth < depth:
            found = parts_of(location.thing) if parts is None else parts(location)
            todo.extend([Location(part, location, number) for number, part in enumerate(found)])


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
    if attributes is None or callable(thing) or hook_of(thing) is not None or is_generator(thing):
        return False
    kinds.add(type(thing))
    slots = (_attribute(thing, name) for name in _slots_of(thing))
    return all(_is_plain(part, kinds, depth - 1) for part in (*attributes.values(), *slots))


def _spread(thing: Any, count: int) -> list[Any]:
    parts = list(thing.values() if isinstance(thing, dict) else thing)
    return parts[:: max(1, len(parts) // count)]


def parts_of(thing: Any) -> Iterator[Part]:
    """Yield the parts of an object that may hold generators, or draw: no plain data, and nothing inside a generator.

    They are attributes, slots, entries, arguments of a partial function, a method's object, closures, defaults, and the functions
    and generators that a function names.
    """
    if is_generator(thing):
        return iter(())
    for kind, parts in _PARTS_BY_KIND.items():
        if isinstance(thing, kind):
            return parts(thing)
    return _of_instance(thing)


def held_by(thing: Any, longest: int = LONGEST, *, leaves: bool = True) -> Iterator[Part]:
    """Yield all that an object itself holds: attributes, slots and entries, but no code.

    Args:
        thing: the object.
        longest: the number of entries to yield of a longer list or dict.
        leaves: whether to yield plain data too.
    """
    if isinstance(thing, CONTAINERS):
        named = thing.items() if isinstance(thing, dict) else enumerate(thing)
        holder: Any = None if isinstance(thing, set | frozenset) else thing
        for name, part in list(islice(named, longest)):
            if leaves or not is_leaf(part):
                yield Part(f"[{name!r}]", part, holder, name)
    elif not isinstance(thing, (type, types.FunctionType)):
        holder = attributes_of(thing) or {}
        for name, part in list(holder.items()):
            if leaves or not is_leaf(part):
                yield Part(f".{name}", part, holder, name)
        for name in _slots_of(thing):
            yield Part(f".{name}", _attribute(thing, name))


def _of_container(container: Any) -> Iterator[Part]:
    kinds: set[type] = set()
    if len(container) > _SAMPLED and all(_is_plain(part, kinds) for part in _spread(container, _SAMPLED)):
        yield from (Part("[…]", kind) for kind in sorted(kinds, key=repr))
        return
    yield from held_by(container, leaves=False)


def _of_method(method: types.MethodType) -> Iterator[Part]:
    yield Part("", method.__self__)
    yield Part("", method.__func__)


def _of_partial(partial: functools.partial[Any]) -> Iterator[Part]:
    for part in (partial.func, *partial.args, *partial.keywords.values()):
        yield Part(".partial", part)


def _of_class(cls: type) -> Iterator[Part]:
    if _of_library(cls):
        return
    for name, part in list(vars(cls).items()):
        if name.startswith("__") and not isinstance(part, types.FunctionType):
            continue  # belongs to the language or a library
        function = getattr(part, "__func__", getattr(part, "fget", part))
        yield Part(f".{name}", function)
    for base in cls.__bases__:
        yield Part("", base)


def _of_instance(thing: Any) -> Iterator[Part]:
    yield Part("", type(thing))
    yield from held_by(thing, leaves=False)


def _of_function(function: types.FunctionType) -> Iterator[Part]:
    for cell in function.__closure__ or ():
        try:
            yield Part(".closure", cell.cell_contents)
        except ValueError:  # not bound yet
            continue
    for part in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield Part(".default", part)
    wrapped = getattr(function, "__wrapped__", None)
    if wrapped is not None:
        yield Part("", wrapped)
    if _of_library(function):
        return
    for name in names_of(function.__code__):
        part = function.__globals__.get(name)
        if isinstance(part, types.FunctionType) or is_generator(part):
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


def _slots_of(thing: Any) -> list[str]:
    return [name for cls in type(thing).__mro__ for name in _slots(cls)]


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
    module = getattr(thing, "__module__", None)
    root = module.partition(".")[0] if isinstance(module, str) else ""  # Cython's functions have a descriptor
    return root in _LIBRARIES or root in sys.stdlib_module_names


_PARTS_BY_KIND: Final[dict[Any, Callable[[Any], Iterator[Part]]]] = {
    CONTAINERS: _of_container,
    types.MethodType: _of_method,
    functools.partial: _of_partial,
    types.FunctionType: _of_function,
    type: _of_class,
}
