"""The process's generators and hooked objects."""

from __future__ import annotations

import sys
from typing import Any, Final, Protocol

import numpy as np
from numpy.random import MT19937

from seedsafe.bridging.generators import (
    NumpyLegacy,
    Python,
    Torch,
    generator_of,
    the_numpy_global,
    the_python_global,
)
from seedsafe.bridging.in_place import STATE, numpy_state
from seedsafe.bridging.options import LIBRARIES, Bridge, Hook
from seedsafe.bridging.words import Words
from seedsafe.keys import seeding

__all__ = ["HookSource", "Source", "globals_for", "renew_numpy"]


class Source(Protocol):
    """A generator that a bridge keys."""

    name: str

    def save(self) -> Any:
        """Return the state for `restore`."""

    def key(self, words: Words) -> None:
        """Set the generator from its segment of the words."""

    def restore(self, state: Any) -> None:
        """Set the generator back to a saved state."""

    def mark(self) -> Any:
        """Return a value that is equal for equal states of the generator, and only then. It may advance the generator."""


class PythonRandom(Python):
    """The generator of `random`."""

    def __init__(self) -> None:
        super().__init__("random", the_python_global)
        self._words: Any = None if self._memory is None else self._memory[1:]

    def key(self, words: Words) -> None:
        memory = self._memory
        if memory is None:
            self.restore((3, (*words.head(0).tolist(), STATE), None))
        else:
            self._words[...] = words.head(0)
            memory[0] = STATE
            the_python_global.gauss_next = None


class _AnyState:
    """Stands in for a bit generator while `_has_gaussian` looks, because its state is slow to read."""

    state: Any = {"bit_generator": "none"}  # noqa: RUF012  # constant


class NumpyGlobal(NumpyLegacy):
    """NumPy's legacy global generator: its bit generator is replaced by one of ours."""

    def __init__(self) -> None:
        super().__init__("numpy.random", the_numpy_global)
        self._depth = 0
        self._ours: list[tuple[MT19937, Any, Any]] = []
        self._last: Any = None

    def save(self) -> Any:
        bits: Any = np.random.get_bit_generator()  # type: ignore[attr-defined]  # since NumPy 1.24
        if bits is _AnyState:  # a signal handler has interrupted `_has_gaussian`
            bits = the_numpy_global._bit_generator = self._last
        self._last = bits
        state = self.thing.get_state(legacy=False) if _has_gaussian() else None
        depth = self._depth
        self._depth = depth + 1
        return bits, state, depth

    def renew(self) -> None:
        """Drop the bit generators that another thread was using at the fork."""
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
        if memory is None:
            bits.state = {"bit_generator": "MT19937", "state": {"key": words.head(1), "pos": STATE}}
        else:
            state[...] = words.head(1)
            memory[STATE] = STATE

    def restore(self, state: Any) -> None:
        bits, legacy, self._depth = state
        np.random.set_bit_generator(bits)  # type: ignore[attr-defined]
        if legacy is not None:
            super().restore(legacy)

    def mark(self) -> Any:
        bits: Any = np.random.get_bit_generator()  # type: ignore[attr-defined]
        memory = next((memory for ours, memory, _ in self._ours if ours is bits), None)
        if memory is None or _has_gaussian():
            return self.mark_of(self.thing.get_state(legacy=False))  # takes 10 times as long
        return memory.tobytes()


def _has_gaussian() -> bool:
    """Return whether the global generator keeps a gaussian for the next call. A replaced bit generator would lose it."""
    the_global = the_numpy_global
    try:
        bits = the_global._bit_generator
        the_global._bit_generator = _AnyState
        try:
            state = the_global.get_state(legacy=False)
        finally:
            the_global._bit_generator = bits
        return bool(state["has_gauss"])
    except (AttributeError, KeyError, TypeError):
        return True  # unknown: save everything


class TorchCPU(Torch):
    """torch's CPU generator."""

    def __init__(self, torch: Any) -> None:
        super().__init__("torch", torch.default_generator)
        self._threads, self._set_threads = torch.get_num_threads, torch.set_num_threads

    def key(self, words: Words) -> None:
        self._fill(words.head(2))


class OneThread(TorchCPU):
    """torch's CPU generator, with a single thread for torch's operations, as in the workers of its DataLoader.

    The last bits of sums and Fourier transforms depend on the number of threads.
    """

    def save(self) -> Any:
        return self.thing.get_state(), self._threads()

    def key(self, words: Words) -> None:
        if self._threads() != 1:
            self._set_threads(1)
        self._fill(words.head(2))

    def restore(self, state: Any) -> None:
        generator, threads = state
        self.thing.set_state(generator)
        if threads != 1:
            self._set_threads(threads)

    def mark(self) -> Any:
        return self.mark_of(super().save())


class OpenCV:
    """OpenCV's generator of this thread: 32 bits, and unreadable."""

    name = "cv2"

    def __init__(self, cv2: Any) -> None:
        self._cv2 = cv2

    def save(self) -> Any:
        return self._draw(1)[0]

    def key(self, words: Words) -> None:
        self._cv2.setRNGSeed(words.integer(0) % 2**32 - 2**31)

    def restore(self, state: Any) -> None:
        self._cv2.setRNGSeed(int(state))

    def mark(self) -> Any:
        return self._draw(8).tobytes()

    def _draw(self, n: int) -> Any:
        return self._cv2.randu(np.empty((1, n), np.int32), -(2**31), 2**31 - 1)[0]


class TensorFlow:
    """TensorFlow's global seed, which seeds every operation that has no seed of its own."""

    name = "tensorflow"

    def __init__(self, tensorflow: Any) -> None:
        self._set = tensorflow.random.set_seed
        context = sys.modules.get("tensorflow.python.eager.context")
        if context is None:
            raise RuntimeError(
                f"a bridge cannot read the global seed of TensorFlow {tensorflow.__version__}, and so cannot restore it: use "
                "TensorFlow 2.18 to 2.21"
            )
        self._context = context.context()

    def save(self) -> Any:
        return self._context._seed, getattr(self._context, "_rng", None)

    def key(self, words: Words) -> None:
        self._set(words.integer(1) >> 1)

    def restore(self, state: Any) -> None:
        self._context._seed, rng = state
        if rng is None:
            vars(self._context).pop("_rng", None)  # without a seed TensorFlow has none
        else:
            self._context._rng = rng

    def mark(self) -> Any:
        rng = getattr(self._context, "_rng", None)
        return None if rng is None else rng.getstate()


class Cuda:
    """The generators of all CUDA devices, with a seed of 64 bits."""

    name = "torch.cuda"

    def __init__(self, torch: Any) -> None:
        self._cuda = torch.cuda

    def save(self) -> Any:
        return self._cuda.get_rng_state_all()

    def key(self, words: Words) -> None:
        self._cuda.manual_seed_all(words.integer(2))

    def restore(self, state: Any) -> None:
        self._cuda.set_rng_state_all(state)

    def mark(self) -> Any:
        return [state.numpy().tobytes() for state in self._cuda.get_rng_state_all()]


class HookSource:
    """An object that a hook seeds. Its earlier state is unknown and is not restored."""

    def __init__(self, name: str, thing: Any, segment: int, hook: Hook) -> None:
        self.name, self._thing, self.segment, self._hook = name, thing, segment, hook
        self._generators: Any = ()
        self._seed = {name: value for name, value in getattr(thing, "__dict__", {}).items() if name == "seed"}

    def save(self) -> Any:
        """Return None."""
        return None

    def key(self, words: Words) -> None:
        """Call the hook with a generator at the segment."""
        for name, value in self._seed.items():
            # ultralytics seeds what has another seed than torch, so the second of two reads of one key would not be seeded.
            setattr(self._thing, name, value)
        result = self._hook(self._thing, words.generator(self.segment))
        self._generators = result if isinstance(result, tuple) else ()

    def restore(self, state: Any) -> None:
        """Do nothing."""

    def mark(self) -> Any:
        """Return the states of the generators that the hook passed to the object."""
        found = (generator_of("", thing) for thing in self._generators)
        return [generator.mark() for generator in found if generator is not None]


_numpy = NumpyGlobal()
_usual: tuple[Source, ...] = (PythonRandom(), _numpy)
_OPTIONAL: Final[dict[str, Any]] = {"opencv": OpenCV, "tensorflow": TensorFlow, "cuda": Cuda}
_cache: dict[tuple[bool, ...], tuple[Source, ...]] = {}


def globals_for(options: Bridge, *, one_thread: bool = False) -> tuple[Source, ...]:
    """Return the generators of the process that these options key, as far as their libraries are loaded.

    Args:
        options: see Bridge.
        one_thread: let torch work with a single thread inside the region.
    """
    wanted = (options.opencv, options.tensorflow, options.cuda, one_thread)
    result = _cache.get(wanted)
    if result is not None:
        return result
    torch = sys.modules.get("torch")
    ready = hasattr(torch, "default_generator") and hasattr(torch, "cuda")  # else a thread is importing it
    sources = _usual
    if ready:
        sources = (*sources, (OneThread if one_thread else TorchCPU)(torch))
    options.require()
    for option, kind in _OPTIONAL.items():
        if getattr(options, option):
            sources = (*sources, kind(sys.modules[LIBRARIES[option]]))
    if ready:
        _cache[wanted] = sources  # torch is the last one that can be added
        seeding.listen()
    return sources


def renew_numpy() -> None:
    """Repair NumPy's global generator in a process that was forked while another thread was keying it."""
    _numpy.renew()
