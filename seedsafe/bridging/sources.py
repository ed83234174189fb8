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
from seedsafe.bridging.twister import numpy_state, torch_state
from seedsafe.bridging.words import HALF, STATE, Words

if TYPE_CHECKING:
    import numpy.typing as npt  # costs a tenth of NumPy's own import

__all__ = ["Source", "fill_torch", "globals_for", "the_numpy_global"]

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
    """`random`: 128 bits, or the whole state's 19,968."""

    name = "random"

    def __init__(self, full_width: bool) -> None:
        self._full_width = full_width

    def save(self) -> Any:
        return random.getstate()

    def key(self, words: Words) -> None:
        random.seed(words.integer(0, 312) if self._full_width else int.from_bytes(words.head(0, 2), "little"))

    def restore(self, saved: Any) -> None:
        random.setstate(saved)

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

    def save(self) -> Any:
        bits = np.random.get_bit_generator()  # type: ignore[attr-defined]  # since NumPy 1.24
        state = np.random.get_state(legacy=False) if _gaussian_cached() else None
        self._depth += 1
        return bits, state

    def key(self, words: Words) -> None:
        while len(self._ours) <= self._depth:  # one for each level of nesting
            bits = MT19937(0)
            self._ours.append((bits, numpy_state(bits)))
        bits, memory = self._ours[self._depth]
        state = words.head(4, 312).view(HALF)
        np.random.set_bit_generator(bits)  # type: ignore[attr-defined]  # drops a cached gaussian
        if memory is None:
            np.random.seed(state)
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
        fill_torch(self._generator, self._made, words.head(316, 312))

    def restore(self, saved: Any) -> None:
        self._generator.set_state(saved)

    def mark(self) -> Any:
        return self._generator.get_state().numpy().tobytes()


def fill_torch(generator: Any, made: Any, words: npt.NDArray[np.uint64]) -> None:
    """Key a generator of torch's with 312 words."""
    if made is None:
        generator.manual_seed(int(words[0]))
        return
    state, seed, memory = made
    memory[:] = words.view(HALF)
    seed[:] = words[:1]  # what torch.initial_seed() tells
    generator.set_state(state)


class OpenCV:
    """OpenCV's generator of this thread, which takes 32 bits and cannot be read."""

    name = "cv2"

    def __init__(self, cv2: Any) -> None:
        self._cv2 = cv2

    def save(self) -> Any:
        return self._draw(1)[0]

    def key(self, words: Words) -> None:
        self._cv2.setRNGSeed(words.integer(1) % 2**32 - 2**31)

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
                f"the bridge cannot read the global seed of TensorFlow {tensorflow.__version__}, and so not restore "
                "it: use TensorFlow 2.18 to 2.21"
            )
        self._context = context.context()

    def save(self) -> Any:
        return self._context._seed, self._context._rng

    def key(self, words: Words) -> None:
        self._set(words.integer(2) >> 1)

    def restore(self, saved: Any) -> None:
        self._context._seed, self._context._rng = saved

    def mark(self) -> Any:
        return self._context._rng.getstate()


class Cuda:
    """The generators of all CUDA devices: 64 bits of seed."""

    name = "torch.cuda"

    def __init__(self, torch: Any) -> None:
        self._cuda = torch.cuda

    def save(self) -> Any:
        return self._cuda.get_rng_state_all()

    def key(self, words: Words) -> None:
        self._cuda.manual_seed_all(words.integer(3))

    def restore(self, saved: Any) -> None:
        self._cuda.set_rng_state_all(saved)

    def mark(self) -> Any:
        return [state.numpy().tobytes() for state in self._cuda.get_rng_state_all()]


_numpy = NumpyGlobal()
_usual: dict[bool, tuple[Source, ...]] = {full: (PythonRandom(full), _numpy) for full in (False, True)}
_made: dict[Bridge, tuple[Source, ...]] = {}
_torch: list[Source] = []


def globals_for(options: Bridge) -> tuple[Source, ...]:
    """Return the generators of the process that these options key, of what has been loaded by now."""
    made = _made.get(options)
    if made is not None:
        return made
    torch = sys.modules.get("torch")
    ready = hasattr(torch, "default_generator") and hasattr(
        torch, "cuda"
    )  # another thread may be importing it
    sources = _usual[options.full_width]
    if ready:
        if not _torch:
            _torch.append(TorchCPU(torch))
        sources = (*sources, *_torch)
    if options.opencv or options.tensorflow or options.cuda:
        options.require()
        sources = (*sources, *_asked(options))
    if ready:
        _made[options] = sources  # nothing can be added any more
    return sources


def _asked(options: Bridge) -> list[Source]:
    found: list[Source] = []
    if options.opencv:
        found.append(OpenCV(sys.modules["cv2"]))
    if options.tensorflow:
        found.append(TensorFlow(sys.modules["tensorflow"]))
    if options.cuda:
        found.append(Cuda(sys.modules["torch"]))
    return found
