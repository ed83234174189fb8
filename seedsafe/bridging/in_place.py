"""Generators' states in memory.

Each function looks for memory that no library promises, and returns None where it does not hold what the library reports. Then
the same words are set through the library: other layouts cost time, never other numbers.
"""

from __future__ import annotations

import ctypes
import random
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import MT19937, RandomState

if TYPE_CHECKING:
    import numpy.typing as npt  # slow to import: benchmarks/import_time.py

__all__ = ["STATE", "numpy_object", "numpy_state", "python_state", "torch_state"]

STATE = 624
"""The number of 32-bit words in a Mersenne Twister's state."""


def python_state(generator: random.Random) -> npt.NDArray[np.uint32] | None:
    """Return the memory of the generator's state, a position and 624 words, uint32, shape (625,).

    Reading or setting it in memory takes 1 µs, by `getstate` and `setstate` 7 µs, because these make 625 integers
    (benchmarks/bridge_cost.py compares whole regions). Seen in CPython 3.11 to 3.13, which keeps the state in the object,
    after its header. None if the object's size is different, or if the memory differs from `getstate`.
    """
    header, size = object.__basicsize__, 4 * (STATE + 1)
    native = random.Random.__base__
    if sys.implementation.name != "cpython" or native.__basicsize__ - header not in range(size, size + 8):  # type: ignore[union-attr]
        return None
    view = np.ctypeslib.as_array((ctypes.c_uint32 * (STATE + 1)).from_address(id(generator) + header))
    *words, position = generator.getstate()[1]
    return view if view[0] == position and np.array_equal(view[1:], words) else None


def numpy_state(bits: MT19937) -> npt.NDArray[np.uint32] | None:
    """Return the memory of the generator's state, 624 words and a position, uint32, shape (625,).

    Setting it in memory takes 1 µs, by its property `state` 34 µs, because that converts word by word
    (benchmarks/bridge_cost.py compares whole regions). Seen in NumPy 2.4, whose property `ctypes` has a pointer to
    it, but no description of its layout. None if the memory differs from the reported state.
    """
    try:
        view = np.ctypeslib.as_array((ctypes.c_uint32 * (STATE + 1)).from_address(bits.ctypes.state_address))
    except (AttributeError, TypeError, ValueError):
        return None
    state = bits.state["state"]
    return view if np.array_equal(view[:STATE], state["key"]) and view[STATE] == state["pos"] else None


def numpy_object(bits: Any) -> npt.NDArray[np.uint32] | None:
    """Return the memory of a bit generator of NumPy after its header, which each draw changes, or None if that is not so.

    All of NumPy 2.4's keep their states in the object, of some 150 bytes. Reading it costs a tenth of reading the state.
    """
    kind = type(bits)
    if kind not in _in_object:
        trial = kind(0)
        view, state = _memory_of(trial), trial.state
        before = view.copy()
        trial.random_raw()
        drawn = view.copy()
        trial.state = state
        _in_object[kind] = np.array_equal(view, before) and not np.array_equal(drawn, before)
    return _memory_of(bits) if _in_object[kind] else None


_in_object: dict[Any, bool] = {}


def _memory_of(thing: Any) -> npt.NDArray[np.uint32]:
    header = object.__basicsize__
    size = (type(thing).__basicsize__ - header) // 4
    return np.ctypeslib.as_array((ctypes.c_uint32 * size).from_address(id(thing) + header))


def torch_state(torch: Any) -> tuple[Any, npt.NDArray[np.uint32], npt.NDArray[np.uint64]] | None:
    """Return a newly seeded state of torch's CPU generator, with views of the two halves of its seed and of its 624 words.

    ``manual_seed`` uses only 32 of its 64 bits, and torch gives no other access than its whole state, as bytes without a description. Seen
    in torch 2.10 and 2.13: the seed first, then the words, 64 bits each. None if the state of seed 1, with these two of seed 2, is
    not the state of seed 2.
    """
    state, other = (torch.Generator().manual_seed(seed).get_state() for seed in (1, 2))
    raw = state.numpy()
    # RandomState(1) would first take a seed of those that follow the key in a region.
    twister: Any = RandomState(MT19937(0))
    words, others = ((twister.seed(seed), twister.get_state()[1].astype(np.uint64))[1] for seed in (1, 2))
    begin = raw.tobytes().find(words.tobytes())
    if begin < 0 or begin % 8:
        return None
    memory = raw[begin : begin + 8 * STATE].view(np.uint64)
    memory[...] = others
    raw[:8].view(np.uint64)[...] = 2
    return (state, raw[:8].view(np.uint32), memory) if np.array_equal(raw, other.numpy()) else None
