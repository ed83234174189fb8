"""What an object holds, to see whether a call has changed it."""

from __future__ import annotations

import io
import re
import sys
import types
from array import array as buffer
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.random import SeedSequence

from seedsafe.bridging.same import is_tensor
from seedsafe.bridging.sources import generator_source
from seedsafe.bridging.walk import (
    CONTAINERS,
    Part,
    Place,
    attributes_of,
    held_by,
    is_leaf,
    names_of,
    parts_of,
    walk,
)

__all__ = ["Contents"]

_MOST_OBJECTS: Final = 4_000
_MOST_ENTRIES: Final = 50_000
_DEEPEST: Final = 12
_LONG: Final = 1024
_END: Final = 64
"""Of a container with more than 1024 entries, the first and last 64 are looked at, and the sample's own: a read changes those as a rule."""
_SPREAD: Final = 2048
"""So many numbers of an array are compared, evenly spread."""

_OURS: Final = re.compile(r"seedsafe(_(albumentations|keras|ray|tf|torch))?(\.|$)")
_NOTES_DRAWS: Final = re.compile(
    r"(albumentations|audiomentations|imgaug|kornia|(monai|torchio|torchvision)\.transforms)(\.|$)"
)
"""Modules of transforms that note on themselves what they drew last, and never draw from it again."""
_SHARED: Final = re.compile(r"multiprocessing\.(connection|managers|queues)$")
_PLAIN: Final = (bool, int, float, complex, str, bytes, np.generic)


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
        (None, None, "base['reads']")
    """

    def __init__(self, root: Any, index: int = 0) -> None:
        self._index = index
        self._copies: list[tuple[Place, Any, Any]] = []
        self._views: list[tuple[Place, list[Any]]] = []
        self._memory: list[tuple[Place, Any, bytes]] = []
        self._spawned: list[tuple[Place, int]] = []
        self._unseen: Place | None = None
        room = _MOST_ENTRIES
        for place in walk(root, self._parts, most=_MOST_OBJECTS, depth=_DEEPEST):
            thing = place.thing
            if (count := _children(thing)) is not None:
                self._spawned.append((place, count))
            elif generator_source("", thing, 0) is not None or _is_apart(thing):
                continue
            elif _is_unseen(thing):
                self._unseen = place
            else:
                room -= self._keep(place)
            if self._unseen is not None or room < 0:
                break

    def changed(self, name: str) -> str | None:
        """Return the path of a part that has changed since, or may have; None if there is none.

        Args:
            name: the object's name, with which the path begins.
        """
        if self._unseen is not None:
            return _named(name, self._unseen)
        for place, holder, copy in self._copies:
            now = _copy(holder)
            if not _are_alike(now, copy):
                return name + place.path + ("" if holder is place.thing else _attribute(now, copy))
        for place, view in self._views:
            if not _are_alike(self._view(place.thing), view):
                return name + place.path
        for place, array, before in self._memory:
            if self._bytes(array) != before:
                return name + place.path
        return next(iter(self.spawned(name)), None)

    def spawned(self, name: str) -> list[str]:
        """Return the paths of the generators and seed sequences that have spawned others since."""
        return [_named(name, place) for place, count in self._spawned if _children(place.thing) != count]

    def put_back(self) -> None:
        """Put attributes and entries back, except those of containers that are too long to be copied."""
        for _, holder, copy in self._copies:
            if not _are_alike(_copy(holder), copy):
                with suppress(Exception):  # a class of the user's
                    holder.clear()
                    holder.extend(copy) if isinstance(holder, list | deque) else holder.update(copy)

    def _keep(self, place: Place) -> int:
        """Keep what a thing itself holds, and return how many entries these are."""
        thing = place.thing
        entries: list[Any] = []
        attributes = None if _is_code(thing) else attributes_of(thing)
        for holder in (attributes, thing if isinstance(thing, list | dict | deque | set) else None):
            if holder is not None and len(holder) <= _LONG:
                copy = _copy(holder)
                self._copies.append((place, holder, copy))
                entries += copy.values() if isinstance(copy, dict) else copy
        view = self._view(thing)
        if view:
            self._views.append((place, view))
            entries += view
        for entry in entries:
            if (some := self._bytes(entry)) is not None:
                self._memory.append((place, entry, some))
        return len(entries)

    def _view(self, thing: Any) -> list[Any]:
        """Return what a thing holds besides its attributes and a short list's or dict's entries."""
        if isinstance(thing, types.FunctionType):
            return _cells(thing) + ([] if _is_installed(thing) else _globals_of(thing))
        if isinstance(thing, type):
            if _is_installed(thing):
                return []
            return [part for name, part in list(vars(thing).items()) if not name.startswith("__")]
        if isinstance(thing, tuple | frozenset):
            return list(thing)[:_LONG]
        if isinstance(thing, CONTAINERS):
            return self._ends(thing) if len(thing) > _LONG else []
        if hasattr(thing, "cache_info"):  # of functools.lru_cache
            return [thing.cache_info().misses]
        return [part.thing for part in held_by(thing) if part.holder is None]  # slots

    def _ends(self, container: Any) -> list[Any]:
        many = container.values() if isinstance(container, dict) else container
        last = () if isinstance(container, set) else islice(reversed(many), _END)
        own = None
        if isinstance(container, dict):
            own = container.get(self._index)
        elif isinstance(container, list) and self._index < len(container):
            own = container[self._index]
        return [len(container), own, *islice(many, _END), *last]

    def _parts(self, place: Place) -> Iterator[Part]:
        thing = place.thing
        if _OURS.match(_module(thing)):
            base = getattr(getattr(thing, "reader", thing), "base", getattr(thing, "dataset", None))
            yield Part(".base", base)
        elif _NOTES_DRAWS.match(_module(thing)):
            return
        elif isinstance(thing, CONTAINERS):
            if len(thing) > _LONG:
                yield from (Part("[…]", entry) for entry in self._ends(thing))
            else:
                named = thing.items() if isinstance(thing, dict) else enumerate(thing)
                yield from (Part(f"[{name!r}]", entry) for name, entry in list(named) if not is_leaf(entry))
        elif isinstance(thing, types.BuiltinMethodType | types.MethodWrapperType):
            yield Part("", thing.__self__)
        else:
            yield from parts_of(thing)
            if isinstance(thing, types.FunctionType) and not _is_installed(thing):
                yield from (Part(f" → {name}", part) for name, part in _globals_of(thing) if _is_users(part))

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
        own = array[self._index : self._index + 1] if array.ndim else array
        return _spread(array) + _spread(own)


def _spread(array: np.ndarray[Any, Any]) -> bytes:
    for axis in reversed(range(array.ndim)):
        step = min(-(-array.size // _SPREAD), array.shape[axis])
        if step > 1:
            array = array[(slice(None),) * axis + (slice(None, None, step),)]
    return array.tobytes()


def _module(thing: Any) -> str:
    module = getattr(thing, "__module__", None)
    return module if isinstance(module, str) else type(thing).__module__


def _is_apart(thing: Any) -> bool:
    """Return whether a thing is ours, or notes what it drew: what it holds says nothing about the base."""
    module = _module(thing)
    return _OURS.match(module) is not None or _NOTES_DRAWS.match(module) is not None


def _is_code(thing: Any) -> bool:
    return isinstance(thing, type | types.ModuleType | types.FunctionType | types.BuiltinFunctionType)


def _is_installed(code: Any) -> bool:
    """Return whether a function or class is a library's, whose globals and attributes are not the user's."""
    module = _module(code)
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return module.partition(".")[0] in sys.stdlib_module_names or "-packages" in file


def _is_users(thing: Any) -> bool:
    """Return whether a global that code names may hold what the code changes."""
    if isinstance(thing, CONTAINERS) or hasattr(thing, "cache_info"):
        return True
    return not _is_code(thing) and (_is_unseen(thing) or not _is_installed(type(thing)))


def _is_unseen(thing: Any) -> bool:
    """Return whether a thing may change where nobody sees it: an iterator, a queue, an open file."""
    if _is_code(thing) or isinstance(thing, CONTAINERS):
        return False
    kind = type(thing)
    opens = hasattr(kind, "close") and hasattr(kind, "__enter__") and not kind.__module__.startswith("PIL.")
    is_queue = hasattr(kind, "put") and hasattr(kind, "get")
    if hasattr(kind, "__next__") or opens or is_queue or isinstance(thing, io.IOBase):
        return True
    if _SHARED.match(kind.__module__):
        return True
    hides = attributes_of(thing) is None and not hasattr(kind, "__slots__")  # written in C
    return hides and any(hasattr(kind, name) for name in ("read", "recv", "seek", "fetch", "grab"))


def _children(thing: Any) -> int | None:
    """Return how many seed sequences one has spawned, by itself or for its generator; None if it cannot."""
    bits = getattr(thing, "bit_generator", thing)
    count = getattr(getattr(bits, "seed_seq", bits), "n_children_spawned", None)
    is_numpys = isinstance(thing, SeedSequence | np.random.BitGenerator | np.random.Generator)
    return count if is_numpys and isinstance(count, int) else None


def _cells(function: types.FunctionType) -> list[Any]:
    found = []
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # not bound yet
            found.append(cell.cell_contents)
    return found


def _globals_of(function: types.FunctionType) -> list[tuple[str, Any]]:
    found, names = function.__globals__, names_of(function.__code__)
    return [
        (name, found[name])
        for name in names
        if name in found and not isinstance(found[name], types.ModuleType)
    ]


def _named(name: str, place: Place) -> str:
    return f"{name}{place.path} (a {type(place.thing).__qualname__})"


def _attribute(now: dict[str, Any], before: dict[str, Any]) -> str:
    """Return the first attribute that has changed, as in a path."""
    names = (name for name in now if name not in before or not _is_alike(now[name], before[name]))
    return "".join(f".{name}" for name in islice(names, 1))


def _copy(holder: Any) -> Any:
    """Return the entries of a holder as a dict or a list."""
    return dict(holder) if isinstance(holder, dict) else list(holder)


def _are_alike(now: Any, before: Any) -> bool:
    """Return whether two dicts or lists have the same entries, in the same order."""
    if len(now) != len(before):
        return False
    if isinstance(now, dict):
        return all(map(_is_alike, now, before)) and all(map(_is_alike, now.values(), before.values()))
    return all(map(_is_alike, now, before))


def _is_alike(now: Any, before: Any) -> bool:
    """Return whether two entries are the same object, or equal plain data."""
    if now is before:
        return True
    if type(now) is not type(before):
        return False
    if isinstance(now, _PLAIN):
        return bool(now == before) or (now != now and before != before)  # noqa: PLR0124  # NaN
    return type(now) in (list, tuple, dict) and len(now) <= _END and _are_alike(now, before)
