"""Generators that are stored on a dataset or a transform, as sources: keyed in place, saved, restored and compared."""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
from numpy.random import BitGenerator, Generator, RandomState
from numpy.random.bit_generator import ISeedSequence

from seedsafe.bridging.frameworks import fill_torch
from seedsafe.bridging.hooks import Hook
from seedsafe.bridging.sources import Source, the_numpy_global
from seedsafe.bridging.twister import torch_state
from seedsafe.bridging.words import Words

__all__ = ["Hooked", "generator_source"]


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


class _OfKeras(_Stored):
    """A SeedGenerator of Keras 3, in whatever backend: two integers."""

    def save(self) -> Any:
        return np.array(sys.modules["keras"].ops.convert_to_numpy(self._thing.state))

    def key(self, words: Words) -> None:
        seed = words.integer(self._segment)
        self._thing.state.assign(np.array([seed >> 33, seed & 2**31 - 1]))

    def restore(self, saved: Any) -> None:
        self._thing.state.assign(saved)

    def mark(self) -> Any:
        return self.save().tobytes()


class _OfTensorFlow(_Stored):
    """A tf.random.Generator."""

    def save(self) -> Any:
        return self._thing.state.numpy()

    def key(self, words: Words) -> None:
        self._thing.reset_from_seed(words.integer(self._segment) >> 1)

    def restore(self, saved: Any) -> None:
        self._thing.state.assign(saved)

    def mark(self) -> Any:
        return self.save().tobytes()


class Hooked(_Stored):
    """An object that is told by a hook; what it had before is not known, and not restored."""

    def __init__(self, name: str, thing: Any, segment: int, hook: Hook) -> None:
        super().__init__(name, thing, segment)
        self._hook = hook
        self._given: Any = ()

    def save(self) -> Any:
        """Return nothing."""
        return None

    def key(self, words: Words) -> None:
        """Call the hook with a generator of the words."""
        rng = words.generator(self._segment)
        given = self._hook(self._thing, rng)
        self._given = given if isinstance(given, tuple) else ()

    def restore(self, saved: Any) -> None:
        """Leave it as it is."""

    def mark(self) -> Any:
        """Return the states of the generators that it was given."""
        return [
            g.getstate() if isinstance(g, random.Random) else repr(g.bit_generator.state) for g in self._given
        ]


def generator_source(path: str, thing: Any, segment: int) -> Source | None:
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
    for library, name, source in (
        ("keras", "SeedGenerator", _OfKeras),
        ("tensorflow", "Generator", _OfTensorFlow),
    ):
        kind = getattr(getattr(sys.modules.get(library), "random", None), name, None)
        if isinstance(kind, type) and isinstance(thing, kind):
            return source(path, thing, segment)
    return None
