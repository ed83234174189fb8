"""Entropy: what NumPy's generators are seeded with that are made without a seed, or with one, inside a region."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from secrets import randbits
from threading import get_ident
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
from numpy.random import bit_generator

from seedsafe.bridging.turns import turns
from seedsafe.bridging.words import Words

__all__ = ["Entropy", "SeedsMade"]

_NUMPY: Any = bit_generator
_LEGACY: Any = sys.modules[np.random.MT19937.__module__]
_SEEDS = (int, str, bytes, float, list, tuple, np.integer)

if not hasattr(
    _NUMPY, "randbits"
):  # a NumPy that asks another function: what is made without a seed is left to the checks
    _NUMPY.randbits = randbits

_SEGMENT: Final = 2**32
"""Its words begin far behind those of all other segments."""


class Entropy:
    """Gives the words of a region to the generators that its thread makes without a seed: ``default_rng()``.

    NumPy asks a function of a module of its own for them, ``randbits``, which this takes the place of. Other
    threads go on with the system's entropy.
    """

    __slots__ = ("_blocks", "_words", "before")

    def __init__(self, words: Words) -> None:
        self._words = words
        self._blocks = 0
        self.before: Any = _NUMPY.randbits
        """The function whose place it has taken."""
        _NUMPY.randbits = self

    def leave(self) -> None:
        """Restore NumPy's own function."""
        _NUMPY.randbits = self.before

    def __call__(self, bits: int) -> int:
        """Return a number of so many bits."""
        if not turns.lock._is_owned():  # type: ignore[attr-defined]  # another thread than the region's
            number: int = self.before(bits)
            return number
        words = -(-bits // 64)
        taken = self._words.take(_SEGMENT, words, self._blocks)
        self._blocks += -(-words // 4)
        return int.from_bytes(taken, "little") >> (64 * words - bits)


class SeedsMade:
    """Lists the seeds that this thread gives to new generators of NumPy's and of `random` inside a with statement.

    It takes the place of functions that NumPy calls with every seed, and so costs too much for every call.
    """

    def __init__(self) -> None:
        self.seeds: set[str] = set()
        self._before: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> set[str]:
        self._replace(_NUMPY, "_coerce_to_uint32_array", self._noting)
        self._replace(
            _LEGACY,
            "operator",
            lambda module: SimpleNamespace(**vars(module) | {"index": self._noting(module.index)}),
        )
        self._replace(random.Random, "seed", lambda method: self._noting(method, 1))
        return self.seeds

    def __exit__(self, *error: object) -> None:
        while self._before:
            setattr(*self._before.pop())

    def _replace(self, holder: Any, name: str, made: Callable[[Any], Any]) -> None:
        before = getattr(holder, name, None)
        if before is not None:  # as NumPy has it today
            self._before.append((holder, name, before))
            setattr(holder, name, made(before))

    def _noting(self, function: Any, place: int = 0) -> Any:
        """Return a function that lists the argument at a place before it is passed on."""
        thread = get_ident()

        def noted(*arguments: Any, **named: Any) -> Any:
            seed = arguments[place] if place < len(arguments) else named.get("a")
            if (
                get_ident() == thread
                and isinstance(seed, _SEEDS)
                and not (isinstance(seed, tuple) and not seed)
            ):
                self.seeds.add(repr(int(seed) if isinstance(seed, np.integer) else seed)[:60])
            return function(*arguments, **named)

        return noted
