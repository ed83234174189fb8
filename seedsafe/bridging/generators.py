"""The kinds of generators.

A kind is a class, and an object of it stands for one generator. A search and an audit need `generator_of` for what they find,
which leaves out the generators of the process, and `global_generators` for those. ``read``, ``set`` and ``mark`` tell whether
a call has moved one, ``others`` and ``fresh`` try other states, ``key`` is the bridge's.
"""

from __future__ import annotations

import functools
import random
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.random import MT19937, PCG64, PCG64DXSM, SFC64, Generator, Philox, RandomState
from numpy.random.bit_generator import ISeedSequence

from seedsafe.bridging import in_place
from seedsafe.bridging.options import NotReproducible
from seedsafe.bridging.words import Words

if TYPE_CHECKING:
    import numpy.typing as npt  # slow to import: benchmarks/import_time.py

__all__ = [
    "State",
    "Stateful",
    "generator_of",
    "global_generators",
    "is_generator",
    "stateful",
    "the_numpy_global",
    "the_python_global",
]

# The objects that the modules' functions are bound to.
the_python_global: Any = random.random.__self__  # type: ignore[attr-defined]
the_numpy_global: Any = np.random.random.__self__  # type: ignore[attr-defined]

_OTHERS: Final = 128
_END: Final = 3
"""The position of a Mersenne Twister and two of its words: enough of its memory to see a draw."""


class State(NamedTuple):
    """A state of a generator."""

    mark: Any
    """Equal for equal states, and only for those."""
    value: Any
    """The state as the generator's library sets it."""


class Stateful:
    """A generator whose state can be read and set exactly.

    Args:
        name: its name: the path to it, or one for people.
        thing: the library's object.
        segment: the segment of the words that key it.
    """

    def __init__(self, name: str, thing: Any, segment: int = 0) -> None:
        self.name, self.thing, self.segment = name, thing, segment

    @property
    def holder(self) -> Any:
        """The object that holds the state, which several generators may share."""
        return self.thing

    def save(self) -> Any:
        """Return the state for `restore`."""
        raise NotImplementedError

    def restore(self, state: Any) -> None:
        """Set the generator to a saved state."""
        raise NotImplementedError

    def key(self, words: Words) -> None:
        """Set the generator from its segment of the words."""
        raise NotImplementedError

    def memory(self) -> npt.NDArray[np.uint32] | None:
        """Return memory that any draw changes, except one that takes a kept gaussian; None if none is known."""
        return None

    def has_gaussian(self, state: Any) -> bool:
        """Return whether a saved state has a kept gaussian, as half of a pair that was drawn."""
        return False

    def fresh(self, seed: int) -> Any:
        """Return a new generator of this kind, an object of the library."""
        raise NotImplementedError

    def mark_of(self, state: Any) -> Any:
        """Return a value that is equal for equal saved states, and only for those."""
        return state

    def mark(self) -> Any:
        """Return the mark of the present state."""
        return self.mark_of(self.save())

    def read(self) -> State:
        """Return the present state."""
        value = self.save()
        return State(self.mark_of(value), value)

    def set(self, state: State) -> None:
        """Set the generator to a state."""
        self.restore(state.value)

    def others(self) -> Iterator[State]:
        """Yield states of fresh generators of its kind, all different."""
        return (self._other(seed).read() for seed in range(_OTHERS))

    def _other(self, seed: int) -> Any:
        return type(self)("", self.fresh(seed))


class _Uniform(Stateful):
    """A generator that is asked for a number in no time, so that 128 can be tried."""

    def first(self) -> float:
        """Return its next uniform number."""
        return float(self.thing.random())

    def others(self) -> Iterator[State]:
        """Yield states of fresh generators of its kind: first one whose next uniform number is almost 0, and one with almost 1.

        So code that draws once to decide whether to do something does it in one of them and not in the other.
        """
        kind = type(self), type(self.holder), str(getattr(self.thing, "device", ""))
        if kind not in _ends:
            firsts = [self._other(seed).first() for seed in range(_OTHERS)]
            _ends[kind] = int(np.argmin(firsts)), int(np.argmax(firsts))
        seeds = dict.fromkeys((*_ends[kind], *range(_OTHERS)))
        return (self._other(seed).read() for seed in seeds)


_ends: dict[Any, tuple[int, int]] = {}
"""For each kind, the seeds that give the least and the greatest number first."""


class Python(_Uniform):
    """A random.Random, whose state is read and set in memory where that is known."""

    @functools.cached_property
    def _memory(self) -> npt.NDArray[np.uint32] | None:
        is_known = type(self.thing) is random.Random  # another class may keep a state of its own
        return in_place.python_state(self.thing) if is_known else None

    def memory(self) -> npt.NDArray[np.uint32] | None:
        return None if self._memory is None else self._memory[:_END]

    def has_gaussian(self, state: Any) -> bool:
        return state[-1] is not None

    def save(self) -> Any:
        memory = self._memory
        return self.thing.getstate() if memory is None else (memory.copy(), self.thing.gauss_next)

    def restore(self, state: Any) -> None:
        if self._memory is None:
            self.thing.setstate(state)
        else:
            self._memory[...], self.thing.gauss_next = state

    def mark_of(self, state: Any) -> Any:
        return state if self._memory is None else (state[0].tobytes(), state[1])

    def key(self, words: Words) -> None:
        self.thing.seed(words.integer(self.segment, 4))

    def fresh(self, seed: int) -> Any:
        return random.Random(seed)


class _SeedWords:
    """Gives a bit generator its whole state from the words."""

    def __init__(self, words: Words, segment: int) -> None:
        self._words, self.segment = words, segment

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        size = np.dtype(dtype).itemsize
        raw = self._words.take(self.segment, -(-n_words * size // 8))
        return raw.view(f"<u{size}")[:n_words].astype(dtype, copy=False)


ISeedSequence.register(_SeedWords)


_OF_NUMPY: Final = (PCG64, PCG64DXSM, Philox, SFC64)


class _Numpy(_Uniform):
    """A Generator or a bit generator of NumPy."""

    @property
    def holder(self) -> Any:
        return self.thing.bit_generator if isinstance(self.thing, Generator) else self.thing

    def memory(self) -> npt.NDArray[np.uint32] | None:
        bits = self.holder
        if type(bits) is MT19937:
            state = in_place.numpy_state(bits)
            return None if state is None else state[-_END:]
        return in_place.numpy_object(bits) if type(bits) in _OF_NUMPY else None

    def save(self) -> Any:
        return self.holder.state

    def restore(self, state: Any) -> None:
        self.holder.state = state

    def key(self, words: Words) -> None:
        self.restore(type(self.holder)(_SeedWords(words, self.segment)).state)

    def fresh(self, seed: Any) -> Any:
        bits = type(self.holder)(seed)
        return Generator(bits) if isinstance(self.thing, Generator) else bits

    def first(self) -> float:
        return float(Generator(self.holder).random())

    def mark_of(self, state: Any) -> Any:
        if isinstance(state, dict):
            return {name: self.mark_of(part) for name, part in state.items()}
        return state.tobytes() if isinstance(state, np.ndarray) else state


class NumpyLegacy(_Numpy):
    """A RandomState, whose state is read and set in memory where that is known."""

    _kept: Any = None
    _kept_end = b""

    @property
    def holder(self) -> Any:
        return self.thing._bit_generator

    @functools.cached_property
    def _memory(self) -> npt.NDArray[np.uint32] | None:
        is_known = type(self.thing) is RandomState and type(self.holder) is MT19937
        return in_place.numpy_state(self.holder) if is_known else None

    def memory(self) -> npt.NDArray[np.uint32] | None:
        return None if self._memory is None else self._memory[-_END:]

    def has_gaussian(self, state: Any) -> bool:
        return isinstance(state, dict)

    def save(self) -> Any:
        """Return the memory where no gaussian is kept, else the state as the library has it."""
        memory = self._memory
        end = b"" if memory is None else memory[-_END:].tobytes()
        if end != self._kept_end or not end:
            state = self.thing.get_state(legacy=False)  # takes 25 times as long
            if memory is None or state["has_gauss"]:
                return state
            self._kept, self._kept_end = memory.copy(), end
        return self._kept  # what has not moved since then has drawn no gaussian either

    def restore(self, state: Any) -> None:
        if isinstance(state, dict):
            self.thing.set_state(state)
        else:
            self._memory[...] = state  # type: ignore[index]  # as in `save`
            RandomState.__init__(self.thing, self.holder)  # drops a gaussian

    def fresh(self, seed: Any) -> Any:
        return RandomState(super().fresh(seed))

    def key(self, words: Words) -> None:
        if type(self.holder).__name__ == "MT19937":
            self.thing.seed(words.state(self.segment))
        else:
            self.restore(self.fresh(_SeedWords(words, self.segment)).get_state(legacy=False))


class Torch(_Uniform):
    """A torch.Generator."""

    def save(self) -> Any:
        return self.thing.get_state()

    def restore(self, state: Any) -> None:
        self.thing.set_state(state)

    def key(self, words: Words) -> None:
        if self.thing.device.type == "cpu":
            self._fill(words.state(self.segment))
        else:
            self.thing.manual_seed(words.integer(self.segment))

    def _fill(self, halves: npt.NDArray[np.uint32]) -> None:
        """Set the state of a CPU's Mersenne Twister to 624 words: only 32 bits of a seed would have an effect."""
        state, seed, memory = _torch_state()
        memory[...] = halves
        seed[...] = halves[:2]  # torch.initial_seed() returns it
        self.thing.set_state(state)

    def fresh(self, seed: int) -> Any:
        return sys.modules["torch"].Generator(self.thing.device).manual_seed(seed)

    def first(self) -> float:
        return float(sys.modules["torch"].rand(1, generator=self.thing, device=self.thing.device))

    def mark_of(self, state: Any) -> Any:
        return state.numpy().tobytes()


@functools.cache
def _torch_state() -> Any:
    """Return what `in_place.torch_state` returns: one for all generators, since only one thread at a time keys any."""
    torch: Any = sys.modules["torch"]
    result = in_place.torch_state(torch)
    if result is None:  # a seed of 32 bits instead would draw other numbers, without a word
        raise NotReproducible(
            f"torch {torch.__version__} keeps the state of its CPU generator in a layout that a bridge does not know, so "
            f"it cannot set it from a key (expected as in torch 2.13: the seed, then {in_place.STATE} words of a Mersenne Twister): use torch 2.13, "
            "or a newer seedsafe, which may know this one"
        )
    return result


class _TensorFlow(Stateful):
    """A tf.random.Generator."""

    def save(self) -> Any:
        return self.thing.state.numpy()

    def restore(self, state: Any) -> None:
        self.thing.state.assign(state)

    def key(self, words: Words) -> None:
        self.thing.reset_from_seed(words.integer(self.segment) >> 1)

    def fresh(self, seed: int) -> Any:
        return type(self.thing).from_seed(seed, alg=self.thing.algorithm)

    def mark_of(self, state: Any) -> Any:
        return state.tobytes()


class _Keras(_TensorFlow):
    """A SeedGenerator of Keras 3, in any backend: two integers."""

    def save(self) -> Any:
        value = self.thing.state.value
        here = value.detach().cpu() if hasattr(value, "detach") else value  # torch's
        # keras.ops.convert_to_numpy warns with NumPy 2
        return np.array(here.numpy() if hasattr(here, "numpy") else here)

    def key(self, words: Words) -> None:
        seed = words.integer(self.segment)
        self.thing.state.assign(np.array([seed >> 33, seed & 2**31 - 1]))

    def fresh(self, seed: int) -> Any:
        return type(self.thing)(seed)


_KINDS: Final[dict[tuple[str, str], type[Stateful]]] = {
    ("numpy", "Generator"): _Numpy,
    ("numpy", "BitGenerator"): _Numpy,
    ("numpy", "RandomState"): NumpyLegacy,
    ("random", "Random"): Python,
    ("torch", "Generator"): Torch,
    ("keras", "SeedGenerator"): _Keras,
    ("tensorflow", "Generator"): _TensorFlow,
}
"""The kinds by library and class, since only NumPy may be imported here. Their subclasses count."""


@functools.lru_cache(4096)
def _kind_of(cls: Any) -> type[Stateful] | None:
    homes = ((str(one.__module__).partition(".")[0], one.__name__) for one in cls.__mro__)
    return next((_KINDS[home] for home in homes if home in _KINDS), None)


def is_generator(thing: Any) -> bool:
    """Return whether an object is a generator with a state of its own, and none of the process."""
    return generator_of("", thing) is not None


def generator_of(name: str, thing: Any, segment: int = 0) -> Stateful | None:
    """Return a generator, or None for other objects, the generators of the process and those of the system's entropy."""
    cls: Any = type(thing)
    kind = _kind_of(cls)
    if kind is None or thing is the_python_global or thing is the_numpy_global:
        return None
    is_torchs = kind is Torch and thing is getattr(sys.modules["torch"], "default_generator", None)
    return None if is_torchs or isinstance(thing, random.SystemRandom) else kind(name, thing, segment)


def stateful(name: str, thing: Any) -> Stateful | None:
    """Return a generator, which may be a global one, or None if its state cannot be read now."""
    with suppress(Exception):  # another library's subclass, or a graph is being traced
        cls: Any = type(thing)
        if (kind := _kind_of(cls)) is not None:
            result = kind(name, thing)
            result.read()
            return result
    return None


def global_generators() -> list[Stateful]:
    """Return the global generators of the process: Python's, NumPy's, and the CPU generator of torch if torch is loaded."""
    torch = getattr(sys.modules.get("torch"), "default_generator", None)  # None while a thread imports it
    things = (
        ("Python's global generator (random)", the_python_global),
        ("NumPy's global generator (numpy.random)", the_numpy_global),
        ("torch's global generator (torch)", torch),
    )
    return [generator for name, thing in things if (generator := stateful(name, thing)) is not None]
