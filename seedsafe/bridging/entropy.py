"""The seeds of new generators inside regions."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from hashlib import shake_128
from secrets import randbits
from threading import get_ident
from types import SimpleNamespace
from typing import Any, Final, Self

import numpy as np
from numpy.random import bit_generator

from seedsafe.bridging.generators import Stateful
from seedsafe.bridging.turns import turns
from seedsafe.bridging.words import Words
from seedsafe.keys import seeding

__all__ = ["Entropy", "Replayed", "SeedLog", "unseeded_generators"]

_NUMPY: Any = bit_generator
_LEGACY: Any = sys.modules[np.random.MT19937.__module__]
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
        _NUMPY.randbits = self

    def leave(self) -> None:
        """Restore NumPy's own function."""
        _NUMPY.randbits = self.before

    def __call__(self, bits: int) -> int:
        """Return a number of `bits` bits."""
        if not turns.lock._is_owned():  # type: ignore[attr-defined]  # not the region's thread
            number: int = self.before(bits)
            return number
        words = -(-bits // 64)
        raw = self._words.take(_SEGMENT, words, self._blocks)
        self._blocks += -(-words // 4)
        return int.from_bytes(raw, "little") >> (64 * words - bits)


class Replayed:
    """Seeds generators without a seed, as in ``default_rng()``, from numbers that can be repeated, in this thread inside a with statement.

    It replaces NumPy's internal function ``randbits``. The numbers follow from a start, by default the system's entropy.

    Example:
        >>> with Replayed(7) as seeds:
        ...     first = np.random.default_rng().random()
        ...     seeds.state = (7, 0)
        ...     np.random.default_rng().random() == first
        True
    """

    def __init__(self, start: int | None = None) -> None:
        self.state = (randbits(128) if start is None else start, 0)
        """The start, and how many numbers were taken since."""
        self._thread: int | None = None
        self._before: Any = None

    def __enter__(self) -> Self:
        self._thread, self._before = get_ident(), _NUMPY.randbits
        _NUMPY.randbits = self
        return self

    def __exit__(self, *error: object) -> None:
        self._thread = None
        if (
            _NUMPY.randbits is self
        ):  # else another thread's region restores this one, which then passes all on
            _NUMPY.randbits = self._before

    def __call__(self, bits: int) -> int:
        """Return a number of `bits` bits."""
        if get_ident() != self._thread:
            number: int = self._before(bits)
            return number
        start, taken = self.state
        self.state = (start, taken + 1)
        size = -(-bits // 8)
        return int.from_bytes(shake_128(f"{start} {taken}".encode()).digest(size), "little") >> (
            8 * size - bits
        )


class _Unseeded(Stateful):
    """NumPy's generators without a seed, as one generator, whose state is where their seeds come from."""

    def save(self) -> Any:
        return self.thing.state

    def restore(self, state: Any) -> None:
        self.thing.state = state

    def fresh(self, seed: int) -> Any:
        return Replayed(seed)


def unseeded_generators(seeds: Replayed) -> Stateful:
    """Return NumPy's generators without a seed as one generator, whose state is where their seeds come from."""
    return _Unseeded("NumPy's generators without a seed, such as default_rng()", seeds)


class SeedLog:
    """Lists the seeds that this thread passes to new generators of NumPy and `random` inside a with statement.

    It replaces functions that NumPy calls with every seed, and costs too much for every call.

    Args:
        of_globals: whether to list the seeds of the process's generators too. Inside a region they follow the key all the same.
    """

    def __init__(self, *, of_globals: bool = True) -> None:
        self.seeds: set[str] = set()
        self._of_globals = of_globals
        self._thread = get_ident()
        self._before: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> set[str]:
        self._replace(_NUMPY, "_coerce_to_uint32_array", self._listener)
        self._replace(
            _LEGACY,
            "operator",
            lambda module: SimpleNamespace(**vars(module) | {"index": self._listener(module.index)}),
        )
        self._replace(random.Random, "seed", lambda method: self._listener(method, 1))
        seeding.followers.append(self._leave_out)
        return self.seeds

    def __exit__(self, *error: object) -> None:
        seeding.followers.remove(self._leave_out)
        while self._before:
            setattr(*self._before.pop())

    def _replace(self, holder: Any, name: str, wrap: Callable[[Any], Any]) -> None:
        before = getattr(holder, name, None)
        if before is not None:  # another NumPy may not have it
            self._before.append((holder, name, before))
            setattr(holder, name, wrap(before))

    def _leave_out(self, generator: str, seed: Any) -> None:
        if get_ident() == self._thread and not self._of_globals:
            self.seeds.discard(_text_of(seed))

    def _listener(self, function: Any, position: int = 0) -> Any:
        """Return a function that lists its argument at a position and calls `function`."""

        def listen(*arguments: Any, **named: Any) -> Any:
            seed = arguments[position] if position < len(arguments) else named.get("a")
            if (
                get_ident() == self._thread
                and isinstance(seed, _SEEDS)
                and not (isinstance(seed, tuple) and not seed)
            ):
                self.seeds.add(_text_of(seed))
            return function(*arguments, **named)

        return listen


def _text_of(seed: Any) -> str:
    return repr(int(seed) if isinstance(seed, np.integer) else seed)[:60]
