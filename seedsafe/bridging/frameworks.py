"""The generators of frameworks, which are looked for among the loaded modules and never imported."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from seedsafe.bridging.options import Bridge
from seedsafe.bridging.twister import torch_state
from seedsafe.bridging.words import Words

if TYPE_CHECKING:
    import numpy.typing as npt  # costs a tenth of NumPy's own import

__all__ = ["asked_for", "fill_torch", "of_torch"]


def of_torch(torch: Any, *, one_thread: bool) -> Any:
    """Return torch's CPU generator as a source, which lets torch work with one thread meanwhile if that is asked for."""
    return OneThread(torch) if one_thread else TorchCPU(torch)


def asked_for(options: Bridge) -> list[Any]:
    """Return the sources of the frameworks that the options name."""
    found: list[Any] = []
    if options.opencv:
        found.append(OpenCV(sys.modules["cv2"]))
    if options.tensorflow:
        found.append(TensorFlow(sys.modules["tensorflow"]))
    if options.cuda:
        found.append(Cuda(sys.modules["torch"]))
    return found


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


class OneThread(TorchCPU):
    """torch's CPU generator, and one thread for torch's operations, as in the workers of its DataLoader.

    Sums and Fourier transforms differ in their last bits between one thread and two.
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

    def restore(self, saved: Any) -> None:
        state, threads = saved
        super().restore(state)
        if threads != 1:
            self._set_threads(threads)


def fill_torch(generator: Any, made: Any, halves: npt.NDArray[np.uint32]) -> None:
    """Key a generator of torch's with a Mersenne Twister's state."""
    if made is None:
        generator.manual_seed(int(halves[0]) | int(halves[1]) << 32)
        return
    state, seed, memory = made
    memory[...] = halves
    seed[...] = halves[:2]  # what torch.initial_seed() tells
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
