"""The generators of the process: each can be keyed, saved, restored, and compared.

Frameworks are looked for among the loaded modules, and never imported.
"""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.random import MT19937

from seedsafe.bridging.options import Bridge
from seedsafe.bridging.twister import numpy_state, python_state, torch_state
from seedsafe.bridging.words import STATE, Words

if TYPE_CHECKING:
    import numpy.typing as npt  # costs a tenth of NumPy's own import

__all__ = ["Source", "fill_torch", "globals_for", "renew_numpy", "the_numpy_global"]

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
        self._memory = python_state(the_python_global)

    def save(self) -> Any:
        if self._memory is None:
            return random.getstate()
        return self._memory.copy(), the_python_global.gauss_next

    def key(self, words: Words) -> None:
        state = words.head(0)
        memory = self._memory
        if memory is None:
            random.setstate((3, (*state.tolist(), STATE), None))
        else:
            memory[0] = STATE
            memory[1:] = state
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
        self._ours: list[tuple[MT19937, Any]] = []
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
            self._ours.append((bits, numpy_state(bits)))
        bits, memory = self._ours[self._depth]
        state = words.head(1)
        np.random.set_bit_generator(bits)  # type: ignore[attr-defined]  # drops a cached gaussian
        if memory is None:
            bits.state = {"bit_generator": "MT19937", "state": {"key": state, "pos": STATE}}
        else:
            memory[:STATE] = state
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


class TorchCPU:
    """torch's CPU generator: its whole state, since a seed has only 32 bits of effect."""

    name = "torch"

    def __init__(self, torch: Any) -> None:
        self._generator = torch.default_generator
        self._made = torch_state(torch)

    def save(self) -> Any:
        return self._generator.get_state()

    def key(self, words: Words) -> None:
        fill_torch(self._generator, self._made, words.head(2))

    def restore(self, saved: Any) -> None:
        self._generator.set_state(saved)

    def mark(self) -> Any:
        return self._generator.get_state().numpy().tobytes()


def fill_torch(generator: Any, made: Any, halves: npt.NDArray[np.uint32]) -> None:
    """Key a generator of torch's with a Mersenne Twister's state."""
    if made is None:
        generator.manual_seed(int(halves[0]) | int(halves[1]) << 32)
        return
    state, seed, memory = made
    memory[:] = halves
    seed[:] = halves[:2]  # what torch.initial_seed() tells
    generator.set_state(state)


class OpenCV:
    """OpenCV's generator of this thread, which takes 32 bits and cannot be read."""

    name = "cv2"

    def __init__(self, cv2: Any) -> None:
        self._cv2 = cv2

    def save(self) -> Any:
        return self._draw(1)[0]

    def key(self, words: Words) -> None:
        self._cv2.setRNGSeed(words.integer(0) % 2**32 - 2**31)

    def restore(self, saved: Any) -> None:
        self._cv2.setRNGSeed(int(saved))

    def mark(self) -> Any:
        return self._draw(8).tobytes()

    def _draw(self, n: int) -> Any:
        return self._cv2.randu(np.empty((1, n), np.int32), -(2**31), 2**31 - 1)[0]


class TensorFlow:
    """TensorFlow's global seed, from which every operation without a seed of its own takes one."""

    name = "tensorflow"

    def __init__(self, tensorflow: Any) -> None:
        self._set = tensorflow.random.set_seed
        context = sys.modules.get("tensorflow.python.eager.context")
        if context is None:
            raise RuntimeError(
                f"the bridge cannot read the global seed of TensorFlow {tensorflow.__version__}, so it could not restore "
                "it: use TensorFlow 2.18 to 2.21"
            )
        self._context = context.context()

    def save(self) -> Any:
        return self._context._seed, getattr(self._context, "_rng", None)

    def key(self, words: Words) -> None:
        self._set(words.integer(1) >> 1)

    def restore(self, saved: Any) -> None:
        self._context._seed, rng = saved
        if rng is None:
            del self._context._rng  # which a program that sets no seed does not have
        else:
            self._context._rng = rng

    def mark(self) -> Any:
        rng = getattr(self._context, "_rng", None)
        return None if rng is None else rng.getstate()


class Cuda:
    """The generators of all CUDA devices: 64 bits of seed."""

    name = "torch.cuda"

    def __init__(self, torch: Any) -> None:
        self._cuda = torch.cuda

    def save(self) -> Any:
        return self._cuda.get_rng_state_all()

    def key(self, words: Words) -> None:
        self._cuda.manual_seed_all(words.integer(2))

    def restore(self, saved: Any) -> None:
        self._cuda.set_rng_state_all(saved)

    def mark(self) -> Any:
        return [state.numpy().tobytes() for state in self._cuda.get_rng_state_all()]


_numpy = NumpyGlobal()
_usual: tuple[Source, ...] = (PythonRandom(), _numpy)
_made: dict[tuple[bool, ...], tuple[Source, ...]] = {}
_torch: list[Source] = []


def globals_for(options: Bridge) -> tuple[Source, ...]:
    """Return the generators of the process that these options key, of what has been loaded by now."""
    asked = (options.opencv, options.tensorflow, options.cuda)
    made = _made.get(asked)
    if made is not None:
        return made
    torch = sys.modules.get("torch")
    ready = hasattr(torch, "default_generator") and hasattr(torch, "cuda")  # else a thread imports it
    sources = _usual
    if ready:
        if not _torch:
            _torch.append(TorchCPU(torch))
        sources = (*sources, *_torch)
    if any(asked):
        options.require()
        sources = (*sources, *_asked(options))
    if ready:
        _made[asked] = sources  # nothing can be added any more
    return sources


def renew_numpy() -> None:
    """Let NumPy's global generator be keyed anew, in a process forked while another thread was keying it."""
    _numpy.renew()


def _asked(options: Bridge) -> list[Source]:
    found: list[Source] = []
    if options.opencv:
        found.append(OpenCV(sys.modules["cv2"]))
    if options.tensorflow:
        found.append(TensorFlow(sys.modules["tensorflow"]))
    if options.cuda:
        found.append(Cuda(sys.modules["torch"]))
    return found
