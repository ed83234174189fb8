"""The generators of the process: each can be keyed, saved, restored, and compared."""

from __future__ import annotations

import random
import sys
from typing import Any, Protocol

import numpy as np
from numpy.random import MT19937

from seedsafe.bridging.frameworks import asked_for, of_torch
from seedsafe.bridging.options import Bridge
from seedsafe.bridging.twister import numpy_state, python_state
from seedsafe.bridging.words import STATE, Words

__all__ = ["Source", "globals_for", "renew_numpy", "the_numpy_global"]

the_python_global: Any = random.random.__self__  # type: ignore[attr-defined]  # what the module's functions are bound to
the_numpy_global: Any = np.random.random.__self__  # type: ignore[attr-defined]  # what NumPy's functions are bound to


class Source(Protocol):
    """A generator that a bridge keys."""

    name: str

    def save(self) -> Any:
        """Return what `restore` needs."""

    def key(self, words: Words) -> None:
        """Set the generator from its segment of the words."""

    def restore(self, saved: Any) -> None:
        """Set the generator back."""

    def mark(self) -> Any:
        """Return something that is equal exactly where the generator's state is; the state may move on."""


class PythonRandom:
    """The generator of `random`."""

    name = "random"

    def __init__(self) -> None:
        memory = self._memory = python_state(the_python_global)
        self._state: Any = None if memory is None else memory[1:]

    def save(self) -> Any:
        if self._memory is None:
            return random.getstate()
        return self._memory.copy(), the_python_global.gauss_next

    def key(self, words: Words) -> None:
        memory = self._memory
        if memory is None:
            random.setstate((3, (*words.head(0).tolist(), STATE), None))
        else:
            self._state[...] = words.head(0)
            memory[0] = STATE
            the_python_global.gauss_next = None

    def restore(self, saved: Any) -> None:
        if self._memory is None:
            random.setstate(saved)
        else:
            self._memory[:], the_python_global.gauss_next = saved

    def mark(self) -> Any:
        return random.getstate()


class _AnyState:
    """Stands in for a bit generator whose state costs much to read."""

    state: Any = {"bit_generator": "none"}  # noqa: RUF012  # never changed


class NumpyGlobal:
    """NumPy's legacy global generator: its bit generator is exchanged for one of ours."""

    name = "numpy.random"

    def __init__(self) -> None:
        self._depth = 0
        self._ours: list[tuple[MT19937, Any, Any]] = []
        self._last: Any = None

    def save(self) -> Any:
        bits = self._last = np.random.get_bit_generator()  # type: ignore[attr-defined]  # since NumPy 1.24
        state = np.random.get_state(legacy=False) if _gaussian_cached() else None
        self._depth += 1
        return bits, state

    def renew(self) -> None:
        """Forget the bit generators that a thread of the parent process may have been drawing from."""
        self._depth = 0
        self._ours = []
        bits: Any = np.random.get_bit_generator()  # type: ignore[attr-defined]
        if bits is _AnyState:
            np.random.set_bit_generator(self._last)  # type: ignore[attr-defined]

    def key(self, words: Words) -> None:
        while len(self._ours) <= self._depth:  # one for each level of nesting
            bits = MT19937(0)
            memory = numpy_state(bits)
            self._ours.append((bits, memory, None if memory is None else memory[:STATE]))
        bits, memory, state = self._ours[self._depth]
        np.random.set_bit_generator(bits)  # type: ignore[attr-defined]  # drops a cached gaussian
        if state is None:
            bits.state = {"bit_generator": "MT19937", "state": {"key": words.head(1), "pos": STATE}}
        else:
            state[...] = words.head(1)
            memory[STATE] = STATE

    def restore(self, saved: Any) -> None:
        self._depth -= 1
        bits, state = saved
        np.random.set_bit_generator(bits)  # type: ignore[attr-defined]
        if state is not None:
            np.random.set_state(state)

    def mark(self) -> Any:
        state = np.random.get_state(legacy=False)
        told = state["state"]
        return {name: part.tobytes() if isinstance(part, np.ndarray) else part for name, part in told.items()}


def _gaussian_cached() -> bool:
    """Return whether the global generator keeps a gaussian for later, which an exchange would drop."""
    the_global = the_numpy_global
    try:
        bits = the_global._bit_generator
        the_global._bit_generator = _AnyState
        try:
            return bool(the_global.get_state(legacy=False)["has_gauss"])
        finally:
            the_global._bit_generator = bits
    except (AttributeError, KeyError, TypeError):
        return True  # unknown: save everything


_numpy = NumpyGlobal()
_usual: tuple[Source, ...] = (PythonRandom(), _numpy)
_made: dict[tuple[bool, ...], tuple[Source, ...]] = {}
_torch: dict[bool, Source] = {}


def globals_for(options: Bridge, *, one_thread: bool = False) -> tuple[Source, ...]:
    """Return the generators of the process that these options key, of what has been loaded by now.

    Args:
        options: see Bridge.
        one_thread: torch works with one thread meanwhile.
    """
    asked = (options.opencv, options.tensorflow, options.cuda, one_thread)
    made = _made.get(asked)
    if made is not None:
        return made
    torch = sys.modules.get("torch")
    ready = hasattr(torch, "default_generator") and hasattr(torch, "cuda")  # else a thread imports it
    sources = _usual
    if ready:
        if one_thread not in _torch:
            _torch[one_thread] = of_torch(torch, one_thread=one_thread)
        sources = (*sources, _torch[one_thread])
    if any(asked[:3]):
        options.require()
        sources = (*sources, *asked_for(options))
    if ready:
        _made[asked] = sources  # nothing can be added any more
    return sources


def renew_numpy() -> None:
    """Let NumPy's global generator be keyed anew, in a process forked while another thread was keying it."""
    _numpy.renew()
