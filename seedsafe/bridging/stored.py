"""Generators that are stored on a dataset or a transform: found once, keyed for each sample."""

from __future__ import annotations

import functools
import random
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import BitGenerator, Generator, RandomState
from numpy.random.bit_generator import ISeedSequence

from seedsafe.bridging.hooks import Hook, hook_of
from seedsafe.bridging.sources import Source, fill_torch, the_numpy_global
from seedsafe.bridging.twister import torch_state
from seedsafe.bridging.words import Words

__all__ = ["Found", "find"]

FIRST_SEGMENT = 8
"""The segments before are those of the process's own generators."""

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
_CONTAINERS = (list, tuple, dict, set, frozenset)
_DEEP = 4096
"""Of a longer list or dict only this many entries are looked at, the first ones."""

_MOST = 200_000
"""After this many objects the search ends."""


class Found:
    """What `find` found below a root: sources, and where each generator was, to notice that it was replaced."""

    def __init__(self) -> None:
        self.sources: tuple[Source, ...] = ()
        self.slots: list[tuple[Any, Any, Any]] = []
        self.libraries: set[str] = set()

    def stale(self) -> bool:
        """Return whether a generator was replaced by another object since."""
        for holder, name, thing in self.slots:
            try:
                if holder[name] is not thing:
                    return True
            except (KeyError, IndexError):
                return True
        return False


class _Words:
    """Gives a bit generator its whole state from the words."""

    def __init__(self, words: Words, segment: int) -> None:
        self._words, self._segment = words, segment

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        size = np.dtype(dtype).itemsize
        raw = self._words.take(self._segment, -(-n_words * size // 8))
        return raw.view(f"<u{size}")[:n_words].astype(dtype, copy=False)


ISeedSequence.register(_Words)


class _Stored:
    """A generator of somebody's, keyed in place."""

    def __init__(self, name: str, thing: Any, segment: int) -> None:
        self.name, self._thing, self._segment = name, thing, segment


class _OfNumpy(_Stored):
    """A Generator, or a bit generator by itself."""

    def __init__(self, name: str, thing: Any, segment: int) -> None:
        super().__init__(name, thing, segment)
        self._bits: BitGenerator = thing.bit_generator if isinstance(thing, Generator) else thing

    def save(self) -> Any:
        return self._bits.state

    def key(self, words: Words) -> None:
        self._bits.state = type(self._bits)(_Words(words, self._segment)).state  # type: ignore[arg-type]

    def restore(self, saved: Any) -> None:
        self._bits.state = saved

    def mark(self) -> Any:
        return repr(self._bits.state)


class _OfLegacyNumpy(_Stored):
    """A RandomState."""

    def save(self) -> Any:
        return self._thing.get_state(legacy=False)

    def key(self, words: Words) -> None:
        bits = self._thing._bit_generator
        if type(bits).__name__ == "MT19937":
            self._thing.seed(words.state(self._segment))
        else:
            state = type(bits)(_Words(words, self._segment)).state
            self._thing.set_state({**state, "has_gauss": 0, "gauss": 0.0})

    def restore(self, saved: Any) -> None:
        self._thing.set_state(saved)

    def mark(self) -> Any:
        state = self._thing.get_state(legacy=False)
        inner = state["state"]
        return (
            {name: part.tobytes() if isinstance(part, np.ndarray) else part for name, part in inner.items()}
            if isinstance(inner, dict)
            else inner
        )


class _OfPython(_Stored):
    """A random.Random."""

    def save(self) -> Any:
        return self._thing.getstate()

    def key(self, words: Words) -> None:
        self._thing.seed(words.integer(self._segment, 4))

    def restore(self, saved: Any) -> None:
        self._thing.setstate(saved)

    def mark(self) -> Any:
        return self._thing.getstate()


class _OfTorch(_Stored):
    """A torch.Generator."""

    def __init__(self, name: str, thing: Any, segment: int) -> None:
        super().__init__(name, thing, segment)
        self._made = torch_state(sys.modules["torch"]) if thing.device.type == "cpu" else None

    def save(self) -> Any:
        return self._thing.get_state()

    def key(self, words: Words) -> None:
        fill_torch(self._thing, self._made, words.state(self._segment))

    def restore(self, saved: Any) -> None:
        self._thing.set_state(saved)

    def mark(self) -> Any:
        return self._thing.get_state().numpy().tobytes()


class _Hooked(_Stored):
    """An object that is told by a hook; what it had before is not known, and not restored."""

    def __init__(self, name: str, thing: Any, segment: int, hook: Hook) -> None:
        super().__init__(name, thing, segment)
        self._hook = hook
        self._given: Any = ()

    def save(self) -> Any:
        return None

    def key(self, words: Words) -> None:
        rng = words.generator(self._segment)
        given = self._hook(self._thing, rng)
        self._given = given if isinstance(given, tuple) else ()

    def restore(self, saved: Any) -> None:
        pass

    def mark(self) -> Any:
        return [
            g.getstate() if isinstance(g, random.Random) else repr(g.bit_generator.state) for g in self._given
        ]


def find(root: Any) -> Found:
    """Return the generators and hooked objects that can be reached from an object.

    The search goes through attributes, lists, tuples, sets, dicts, partial functions, bound methods, closures, and the
    module-level generators that the object's functions name. It ends at arrays, strings and modules.
    """
    found = Found()
    sources: list[Source] = []
    seen: dict[int, Any] = {}
    todo: list[tuple[str, Any, Any, Any, bool]] = [("", root, None, None, False)]
    while todo and len(seen) < _MOST:
        path, thing, holder, name, covered = todo.pop()
        if isinstance(thing, _LEAVES) or id(thing) in seen:
            continue
        seen[id(thing)] = thing
        segment = FIRST_SEGMENT + len(sources)
        source = _generator(path or "itself", thing, segment)
        if source is not None:
            if not covered:
                sources.append(source)
                if isinstance(holder, dict | list):
                    found.slots.append((holder, name, thing))
            continue
        if _is_tensor(thing):
            continue
        hook = None if isinstance(thing, type) else hook_of(thing)
        if hook is not None:
            if not covered:
                sources.append(_Hooked(path or "itself", thing, segment, hook))
            covered = True  # it passes the seed on to the hooked objects inside it
        elif not isinstance(thing, (type, *_CONTAINERS)):
            covered = False
        if not isinstance(thing, _CONTAINERS):
            found.libraries |= {module.partition(".")[0] for module in _modules(thing)}
        parts = [(f"{path}{way}", part, where, name, covered) for way, part, where, name in _parts(thing)]
        todo.extend(reversed(parts))
    found.sources = tuple(sources)
    return found


def _generator(path: str, thing: Any, segment: int) -> Source | None:
    """Return the source for a generator that is not one of the process's own."""
    if isinstance(thing, Generator | BitGenerator):
        return _OfNumpy(path, thing, segment)
    if isinstance(thing, RandomState):
        return None if thing is the_numpy_global else _OfLegacyNumpy(path, thing, segment)
    if isinstance(thing, random.Random):
        own = getattr(random, "_inst", None)
        return (
            None
            if thing is own or isinstance(thing, random.SystemRandom)
            else _OfPython(path, thing, segment)
        )
    torch = sys.modules.get("torch")
    kind = getattr(torch, "Generator", None)
    if isinstance(kind, type) and isinstance(thing, kind):
        return None if thing is getattr(torch, "default_generator", None) else _OfTorch(path, thing, segment)
    return None


def _is_tensor(thing: Any) -> bool:
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return isinstance(kind, type) and isinstance(thing, kind)


def _parts(thing: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield what an object holds: how the way there is written, the part, and what it is stored in under which name."""
    if isinstance(thing, dict):
        for name, part in list(thing.items())[:_DEEP]:
            yield f"[{name!r}]", part, thing, name
    elif isinstance(thing, _CONTAINERS):
        for place, part in enumerate(list(thing)[:_DEEP]):
            yield f"[{place}]", part, thing, place
    elif isinstance(thing, types.MethodType):
        yield "", thing.__self__, None, None
        yield "", thing.__func__, None, None
    elif isinstance(thing, functools.partial):
        for part in (thing.func, *thing.args, *thing.keywords.values()):
            yield ".partial", part, None, None
    elif isinstance(thing, types.FunctionType):
        yield from _of_function(thing)
    elif isinstance(thing, type):
        if not _of_library(thing):
            for name, part in list(vars(thing).items()):
                if name.startswith("__") and not isinstance(part, types.FunctionType):
                    continue  # the language's and other libraries' own
                function = getattr(part, "__func__", getattr(part, "fget", part))
                yield f".{name}", function, None, None
            for base in thing.__bases__:
                yield "", base, None, None
    else:
        yield "", type(thing), None, None
        attributes = _attribute(thing, "__dict__")
        if isinstance(attributes, dict):
            for name, part in list(attributes.items()):
                yield f".{name}", part, attributes, name
        for cls in type(thing).__mro__:
            for name in _slots(cls):
                yield f".{name}", _attribute(thing, name), None, None


def _of_function(function: types.FunctionType) -> Iterator[tuple[str, Any, Any, Any]]:
    for cell in function.__closure__ or ():
        try:
            yield ".closure", cell.cell_contents, None, None
        except ValueError:  # not bound yet
            continue
    for part in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield ".default", part, None, None
    wrapped = getattr(function, "__wrapped__", None)
    if wrapped is not None:
        yield "", wrapped, None, None
    if _of_library(function):
        return
    for name in _names(function.__code__):
        part = function.__globals__.get(name)
        if isinstance(part, types.FunctionType) or _generator("", part, 0) is not None:
            yield f" → {name}", part, function.__globals__, name


def _names(code: types.CodeType) -> Iterator[str]:
    """Yield the global names and attributes that code uses, that of its lambdas and comprehensions as well."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _modules(thing: Any) -> Iterator[str]:
    """Yield the module that an object is of, and those that a function names."""
    module = getattr(thing, "__module__", None) or type(thing).__module__
    if isinstance(module, str):
        yield module
    if isinstance(thing, types.FunctionType):
        for name in _names(thing.__code__):
            part = thing.__globals__.get(name)
            if isinstance(part, types.ModuleType):
                yield part.__name__


def _attribute(thing: Any, name: str) -> Any:
    try:
        return getattr(thing, name, None)
    except Exception:  # noqa: BLE001  # somebody's attributes, which may be computed
        return None


def _slots(cls: type) -> tuple[str, ...]:
    names = vars(cls).get("__slots__", ())
    return (names,) if isinstance(names, str) else tuple(names)


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
