"""A walk through all that an object holds.

`walk` yields what is reached, by `parts_of` what may draw. `Contents` notes what an object holds at one time, to see later what has changed.
"""

from __future__ import annotations

import functools
import io
import re
import sys
import types
from array import array as buffer
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice, zip_longest
from time import monotonic
from typing import Any, Final, NamedTuple, SupportsFloat

import numpy as np
from numpy.random import SeedSequence

from seedsafe.bridging.again import is_tensor
from seedsafe.bridging.generators import is_generator
from seedsafe.bridging.options import hook_of

__all__ = [
    "CELL",
    "CONTAINERS",
    "LONGEST",
    "Contents",
    "Location",
    "Named",
    "Part",
    "attributes_of",
    "held_by",
    "is_leaf",
    "modules_of",
    "named_place",
    "names_of",
    "parts_of",
    "slots_of",
    "walk",
]


_PLAIN: Final[frozenset[type]] = frozenset((bool, int, float, complex, str, bytes, type(None)))
_LEAVES: Final[tuple[type, ...]] = (*_PLAIN, bytearray, np.ndarray, np.generic, types.ModuleType)
CONTAINERS = list, tuple, dict, set, frozenset, deque
LONGEST = 4096
"""The search looks at the first 4096 entries of a list or dict."""

CELL: Final = "cell_contents"
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


class Named:
    """The slots of an object, or what a cell of a closure holds, by name, as a dict has attributes."""

    __slots__ = ("_thing",)

    def __init__(self, thing: Any) -> None:
        self._thing = thing

    def get(self, name: str, default: Any = None) -> Any:
        """Return what has the name now; None if nothing has it yet, or if the user's property raises."""
        try:
            return getattr(self._thing, name, None)
        except Exception:  # noqa: BLE001  # an empty cell too
            return None

    __getitem__ = get


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

    def below(self, other: Location) -> list[Location]:
        """Return the locations from another one on the way to it, without that one, to itself."""
        return self._from_root()[other.depth + 1 :]

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
    slots = map(Named(thing).get, slots_of(thing))
    return all(_is_plain(part, kinds, depth - 1) for part in (*attributes.values(), *slots))


def _spread(thing: Any, count: int) -> list[Any]:
    parts = list(thing.values() if isinstance(thing, dict) else thing)
    return parts[:: max(1, len(parts) // count)]


def parts_of(thing: Any) -> Iterator[Part]:
    """Yield the parts of an object that may hold generators, or draw: no plain data, and nothing inside a generator.

    They are attributes, slots, entries, arguments of a partial function, a method's object, closures, defaults, and the functions
    and generators that a function names.
    """
    # A bridge inside keeps generators of its own, one for each level of nesting: they are nobody's.
    if is_generator(thing) or type(thing).__module__ == "seedsafe.bridging.sources":
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
    if isinstance(thing, type | types.FunctionType):
        return
    has_entries = isinstance(thing, CONTAINERS)
    held: Any = thing if has_entries else attributes_of(thing) or {}
    holder = None if isinstance(thing, set | frozenset) else held
    named = held.items() if isinstance(held, dict) else enumerate(held)
    for name, part in list(islice(named, longest if has_entries else None)):
        if leaves or not is_leaf(part):
            yield Part(f"[{name!r}]" if has_entries else f".{name}", part, holder, name)
    slots = Named(thing)
    for name in () if has_entries else slots_of(thing):
        yield Part(f".{name}", slots[name], slots, name)


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
    cells = map(Named, function.__closure__ or ())
    yield from (Part(".closure", cell[CELL], cell, CELL) for cell in cells)
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
    yield _module(thing)
    if isinstance(thing, types.FunctionType):
        for name in names_of(thing.__code__):
            part = thing.__globals__.get(name)
            if isinstance(part, types.ModuleType):
                yield part.__name__


def attributes_of(thing: Any) -> dict[str, Any] | None:
    """Return the dict of an object's own attributes, or None if it has none."""
    result = None if isinstance(thing, type) else Named(thing).get("__dict__")
    return result if isinstance(result, dict) else None


def slots_of(thing: Any) -> list[str]:
    """Return the names of an object's slots."""
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


# A check in the first reads must not be felt: so much is compared, and what is beyond goes unseen.
_MOST_OBJECTS: Final = 4_000
_MOST_SECONDS: Final = 0.25
_MOST_ENTRIES: Final = 50_000
_DEEPEST: Final = 12
_LONG: Final = 1024
_END: Final = 32
"""Of a container with more than 1024 entries, the first and last 32 are compared, and the sample's own: a read changes those as a rule."""
_SPREAD: Final = 2048
"""So many numbers of an array are compared, evenly spread."""

_OURS: Final = r"seedsafe(_(albumentations|keras|ray|tf|torch))?"
_APART: Final = (
    r"albumentations|audiomentations|imgaug|kornia|(monai|torchio|torchvision)\.transforms"
    r"|datetime|decimal|enum|logging|pathlib|re|uuid|PIL"
)
"""Modules of transforms that note on themselves what they drew last, and never read it again; of values, some with caches; of loggers."""
_SHARED: Final = r"multiprocessing\.(connection|managers|queues)"
_READ: Final = ("read", "recv", "seek", "fetch", "grab")


_Entry = tuple[Any, Any, bytes | None]
_NONE: Final[_Entry] = (None, None, None)


class Contents:
    """What an object holds at one time, attributes some levels deep, as far as it can be seen.

    Iterators, queues and open files count as changed at any later time, since nobody sees what they hold. The states of
    generators do not count, but the number of generators that they have spawned does, because it cannot be set back.

    Args:
        root: the object.
        index: the number of the sample that is read.

    Example:
        >>> counts = {"reads": [1, 2]}
        >>> before = Contents(counts)
        >>> before.changed("base"), counts["reads"].append(3), before.changed("base")
        (None, None, "base['reads'][2]")
    """

    def __init__(self, root: Any, index: int = 0) -> None:
        self._index = index
        self._held: list[tuple[Location, list[_Entry]]] = []
        self._spawned: list[tuple[Location, int]] = []
        self._unseen: Location | None = None
        self.generators: list[Location] = []
        """The generators, none of them the process's, nearest first."""
        try:
            self._walk(root)
        except Exception:  # noqa: BLE001  # the user's classes, or another thread that changes them
            self._unseen = Location(Part("", root))

    def _walk(self, root: Any) -> None:
        room, apart = _MOST_ENTRIES, set[int]()
        for location in walk(root, self._parts, most=_MOST_OBJECTS, seconds=_MOST_SECONDS, depth=_DEEPEST):
            thing = location.thing
            kind: Any = type(thing)
            if is_generator(thing):
                self.generators.append(location)
            elif id(location.above) in apart or _is_of(_APART, thing):
                apart.add(id(location))  # its generators count, and nothing else
            elif _is_unseen(kind):
                self._unseen = self._unseen or location
            elif room > 0 and self._unseen is None and not _is_of(_OURS, thing):
                self._held.append((location, self._entries(thing)))
                room -= len(self._held[-1][1])
            if is_generator(thing) or kind is SeedSequence:
                self._spawned.append((location, _children(thing)))

    def changed(self, name: str) -> str | None:
        """Return the path of a part that has changed since, or may have; None if there is none.

        Args:
            name: the object's name, with which the path begins.
        """
        if self._unseen is not None:
            return named_place(name, self._unseen)
        try:
            changes = (name + location.path + step for location, _, step in self._changes())
            return next(changes, None) or next(iter(self.spawned(name)), None)
        except Exception:  # noqa: BLE001  # as above
            return name

    def new_numbers(self, name: str) -> str | None:
        """Return the path of an array or list of numbers that has come since, where there was none, or None."""
        with suppress(Exception):  # the user's classes
            for location, before, _ in self._changes():
                had = {step for step, part, _ in before if part is not None}
                for step, part, _ in self._entries(location.thing):
                    first = part[0] if step not in had and hasattr(part, "__len__") and len(part) else ""
                    if isinstance(first, SupportsFloat):
                        return name + location.path + _step(location.thing, step)
        return None

    def spawned(self, name: str) -> list[str]:
        """Return the paths of the generators and seed sequences that have spawned others since."""
        return [
            named_place(name, location)
            for location, count in self._spawned
            if _children(location.thing) != count
        ]

    def put_back(self) -> None:
        """Put attributes and entries back, except those of slots and of containers that are too long to be copied."""
        for location, before, _ in list(self._changes()):
            thing: Any = location.thing
            holder: Any = thing if isinstance(thing, CONTAINERS) else attributes_of(thing)
            are_its_own = not _is_code(thing) and not hasattr(type(thing), "cache_info")
            if holder is not None and are_its_own and len(before) <= _LONG:
                with suppress(Exception):  # the user's classes
                    holder.clear()
                    put = getattr(holder, "extend", None) or holder.update
                    put([(name, part) if isinstance(holder, dict) else part for name, part, _ in before])

    def _changes(self) -> Iterator[tuple[Location, list[_Entry], str]]:
        """Yield the locations that have changed, with their earlier entries and the step to the first that differs."""
        for location, before in self._held:
            pairs = zip_longest(self._entries(location.thing), before, fillvalue=_NONE)
            differ = (
                (other if one is _NONE else one)[0] for one, other in pairs if not _is_alike(one, other)
            )
            for name in islice(differ, 1):
                yield location, before, _step(location.thing, name)

    def _entries(self, thing: Any) -> list[_Entry]:
        """Return what a thing itself holds: each part's name, the part, and some bytes of it if it is an array."""
        named: Iterable[tuple[Any, Any]]
        if isinstance(thing, CONTAINERS):
            if len(thing) > _LONG:
                named = (("…", entry) for entry in self._ends(thing))
            else:
                named = list(thing.items()) if isinstance(thing, dict) else enumerate(list(thing))
        elif isinstance(thing, types.FunctionType):
            cells = [(".closure", Named(cell)[CELL]) for cell in thing.__closure__ or ()]
            named = cells + _globals_of(thing)
        elif isinstance(thing, type):
            parts = () if _is_installed(_module(thing)) else list(vars(thing).items())
            named = ((name, part) for name, part in parts if not name.startswith("__"))
        elif hasattr(type(thing), "cache_info"):  # of functools.lru_cache
            named = (("cache_info()", thing.cache_info().misses),)
        else:
            named = ((part.step[1:], part.thing) for part in held_by(thing))
        return [(name, part, None if type(part) in _PLAIN else self._bytes(part)) for name, part in named]

    def _ends(self, container: Any) -> list[Any]:
        """Return the length of a long container, the sample's own entry, and those at both ends."""
        many = container.values() if isinstance(container, dict) else container
        last = () if isinstance(container, set | frozenset) else islice(reversed(many), _END)
        own = None
        if isinstance(container, dict):
            own = container.get(self._index)
        elif isinstance(container, list | tuple) and self._index < len(container):
            own = container[self._index]
        return [len(container), own, *islice(many, _END), *last]

    def _parts(self, location: Location) -> Iterable[Part]:
        thing = location.thing
        if _is_of(_OURS, thing):  # it has states of its own; what counts is what it reads
            base = getattr(getattr(thing, "reader", thing), "base", getattr(thing, "dataset", None))
            return [Part(".base", base)]
        if isinstance(thing, types.BuiltinMethodType | types.MethodWrapperType):
            return [Part(".__self__", thing.__self__)]
        if isinstance(thing, CONTAINERS):
            is_kept = self._held and self._held[-1][0] is location  # the last one
            entries = self._held[-1][1] if is_kept else self._entries(thing)
            found = [Part(_step(thing, name), part) for name, part, _ in entries if not _is_plain_value(part)]
        else:
            found = list(parts_of(thing))
        if isinstance(thing, types.FunctionType):
            found += [Part(name, part) for name, part in _globals_of(thing) if _is_users(part)]
        return [part for part in found if not _is_plain_value(part.thing)]

    def _bytes(self, entry: Any) -> bytes | None:
        """Return some bytes of an array, or None for anything else."""
        array = entry
        if is_tensor(entry):
            try:
                array = entry.detach().numpy()
            except Exception:  # noqa: BLE001  # on a device, sparse, or of a dtype that NumPy does not have
                return None
        elif isinstance(entry, bytearray | memoryview | buffer):
            array = np.asarray(entry)
        if not isinstance(array, np.ndarray) or isinstance(array, np.memmap):
            return None
        return _spread_bytes(array) + _spread_bytes(
            array[self._index : self._index + 1] if array.ndim else array
        )


def _spread_bytes(array: np.ndarray[Any, Any]) -> bytes:
    for axis in reversed(range(array.ndim)):
        step = min(-(-array.size // _SPREAD), array.shape[axis])
        if step > 1:
            array = array[(slice(None),) * axis + (slice(None, None, step),)]
    return array.tobytes()


def _module(thing: Any) -> str:
    """Return the module of a function or class, or of an object's class."""
    module = getattr(thing, "__module__", None)
    module = module if isinstance(module, str) else type(thing).__module__
    return module if isinstance(module, str) else ""  # Cython's functions have a descriptor


def _is_of(modules: str, thing: Any) -> bool:
    """Return whether a function, a class or an object's class is of one of some modules, or below it."""
    return _matches(modules, _module(thing))


@functools.lru_cache(4096)
def _matches(modules: str, module: str) -> bool:
    return re.match(rf"({modules})(\.|$)", module) is not None


def _is_plain_value(thing: Any) -> bool:
    """Return whether a thing is a plain value, or a tuple of some, as the entries of a long list often are."""
    return type(thing) in _PLAIN or (type(thing) is tuple and _PLAIN.issuperset(map(type, thing)))


def _is_code(thing: Any) -> bool:
    return isinstance(thing, type | types.ModuleType | types.FunctionType | types.BuiltinFunctionType)


@functools.lru_cache(4096)
def _is_installed(module: str) -> bool:
    """Return whether a module is a library's, whose globals and attributes of classes are not the user's."""
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return module.partition(".")[0] in sys.stdlib_module_names or "-packages" in file


def _is_users(thing: Any) -> bool:
    """Return whether a global that code names may hold what the code changes."""
    if isinstance(thing, CONTAINERS) or hasattr(type(thing), "cache_info"):
        return True
    kind: Any = type(thing)
    return not _is_code(thing) and (_is_unseen(kind) or not _is_installed(_module(kind)))


@functools.lru_cache(4096)
def _is_unseen(kind: Any) -> bool:
    """Return whether objects of a class may change where nobody sees it: iterators, queues, open files."""
    if issubclass(kind, (*CONTAINERS, type, types.ModuleType)):
        return False
    has = functools.partial(hasattr, kind)
    opens = has("close") and has("__enter__")
    is_queue = has("put") and has("get")
    hides = kind.__dictoffset__ == 0 and not has("__slots__") and any(map(has, _READ))  # written in C
    is_known = issubclass(kind, io.IOBase) or _is_of(_SHARED, kind)
    return has("__next__") or opens or is_queue or hides or is_known


def _children(thing: Any) -> int:
    """Return how many seed sequences one has spawned, by itself or for its generator."""
    bits = getattr(thing, "bit_generator", thing)
    return getattr(getattr(bits, "seed_seq", bits), "n_children_spawned", 0)


def _globals_of(function: types.FunctionType) -> list[tuple[str, Any]]:
    """Return the globals that a user's function names, except modules."""
    if _is_installed(_module(function)):
        return []
    found, names = function.__globals__, names_of(function.__code__)
    named = ((f" → {name}", found[name]) for name in names if name in found)
    return [pair for pair in named if not isinstance(pair[1], types.ModuleType)]


def named_place(name: str, location: Location) -> str:
    """Return the path of a location in an object with a name, and its class."""
    return f"{name}{location.path} (a {type(location.thing).__qualname__})"


def _step(thing: Any, name: Any) -> str:
    """Return the step from a thing to a part with a name, in a path."""
    if isinstance(thing, CONTAINERS):
        return "[…]" if name == "…" else f"[{name!r}]"
    return str(name) if isinstance(thing, types.FunctionType) else f".{name}"


def _is_alike(now: Any, before: Any) -> bool:
    """Return whether two parts are the same object, or equal plain data."""
    if now is before:
        return True
    if type(now) is not type(before):
        return False
    if type(now) in _PLAIN or isinstance(now, np.generic):
        return bool(now == before) or (now != now and before != before)  # noqa: PLR0124  # NaN
    if type(now) not in (list, tuple, dict) or not len(now) == len(before) <= _END:
        return False
    of_keys = type(now) is not dict or all(map(_is_alike, now, before))
    return of_keys and all(
        map(_is_alike, *(one.values() if type(one) is dict else one for one in (now, before)))
    )
