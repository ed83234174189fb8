"""The seeds of new generators, and who reads."""

from __future__ import annotations

import functools
import os
import random
import sys
from collections.abc import Callable, Sequence
from copy import copy
from hashlib import shake_128
from secrets import randbits
from threading import get_ident
from types import ModuleType, SimpleNamespace
from typing import Any, Final, Self

import numpy as np
from numpy.random import bit_generator

from seedsafe.bridging.generators import Stateful
from seedsafe.bridging.regions import regions
from seedsafe.bridging.words import Words
from seedsafe.keys import seeding

__all__ = ["AnotherWorker", "Entropy", "Replayed", "SeedLog"]

_NUMPY: Any = bit_generator
_SEEDS = (int, str, bytes, float, list, tuple, np.integer)

# This NumPy calls another function: the checks alone then find generators without a seed.
if not hasattr(_NUMPY, "randbits"):
    _NUMPY.randbits = randbits

_SEGMENT: Final = 2**32
"""A segment far behind all others."""


class Entropy:
    """Seeds generators without a seed, as in ``default_rng()``, from the region's words, in the region's thread.

    It replaces NumPy's internal function ``randbits``. Other threads still get the system's entropy.
    """

    __slots__ = ("_blocks", "_words", "before")

    def __init__(self, words: Words) -> None:
        self._words = words
        self._blocks = 0
        self.before: Any = _NUMPY.randbits
        """The function that it replaces."""

    def enter(self) -> None:
        """Replace NumPy's own function."""
        _NUMPY.randbits = self

    def leave(self) -> None:
        """Restore NumPy's own function."""
        _NUMPY.randbits = self.before

    def __call__(self, bits: int) -> int:
        """Return a number of `bits` bits."""
        if not regions.lock._is_owned():  # type: ignore[attr-defined]  # not the region's thread
            number: int = self.before(bits)
            return number
        words = -(-bits // 64)
        raw = self._words.take(_SEGMENT, words, self._blocks)
        self._blocks += -(-words // 4)
        return int.from_bytes(raw, "little") >> (64 * words - bits)


class Replayed(Stateful):
    """Seeds generators without a seed, as in ``default_rng()``, from numbers that can be repeated, in this thread inside a with statement.

    It replaces NumPy's internal function ``randbits``. The numbers follow from a start, by default the system's entropy. All such
    generators are one generator, whose state is where their seeds come from.

    Example:
        >>> with Replayed(7) as seeds:
        ...     first = np.random.default_rng().random()
        ...     seeds.state = (7, 0)
        ...     np.random.default_rng().random() == first
        True
    """

    def __init__(self, start: int | None = None) -> None:
        super().__init__("NumPy's generators without a seed, such as default_rng()", None)
        self.state = (randbits(128) if start is None else start, 0)
        """The start, and how many numbers were taken since."""
        self._thread: int | None = None
        self._before: Any = None

    def save(self) -> Any:
        """Return the start, and how many numbers were taken since."""
        return self.state

    def restore(self, state: Any) -> None:
        """Go on from a saved state."""
        self.state = state

    def _other(self, seed: int) -> Replayed:
        return Replayed(seed)

    def __enter__(self) -> Self:
        self._thread, self._before = get_ident(), _NUMPY.randbits
        _NUMPY.randbits = self
        return self

    def __exit__(self, *error: object) -> None:
        self._thread = None
        # Else another thread's region restores this one, which then passes all on.
        if _NUMPY.randbits is self:
            _NUMPY.randbits = self._before

    def __call__(self, bits: int) -> int:
        """Return a number of `bits` bits."""
        if get_ident() != self._thread:
            number: int = self._before(bits)
            return number
        start, taken = self.state
        self.state = (start, taken + 1)
        size = -(-bits // 8)
        raw = shake_128(f"{start} {taken}".encode()).digest(size)
        return int.from_bytes(raw, "little") >> (8 * size - bits)


class SeedLog:
    """Lists the seeds that this thread passes to new generators of NumPy and `random` inside a with statement.

    It replaces public names, those of `numpy.random` that make generators and the method that seeds a `random.Random`, and costs
    too much for every call. Where code has taken a name of NumPy's by ``from numpy.random import``, its seeds are not listed.

    Args:
        of_globals: whether to list the seeds of the process's generators too. Inside a region they follow the key all the same.
    """

    def __init__(self, *, of_globals: bool = True) -> None:
        self.seeds: set[str] = set()
        self._of_globals = of_globals
        self._thread = get_ident()

    def __enter__(self) -> set[str]:
        if not _logs:  # the outermost replaces, the last restores, whatever their order
            for holder, name, listening in _LISTENING:
                _before.append((holder, name, getattr(holder, name)))
                setattr(holder, name, listening)
        _logs.append(self)
        if self._of_globals:
            seeding.listen()
            seeding.followers.append(self._follow)
        return self.seeds

    def __exit__(self, *error: object) -> None:
        if self._follow in seeding.followers:
            seeding.followers.remove(self._follow)
        if self in _logs:
            _logs.remove(self)
        while _before and not _logs:
            setattr(*_before[-1])  # an interrupt may come before the next line
            del _before[-1]

    def _follow(self, generator: str, seed: Any) -> None:
        self.note(seed)

    def note(self, seed: Any) -> None:
        """List a seed."""
        is_empty = isinstance(seed, tuple) and not seed  # `random` calls so without a seed
        if isinstance(seed, _SEEDS) and not is_empty and get_ident() == self._thread:
            self.seeds.add(repr(int(seed) if isinstance(seed, np.integer) else seed)[:60])


_logs: list[SeedLog] = []
_before: list[tuple[Any, str, Any]] = []


def _listening(original: Any, skipped: int = 0) -> Any:
    """Return a function or class that passes its first argument, after those skipped, to all logs, and then does the same."""

    def call(*arguments: Any, **named: Any) -> Any:
        for seed in (*arguments[skipped:], *named.values())[:1]:
            for log in _logs:
                log.note(seed)
        return original(*arguments, **named)

    if not isinstance(original, type):
        return functools.wraps(original)(call)
    # Libraries ask isinstance(seed, np.random.RandomState) in a call, so a class stands for a class.
    kind = type(
        "Listening",
        (type(original),),
        {
            "__call__": lambda cls, *arguments, **named: call(*arguments, **named),
            "__instancecheck__": lambda cls, thing: isinstance(thing, original),
            "__subclasscheck__": lambda cls, other: issubclass(other, original),
        },
    )
    return kind(original.__name__, (original,), {})


_MADE = ("default_rng", "RandomState", "SeedSequence", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
_LISTENING: Final = (
    *((np.random, name, _listening(getattr(np.random, name))) for name in _MADE),
    (random.Random, "seed", _listening(random.Random.seed, 1)),
)
"""Who has a name, the name, and what it stands for while seeds are listed."""


class AnotherWorker:
    """Shows this thread the number and seed of another worker, and another process's number, inside a with statement.

    It replaces the public functions `os.getpid` and `torch.utils.data.get_worker_info` where modules name them: the first in the user's
    own modules alone, because finalizers of libraries ask for it to know what is theirs, and may run at any time. Other threads get
    what they always get.

    Args:
        dataset: what a worker would have as ``get_worker_info().dataset``.
        shown: the names of the functions.
    """

    PROCESS, INFO = "os.getpid()", "torch.utils.data.get_worker_info()"

    def __init__(self, dataset: Any, shown: Sequence[str] = (PROCESS, INFO)) -> None:
        self._dataset, self._shown, self._thread = dataset, shown, get_ident()
        self._replaced: list[tuple[dict[str, Any], str, Any]] = []

    def __enter__(self) -> None:
        if self.PROCESS in self._shown:
            getpid = self._standing_in(os.getpid, lambda own: own + 1)
            self._replace(os.getpid, getpid, _users)
            self._replace(os, _Os(getpid), _users)
        data = sys.modules.get("torch.utils.data")
        if self.INFO in self._shown and data is not None:
            info = data.get_worker_info
            self._replace(info, self._standing_in(info, self._info), _not_ours)

    def __exit__(self, *error: object) -> None:
        while self._replaced:
            names, bound, original = self._replaced[-1]
            names[bound] = original  # an interrupt may come before the next line
            del self._replaced[-1]

    def _replace(self, original: Any, other: Any, has: Callable[[str, ModuleType], bool]) -> None:
        for names, bound in _bindings(original, has):
            self._replaced.append((names, bound, original))
            names[bound] = other

    def _standing_in(self, original: Callable[[], Any], answer: Callable[[Any], Any]) -> Callable[[], Any]:
        return functools.wraps(original)(
            lambda: answer(original()) if get_ident() == self._thread else original()
        )

    def _info(self, own: Any) -> Any:
        """Return what a further worker would get, whose number no other one has, since files may be named after it."""
        other = SimpleNamespace(num_workers=1, seed=0, dataset=self._dataset) if own is None else copy(own)
        count = other.num_workers
        for name, value in (("id", count), ("num_workers", count + 1), ("seed", other.seed + count + 1)):
            object.__setattr__(other, name, value)  # it is frozen
        return other


class _Os(ModuleType):
    """The module `os` with another ``getpid``."""

    def __init__(self, getpid: Callable[[], int]) -> None:
        super().__init__("os", os.__doc__)
        self.getpid = getpid

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)


def _not_ours(name: str, module: ModuleType) -> bool:
    home = name.partition(".")[0]
    return name == "torch.utils.data" or not (home in _LIBRARIES or home.startswith("seedsafe"))


def _users(name: str, module: ModuleType) -> bool:
    file = getattr(module, "__file__", None) or ""
    return _not_ours(name, module) and not ("site-packages" in file or "dist-packages" in file)


_LIBRARIES: Final = {*sys.stdlib_module_names, "numpy", "torch"}
_bound: dict[int, tuple[int, list[tuple[dict[str, Any], str]]]] = {}


def _bindings(thing: Any, has: Callable[[str, ModuleType], bool]) -> list[tuple[dict[str, Any], str]]:
    """Return the names of a thing in modules: each module's dict, and the name in it."""
    count, found = _bound.get(id(thing), (0, []))
    if count != len(sys.modules):  # a look through all of them takes milliseconds
        modules = [(name, one) for name, one in list(sys.modules.items()) if isinstance(one, ModuleType)]
        dicts = [vars(one) for name, one in modules if has(name, one)]
        found = [(names, name) for names in dicts for name, value in list(names.items()) if value is thing]
        _bound[id(thing)] = len(sys.modules), found
    return found
