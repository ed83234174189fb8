"""The generators that a bridge keys."""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.random import MT19937, BitGenerator, Generator, RandomState
from numpy.random.bit_generator import ISeedSequence

from seedsafe.bridging.hooks import Hook
from seedsafe.bridging.in_place import STATE, numpy_state, python_state, torch_state
from seedsafe.bridging.options import Bridge
from seedsafe.bridging.words import Words
from seedsafe.keys import seeding

if TYPE_CHECKING:
    import numpy.typing as npt  # slow to import: benchmarks/import_time.py

__all__ = [
    "HookSource",
    "Source",
    "generator_source",
    "globals_for",
    "renew_numpy",
    "the_numpy_global",
]


class TorchCPU:
    """A generator of torch, by default its CPU generator. Its whole state is set: only 32 bits of a seed have an effect."""

    name = "torch"

    def __init__(self, torch: Any, generator: Any = None) -> None:
        self._generator = torch.default_generator if generator is None else generator
        self._memory = torch_state(torch) if self._generator.device.type == "cpu" else None

    def save(self) -> Any:
        return self._generator.get_state()

    def key(self, words: Words) -> None:
        self._fill(words.head(2))

    def _fill(self, halves: npt.NDArray[np.uint32]) -> None:
        """Set it to a Mersenne Twister's state."""
        if self._memory is None:
            self._generator.manual_seed(int(halves[0]) | int(halves[1]) << 32)
            return
        state, seed, memory = self._memory
        memory[...] = halves
        seed[...] = halves[:2]  # torch.initial_seed() returns it
        self._generator.set_state(state)

    def restore(self, state: Any) -> None:
        self._generator.set_state(state)

    def mark(self) -> Any:
        return self._generator.get_state().numpy().tobytes()


class OneThread(TorchCPU):
    """torch's CPU generator, with a single thread for torch's operations, as in the workers of its DataLoader.

    The last bits of sums and Fourier transforms depend on the number of threads.
    """

    def __init__(self, torch: Any) -> None:
        super().__init__(torch)
        self._threads, self._set_threads = torch.get_num_threads, torch.set_num_threads

    def save(self) -> Any:
        return super().save(), self._threads()

    def key(self, words: Words) -> None:
        if self._threads() != 1:
            self._set_threads(1)
        super().key(words)

    def restore(self, state: Any) -> None:
        generator, threads = state
        super().restore(generator)
        if threads != 1:
            self._set_threads(threads)


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
            del self._context._rng  # without a seed TensorFlow has none
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


# The objects that the modules' functions are bound to.
the_python_global: Any = random.random.__self__  # type: ignore[attr-defined]
the_numpy_global: Any = np.random.random.__self__  # type: ignore[attr-defined]


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

    def restore(self, state: Any) -> None:
        if self._memory is None:
            random.setstate(state)
        else:
            self._memory[:], the_python_global.gauss_next = state

    def mark(self) -> Any:
        return random.getstate()


class _AnyState:
    """Stands in for a bit generator while `_has_gaussian` looks, because its state is slow to read."""

    state: Any = {"bit_generator": "none"}  # noqa: RUF012  # constant


class NumpyGlobal:
    """NumPy's legacy global generator: its bit generator is replaced by one of ours."""

    name = "numpy.random"

    def __init__(self) -> None:
        self._depth = 0
        self._ours: list[tuple[MT19937, Any, Any]] = []
        self._last: Any = None

    def save(self) -> Any:
        bits: Any = np.random.get_bit_generator()  # type: ignore[attr-defined]  # since NumPy 1.24
        if bits is _AnyState:  # a signal handler has interrupted `_has_gaussian`
            bits = the_numpy_global._bit_generator = self._last
        self._last = bits
        state = np.random.get_state(legacy=False) if _has_gaussian() else None
        self._depth += 1
        return bits, state

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
        if state is None:
            bits.state = {"bit_generator": "MT19937", "state": {"key": words.head(1), "pos": STATE}}
        else:
            state[...] = words.head(1)
            memory[STATE] = STATE

    def restore(self, state: Any) -> None:
        self._depth -= 1
        bits, legacy = state
        np.random.set_bit_generator(bits)  # type: ignore[attr-defined]
        if legacy is not None:
            np.random.set_state(legacy)

    def mark(self) -> Any:
        return _comparable(np.random.get_state(legacy=False))


def _comparable(state: Any) -> Any:
    """Return the state of a legacy generator without arrays, to compare it."""
    inner = state["state"]
    if not isinstance(inner, dict):
        return inner
    return {name: part.tobytes() if isinstance(part, np.ndarray) else part for name, part in inner.items()}


def _has_gaussian() -> bool:
    """Return whether the global generator keeps a gaussian for the next call. A replaced bit generator would lose it."""
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
_cache: dict[tuple[bool, ...], tuple[Source, ...]] = {}
_torch: dict[bool, Source] = {}


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
        if one_thread not in _torch:
            _torch[one_thread] = (OneThread if one_thread else TorchCPU)(torch)
        sources = (*sources, _torch[one_thread])
    if any(wanted[:3]):
        options.require()
        if options.opencv:
            sources = (*sources, OpenCV(sys.modules["cv2"]))
        if options.tensorflow:
            sources = (*sources, TensorFlow(sys.modules["tensorflow"]))
        if options.cuda:
            sources = (*sources, Cuda(sys.modules["torch"]))
    if ready:
        _cache[wanted] = sources  # torch is the last one that can be added
        seeding.listen()
    return sources


def renew_numpy() -> None:
    """Repair NumPy's global generator in a process that was forked while another thread was keying it."""
    _numpy.renew()


class _Words:
    """Gives a bit generator its whole state from the words."""

    def __init__(self, words: Words, segment: int) -> None:
        self._words, self._segment = words, segment

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        size = np.dtype(dtype).itemsize
        raw = self._words.take(self._segment, -(-n_words * size // 8))
        return raw.view(f"<u{size}")[:n_words].astype(dtype, copy=False)


ISeedSequence.register(_Words)


class _OwnGenerator:
    """A generator of the user, keyed in place."""

    def __init__(self, name: str, thing: Any, segment: int) -> None:
        self.name, self._thing, self._segment = name, thing, segment


class _OfNumpy(_OwnGenerator):
    """A Generator or a bit generator."""

    def __init__(self, name: str, thing: Any, segment: int) -> None:
        super().__init__(name, thing, segment)
        self._bits: BitGenerator = thing.bit_generator if isinstance(thing, Generator) else thing

    def save(self) -> Any:
        return self._bits.state

    def key(self, words: Words) -> None:
        self._bits.state = type(self._bits)(_Words(words, self._segment)).state  # type: ignore[arg-type]

    def restore(self, state: Any) -> None:
        self._bits.state = state

    def mark(self) -> Any:
        return repr(self._bits.state)


class _OfLegacyNumpy(_OwnGenerator):
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

    def restore(self, state: Any) -> None:
        self._thing.set_state(state)

    def mark(self) -> Any:
        return _comparable(self._thing.get_state(legacy=False))


class _OfPython(_OwnGenerator):
    """A random.Random."""

    def save(self) -> Any:
        return self._thing.getstate()

    def key(self, words: Words) -> None:
        self._thing.seed(words.integer(self._segment, 4))

    def restore(self, state: Any) -> None:
        self._thing.setstate(state)

    def mark(self) -> Any:
        return self._thing.getstate()


class _OfTorch(TorchCPU):
    """A torch.Generator."""

    def __init__(self, name: str, thing: Any, segment: int) -> None:
        super().__init__(sys.modules["torch"], thing)
        self.name, self._segment = name, segment

    def key(self, words: Words) -> None:
        self._fill(words.state(self._segment))


class _OfTensorFlow(_OwnGenerator):
    """A tf.random.Generator."""

    def save(self) -> Any:
        return self._thing.state.numpy()

    def key(self, words: Words) -> None:
        self._thing.reset_from_seed(words.integer(self._segment) >> 1)

    def restore(self, state: Any) -> None:
        self._thing.state.assign(state)

    def mark(self) -> Any:
        return self.save().tobytes()


class _OfKeras(_OfTensorFlow):
    """A SeedGenerator of Keras 3, in any backend: two integers."""

    def save(self) -> Any:
        value = self._thing.state.value
        here = value.detach().cpu() if hasattr(value, "detach") else value  # torch's
        # keras.ops.convert_to_numpy warns with NumPy 2
        return np.array(here.numpy() if hasattr(here, "numpy") else here)

    def key(self, words: Words) -> None:
        seed = words.integer(self._segment)
        self._thing.state.assign(np.array([seed >> 33, seed & 2**31 - 1]))


class HookSource(_OwnGenerator):
    """An object that a hook seeds. Its earlier state is unknown and is not restored."""

    def __init__(self, name: str, thing: Any, segment: int, hook: Hook) -> None:
        super().__init__(name, thing, segment)
        self._hook = hook
        self._generators: Any = ()

    def save(self) -> Any:
        """Return None."""
        return None

    def key(self, words: Words) -> None:
        """Call the hook with a generator at the segment."""
        result = self._hook(self._thing, words.generator(self._segment))
        self._generators = result if isinstance(result, tuple) else ()

    def restore(self, state: Any) -> None:
        """Do nothing."""

    def mark(self) -> Any:
        """Return the states of the generators that the hook passed to the object."""
        return [
            g.getstate() if isinstance(g, random.Random) else repr(g.bit_generator.state)
            for g in self._generators
        ]


def generator_source(path: str, thing: Any, segment: int) -> Source | None:
    """Return the source for a generator, or None for other objects and the generators of the process."""
    if isinstance(thing, Generator | BitGenerator):
        return _OfNumpy(path, thing, segment)
    if isinstance(thing, RandomState):
        return None if thing is the_numpy_global else _OfLegacyNumpy(path, thing, segment)
    if isinstance(thing, random.Random):
        own = thing is the_python_global or isinstance(thing, random.SystemRandom)
        return None if own else _OfPython(path, thing, segment)
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
