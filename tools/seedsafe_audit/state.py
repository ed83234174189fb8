"""What reading changes."""

from __future__ import annotations

import functools
import random
import re
import sys
import sysconfig
import types
from collections import deque
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from itertools import islice
from pathlib import PurePath
from typing import Any, Literal, NamedTuple

import numpy as np

from seedsafe.bridging.generators import State, Stateful, generator_of, global_generators, is_generator
from seedsafe.bridging.region import PATIENCE, regions
from seedsafe.bridging.walk import Location, Part, held_by, walk
from seedsafe_audit.content import as_array, digest

__all__ = [
    "SEEDED",
    "Change",
    "Snapshot",
    "Stateful",
    "changes",
    "generators",
    "is_users",
    "loaded",
    "marks",
    "outside",
    "seed",
    "snapshot",
    "users_modules",
]

SEEDED: dict[str, Any] = {
    "random": random.seed,
    "numpy.random": np.random.seed,
    "torch": lambda value: sys.modules["torch"].manual_seed(value),
    "cv2": lambda value: sys.modules["cv2"].setRNGSeed(value),
}
"""The generators that can be seeded."""

_DEPTH, _ENTRIES, _LONG, _WIDE, _BYTES = 8, 20_000, 2_000, 2**24, 2**26
_SECONDS = 0.25  # to look for generators, which takes as long as the dataset keeps many objects
_PLAIN = (bool, int, float, complex, str, bytes, np.generic, PurePath, type(None))
_CODE = types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type
_OPAQUE = (
    "builtins",
    "io",
    "_io",
    "threading",
    "_thread",
    "multiprocessing.context",
    "seedsafe.bridging.runner",  # a bridge's notes about a dataset are not its state
)


def loaded() -> list[str]:
    """Return the names of the process-wide generators that are in this process."""
    return [name for name in SEEDED if name in ("random", "numpy.random") or name in sys.modules]


def seed(value: int) -> None:
    """Seed all process-wide generators with a value."""
    for name in loaded():
        SEEDED[name](value)


class _OpenCV(Stateful):
    """OpenCV's generator. Nobody can read its state, so a number that it draws stands for it, which moves it on."""

    def save(self) -> Any:
        drawn = np.empty(8, np.uint8)
        self.thing.randu(drawn, 0, 256)
        return drawn.tobytes()

    def restore(self, state: Any) -> None:
        self.thing.setRNGSeed(state)

    def others(self) -> Iterator[State]:
        return (State(None, seed) for seed in range(1, 129))


def _globals() -> dict[str, Stateful]:
    with outside():  # they are read at once
        found = dict(zip(SEEDED, global_generators(), strict=False))  # in the same order
    if hasattr(sys.modules.get("cv2"), "randu"):  # not while a thread imports it
        found["cv2"] = _OpenCV("cv2", sys.modules["cv2"])
    return found


@contextmanager
def outside() -> Generator[None, None, None]:
    """Keep other threads out of a bridge's regions, as tf.data's threads read ahead and a region's generators follow a key.

    A thread inside one may wait for this thread, so this goes on after a while.
    """
    holds = regions.lock.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        if holds:
            regions.lock.release()


def marks(found: Mapping[str, Stateful]) -> dict[str, str]:
    """Return a digest of the state of each generator while no other thread is in a region."""
    result = {}
    with outside() if found else nullcontext():  # else threads that are to race would take turns
        for name, generator in found.items():
            with suppress(Exception):  # a user's generator may raise anything
                result[name] = digest(generator.mark())
    return result


def generators(dataset: Any) -> dict[str, Stateful]:
    """Return the generators of the process by name, those that a dataset refers to by path, the nearest first, and those of modules."""
    result = _globals()
    for location in walk(dataset, most=_ENTRIES, seconds=_SECONDS):
        generator = generator_of(location.path, location.thing)
        if generator is not None:
            result.setdefault(location.path, generator)
    known = {id(generator.thing) for generator in result.values()}
    for name, module in users_modules().items():
        for attribute, thing in list(vars(module).items()):
            if id(thing) not in known and (generator := generator_of("", thing)) is not None:
                known.add(id(thing))
                result[f"{name}.{attribute}"] = generator
    return result


def users_modules() -> dict[str, types.ModuleType]:
    """Return the modules of the user's own code."""
    return {name: sys.modules[name] for name in _users_names(len(sys.modules)) if name in sys.modules}


@functools.lru_cache(maxsize=1)
def _users_names(count: int) -> list[str]:
    """Return the names of the user's modules, looked for again when the number of all modules has changed."""
    files = [(name, getattr(module, "__file__", None) or "") for name, module in list(sys.modules.items())]
    return [name for name, file in files if is_users(file, name)]


_STDLIB = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib")})
_LIBRARIES = ("site-packages", "dist-packages")
_FRAMEWORKS = ("torch", "numpy", "keras", "tensorflow", "tf_keras")


def is_users(file: str, module: str, *, libraries: bool = False) -> bool:
    """Return whether code is the user's own: neither installed nor the standard library's.

    Args:
        file: its file.
        module: its module.
        libraries: whether what is installed counts too, except frameworks and seedsafe.
    """
    root = module.partition(".")[0]
    if not file or file.startswith("<") or root in _FRAMEWORKS or re.match(r"seedsafe(_|$)", root):
        return False
    if any(part in file for part in _LIBRARIES):
        return libraries
    return not file.startswith(_STDLIB)


class _Entry(NamedTuple):
    kind: Literal["array", "value", "container"]
    identity: int
    digest: str
    shown: str


Snapshot = dict[str, _Entry]


class Change(NamedTuple):
    """One changed attribute."""

    path: str
    """Its path from the dataset: ``.images[3]``."""
    kind: Literal["in place", "value"]
    """``"in place"`` for the content of an array or a cached sample, or ``"value"``."""
    shown: str
    """The value before and after, in words."""


def snapshot(dataset: Any, order: list[int]) -> Snapshot:
    """Return all that a dataset refers to except generators, but only the elements of an order in long lists and large arrays."""
    result, positions = Snapshot(), tuple(sorted(set(order)))
    budget = _BYTES  # of arrays, spent in the order of the walk
    found = walk(dataset, lambda location: _parts(location, positions), depth=_DEPTH, leaves=True)
    for location in islice(found, _ENTRIES):
        array = as_array(location.thing) if hasattr(location.thing, "shape") and budget > 0 else None
        if array is not None and array.nbytes > _WIDE and array.ndim:
            array = array[[position for position in positions if position < len(array)]]
        entry = _entry(location.thing, array)
        if entry is not None:
            result[location.path] = entry
            budget -= array.nbytes if entry.kind == "array" and array is not None else 0
    return result


def _entry(thing: Any, array: np.ndarray[Any, Any] | None) -> _Entry | None:
    """Return the entry of a thing, or None for an object of which only the parts count."""
    name = type(thing).__name__
    if isinstance(thing, _PLAIN):
        shown = text if len(text := repr(thing)) <= 40 else f"{text[:37]}…"
        return _Entry("value", id(thing), digest(thing), shown)
    if isinstance(thing, list | tuple | Mapping | set | deque):
        return _Entry("container", id(thing), str(len(thing)), f"{name} of {len(thing)}")
    if array is None or array.dtype == object:
        return None
    shape = "×".join(map(str, array.shape))
    return _Entry("array", id(thing), digest(array), f"{name} {array.dtype} {shape}")


def _parts(location: Location, positions: tuple[int, ...]) -> Iterator[Part]:
    """Yield the parts that count as a dataset's state."""
    thing, home = location.thing, type(location.thing).__module__
    if isinstance(thing, Mapping | list | tuple | deque):
        every = thing if isinstance(thing, Mapping) else range(len(thing))
        chosen = every if len(thing) <= _LONG else (one for one in positions if one in every)
        yield from (Part(f"[{name!r}]", thing[name]) for name in list(chosen))
    elif not (home in _OPAQUE or isinstance(thing, (*_CODE, *_PLAIN, set)) or is_generator(thing)):
        ours = re.match(r"seedsafe[_.]", home)  # whose private attributes are not the dataset's state
        yield from (part for part in held_by(thing) if not (ours and part.step.startswith("._")))


def changes(before: Snapshot, after: Snapshot) -> list[Change]:
    """Return the differences in the order of the paths, except for objects that are created on first use."""
    result = []
    attributes = {_attribute(path) for path in before}
    empty = tuple(path for path, entry in before.items() if entry.shown == "None")
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if _is_lazy(path, old, new, empty, attributes):
            continue
        if old is not None and new is not None:
            if old.digest != new.digest and not _is_cache(path, before, after):
                result.append(Change(path, _kind(path, old, new), f"{old.shown} → {new.shown}"))
            continue
        above = before.get(path[: max(path.rfind("["), path.rfind("."), 0)])
        if above is None or above.kind != "container":  # its length shows the change
            shown = f"{new.shown} was added" if new is not None else f"{old.shown if old else ''} is gone"
            result.append(Change(path, "value", shown))
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


def _is_cache(path: str, before: Snapshot, after: Snapshot) -> bool:
    """Return whether a dict got entries that are no numbers or texts, as counts would be."""
    entries = [entry for one, entry in after.items() if one.startswith(f"{path}[") and one not in before]
    named = after[path].kind == "container" and not re.match("list|tuple|deque|set", after[path].shown)
    return named and bool(entries) and any(entry.kind == "array" for entry in entries)


def _attribute(path: str) -> str:
    return path[:1] + re.split(r"[.\[]", path[1:], maxsplit=1)[0]


def _kind(path: str, old: _Entry, new: _Entry) -> Literal["in place", "value"]:
    in_container = "[" in path[1:]  # a cached sample, whose array may be replaced by another one
    is_array = old.kind == new.kind == "array"
    return "in place" if is_array and (old.identity == new.identity or in_container) else "value"
