"""The states of generators: read, set, compared."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.random import BitGenerator, Generator, RandomState

from seedsafe.bridging.entropy import Replayed
from seedsafe.bridging.search import generators_in
from seedsafe.bridging.sources import generator_source, the_numpy_global, the_python_global

__all__ = ["State", "Stateful", "global_generators", "held_generators", "unseeded_generators"]

_TRIED: Final = 128
"""So many seeds are tried for states whose first number is small or large."""

_MOST_OBJECTS: Final = 5_000
_MOST_SECONDS: Final = 0.5
_MOST_HELD: Final = 64


class State(NamedTuple):
    """A state of a generator."""

    mark: Any
    """Equal for equal states, and only for those."""
    value: Any
    """The state as the generator's library sets it."""


class Stateful:
    """A generator whose state can be read and set exactly.

    Args:
        name: its name for people.
        read: returns its state.
        write: sets it to the value of a state.
        fresh: returns a new generator of its kind for a seed, as a Stateful; None if there is no such thing.
        first: returns the generator's next uniform number; None if drawing one takes too long to try many.
        kind: equal for generators whose states depend on a seed in the same way.
    """

    def __init__(
        self,
        name: str,
        read: Callable[[], State],
        write: Callable[[Any], None],
        fresh: Callable[[int], Stateful],
        first: Callable[[], float] | None,
        kind: Any,
    ) -> None:
        self.name, self.read, self.kind = name, read, kind
        self._write, self._fresh, self.first = write, fresh, first

    def set(self, state: State) -> None:
        """Set the generator to a state."""
        self._write(state.value)

    def others(self) -> Iterator[State]:
        """Yield states of generators of its kind, all different.

        If the kind has `first`, in the first two the next uniform number is almost 0 and almost 1, so code that draws once to decide whether to do something
        does it in one of them and not in the other.
        """
        for seed in range(_TRIED) if self.first is None else _seeds(self.kind, self._fresh):
            yield self._fresh(seed).read()


_known_seeds: dict[Any, list[int]] = {}


def _seeds(kind: Any, fresh: Callable[[int], Stateful]) -> list[int]:
    """Return seeds in the order of `Stateful.others`."""
    if kind not in _known_seeds:
        firsts = [fresh(seed).first() for seed in range(_TRIED)]  # type: ignore[misc]  # not None, as in `others`
        by_first = sorted(range(_TRIED), key=firsts.__getitem__)
        ends = [by_first[0], by_first[-1], by_first[_TRIED // 2]]
        _known_seeds[kind] = ends + [seed for seed in range(_TRIED) if seed not in ends]
    return _known_seeds[kind]


def _of_python(name: str, thing: Any) -> Stateful:
    def read() -> State:
        state = thing.getstate()
        return State(state, state)

    return Stateful(
        name, read, thing.setstate, lambda seed: _of_python("", random.Random(seed)), thing.random, "Random"
    )


def _of_legacy_numpy(name: str, thing: Any) -> Stateful:
    def read() -> State:
        state = thing.get_state(legacy=False)
        return State(_marked(state), state)

    kind = type(thing._bit_generator)
    return Stateful(
        name,
        read,
        thing.set_state,
        lambda seed: _of_legacy_numpy("", RandomState(kind(seed))),
        thing.random_sample,
        ("RandomState", kind),
    )


def _of_numpy(name: str, thing: Any) -> Stateful:
    bits: Any = thing.bit_generator if isinstance(thing, Generator) else thing
    kind: Any = type(bits)

    def read() -> State:
        state = bits.state
        return State(_marked(state), state)

    def write(state: Any) -> None:
        bits.state = state

    def first() -> float:
        return float(Generator(bits).random())

    return Stateful(name, read, write, lambda seed: _of_numpy("", kind(seed)), first, kind)


def _marked(state: Any) -> Any:
    """Return the state of a generator of NumPy without arrays, to compare it."""
    if isinstance(state, dict):
        return {name: _marked(part) for name, part in state.items()}
    return state.tobytes() if isinstance(state, np.ndarray) else state


def _of_torch(name: str, thing: Any) -> Stateful:
    torch: Any = sys.modules["torch"]

    def read() -> State:
        state = thing.get_state()
        return State(state.numpy().tobytes(), state)

    def first() -> float:
        return float(torch.rand(1, generator=thing, device=thing.device))

    def fresh(seed: int) -> Stateful:
        return _of_torch("", torch.Generator(thing.device).manual_seed(seed))

    return Stateful(name, read, thing.set_state, fresh, first, ("torch", str(thing.device)))


def _of_library(name: str, thing: Any, fresh: Callable[[int], Any]) -> Stateful:
    source = generator_source(name, thing, 0)
    assert source is not None

    def read() -> State:
        return State(source.mark(), source.save())

    kind = type(thing)
    return Stateful(name, read, source.restore, lambda seed: _of_library("", fresh(seed), fresh), None, kind)


def _stateful(name: str, thing: Any) -> Stateful | None:
    """Return a generator with its state, or None for one without a state that can be read now."""
    with suppress(Exception):  # another library's subclass, or a graph is being traced
        result = _by_kind(name, thing)
        result.read()
        return result
    return None


def _by_kind(name: str, thing: Any) -> Stateful:
    if isinstance(thing, random.Random):
        return _of_python(name, thing)
    if isinstance(thing, RandomState):
        return _of_legacy_numpy(name, thing)
    if isinstance(thing, Generator | BitGenerator):
        return _of_numpy(name, thing)
    if isinstance(thing, getattr(sys.modules.get("torch"), "Generator", ())):
        return _of_torch(name, thing)
    kind: Any = type(thing)
    if hasattr(kind, "from_seed"):  # tf.random.Generator
        return _of_library(name, thing, lambda seed: kind.from_seed(seed, alg=thing.algorithm))
    return _of_library(name, thing, kind)  # Keras's SeedGenerator


def global_generators() -> list[Stateful]:
    """Return the global generators of the process: Python's, NumPy's, and the CPU generator of torch if torch is loaded."""
    things = [
        ("Python's global generator (random)", the_python_global),
        ("NumPy's global generator (numpy.random)", the_numpy_global),
    ]
    torch = getattr(sys.modules.get("torch"), "default_generator", None)  # None while a thread imports it
    if torch is not None:
        things.append(("torch's global generator (torch)", torch))
    return [generator for name, thing in things if (generator := _stateful(name, thing)) is not None]


def unseeded_generators(seeds: Replayed) -> Stateful:
    """Return NumPy's generators without a seed as one generator, whose state is where their seeds come from."""

    def read() -> State:
        return State(seeds.state, seeds.state)

    def write(state: Any) -> None:
        seeds.state = state

    name = "NumPy's generators without a seed, such as default_rng()"
    return Stateful(name, read, write, lambda seed: unseeded_generators(Replayed(seed)), None, "unseeded")


def held_generators(root: Any, name: str, leaves_out: Callable[[Any], bool] | None = None) -> list[Stateful]:
    """Return the generators that an object holds, as a bridge's search finds them, nearest first.

    The search ends after 5,000 objects, half a second, or 64 generators.

    Args:
        root: the object.
        name: the object's name, with which the names of its generators begin: "base" gives "base.transform.rng".
        leaves_out: returns whether to leave out the generators that an object inside holds itself.
    """
    found = generators_in(root, _MOST_OBJECTS, _MOST_SECONDS, _MOST_HELD, leaves_out)
    named = [(f"{name}{path} (a {type(thing).__qualname__})", thing) for path, thing in found]
    return [generator for name, thing in named if (generator := _stateful(name, thing)) is not None]
