"""What an object holds."""

from __future__ import annotations

import functools
import io
import re
import sys
import types
from array import array as buffer
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice, zip_longest
from typing import Any, Final

import numpy as np
from numpy.random import SeedSequence

from seedsafe.bridging.generators import is_generator
from seedsafe.bridging.same import is_tensor
from seedsafe.bridging.walk import (
    CONTAINERS,
    Location,
    Part,
    attributes_of,
    held_by,
    names_of,
    parts_of,
    walk,
)

__all__ = ["Contents", "named_place"]

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
_PLAIN: Final = frozenset((bool, int, float, complex, str, bytes, type(None)))


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
            named = [(".closure", cell) for cell in _cells(thing)] + _globals_of(thing)
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
            found = [Part(_step(thing, name), part) for name, part, _ in entries if not _is_plain(part)]
        else:
            found = list(parts_of(thing))
        if isinstance(thing, types.FunctionType):
            found += [Part(name, part) for name, part in _globals_of(thing) if _is_users(part)]
        return [part for part in found if not _is_plain(part.thing)]

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
        return _spread(array) + _spread(array[self._index : self._index + 1] if array.ndim else array)


def _spread(array: np.ndarray[Any, Any]) -> bytes:
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


def _is_plain(thing: Any) -> bool:
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


def _cells(function: types.FunctionType) -> list[Any]:
    found = []
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # not bound yet
            found.append(cell.cell_contents)
    return found


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
