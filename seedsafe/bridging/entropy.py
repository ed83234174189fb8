"""The seeds of new generators inside regions."""

from __future__ import annotations

import functools
import random
from hashlib import shake_128
from secrets import randbits
from threading import get_ident
from typing import Any, Final, Self

import numpy as np
from numpy.random import bit_generator

from seedsafe.bridging.generators import Stateful
from seedsafe.bridging.regions import regions
from seedsafe.bridging.words import Words
from seedsafe.keys import seeding

__all__ = ["Entropy", "Replayed", "SeedLog"]

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
