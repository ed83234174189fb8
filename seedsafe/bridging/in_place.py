"""Read and write generators' states in memory."""

from __future__ import annotations

import ctypes
import random
import struct
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import MT19937, Philox, RandomState

from seedsafe.keys.key import Address
from seedsafe.keys.words import MovablePhilox

if TYPE_CHECKING:
    import numpy.typing as npt  # slow to import: benchmarks/import_time.py

__all__ = ["STATE", "InPlacePhilox", "numpy_state", "python_state", "torch_state"]

_SIX = struct.Struct("=6Q")
STATE = 624
"""The number of 32-bit words in a Mersenne Twister's state."""

_USED_UP = 4
"""The buffer position of a generator whose block of four words is used up."""


class InPlacePhilox(MovablePhilox):
    """A MovablePhilox that moves in a quarter of the time if NumPy's memory layout is that of NumPy 2.4.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> at = address(SampleKey(2**127 + 5, 3, 1234))
        >>> InPlacePhilox().words(at, 6, 2).tolist() == MovablePhilox().words(at, 6, 2).tolist()
        True
    """

    __slots__ = ("_memory", "_used")

    def __init__(self) -> None:
        super().__init__()
        self._memory: Any
        self._used: Any
        self._memory, self._used = _memory_of(self) or (None, None)

    def words(self, start: Address, count: int, after: int = 0) -> npt.NDArray[np.uint64]:
        """Return the words from block `after` of an address on, uint64, shape (count,)."""
        memory = self._memory
        if memory is None:
            return super().words(start, count, after)
        if after:
            start = start._replace(block=start.block + after)
        _SIX.pack_into(memory, 0, *start)
        self._used[0] = _USED_UP
        result: npt.NDArray[np.uint64] = self.bits.random_raw(count)
        return result


def _memory_of(movable: MovablePhilox) -> tuple[Any, Any] | None:
    """Return the memory of a generator's key and counter, 48 bytes, and the memory of its buffer position.

    NumPy exposes two pointers, to the counter and to the key, without promising a layout. So the memory is compared with
    a known state. Return None if it differs.
    """
    bits: Philox = movable.bits
    try:
        start: int = bits.ctypes.state_address
        counter, key = (ctypes.c_uint64 * 2).from_address(start)
    except (AttributeError, TypeError, ValueError):
        return None
    if counter - key != 16 or not 0 < key - start < 256:  # all three in one object
        return None
    memory = memoryview((ctypes.c_char * _SIX.size).from_address(key)).cast("B")
    used = memoryview((ctypes.c_char * 4).from_address(start + 16)).cast("B").cast("i")
    MovablePhilox.words(movable, Address(1, 2, 3, 4, 5, 6), 2)  # sets a known state
    reported = bits.state
    state: Any = reported["state"]
    expected = (*state["key"].tolist(), *state["counter"].tolist())
    same = _SIX.unpack(memory) == expected and used[0] == reported["buffer_pos"] == 2
    return (memory, used) if same else None


def python_state(generator: random.Random) -> npt.NDArray[np.uint32] | None:
    """Return the memory of the generator's state, a position and 624 words, uint32, shape (625,).

    CPython keeps the state in the object, after its header. Return None if the object's size is different, or if the memory
    differs from `getstate`. Reading or setting it in memory takes 1 µs, through `random` 7 µs
    (benchmarks/bridge_cost.py compares whole regions).
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

    NumPy exposes a pointer to it without promising a layout. Return None if the memory differs from the reported state.
    Setting it in memory takes 1 µs, through NumPy's own interface 34 µs
    (benchmarks/bridge_cost.py compares whole regions).
    """
    try:
        view = np.ctypeslib.as_array((ctypes.c_uint32 * (STATE + 1)).from_address(bits.ctypes.state_address))
    except (AttributeError, TypeError, ValueError):
        return None
    state = bits.state["state"]
    return view if np.array_equal(view[:STATE], state["key"]) and view[STATE] == state["pos"] else None


def torch_state(torch: Any) -> tuple[Any, npt.NDArray[np.uint32], npt.NDArray[np.uint64]] | None:
    """Return a newly seeded state of torch's CPU generator, the memory of its initial seed, and that of its 624 words.

    Return None if its layout is not that of torch 2.13. The state is set as a whole because ``manual_seed`` uses only 32 of
    its 64 bits.
    """
    state = torch.Generator().manual_seed(1).get_state()
    raw = state.numpy()
    begin = 24
    if len(raw) < begin + 8 * STATE:
        return None
    words = raw[begin : begin + 8 * STATE].view(np.uint64)
    same = np.array_equal(words, RandomState(1).get_state()[1])  # type: ignore[index]  # a tuple
    return (state, raw[:8].view(np.uint32), words) if same and raw[:8].view(np.uint64)[0] == 1 else None
