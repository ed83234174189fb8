"""The states of a Philox and of Mersenne Twisters, written and read in place where the installed libraries keep them as they do today."""

from __future__ import annotations

import ctypes
import random
import struct
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import MT19937, Philox, RandomState

from seedsafe.keys.draws import MovablePhilox
from seedsafe.keys.key import Address

if TYPE_CHECKING:
    import numpy.typing as npt  # costs a tenth of NumPy's own import

__all__ = ["STATE", "InPlacePhilox", "numpy_state", "python_state", "torch_state"]

_SIX = struct.Struct("=6Q")
STATE = 624
"""The 32-bit pieces of a Mersenne Twister's state."""

_USED_UP = 4
"""How many words of its block of four a generator has given out when it begins with the next one."""


class InPlacePhilox(MovablePhilox):
    """A MovablePhilox that is moved in a quarter of the time, where NumPy's memory is laid out as in NumPy 2.4.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> at = address(SampleKey(2**127 + 5, 3, 1234))
        >>> InPlacePhilox().words(at, 6, 2).tolist() == MovablePhilox().words(at, 6, 2).tolist()
        True
    """

    __slots__ = ("_memory", "_used")

    def __init__(self) -> None:
        super().__init__()
        found = _memory_of(self)
        self._memory: Any = found and found[0]
        self._used: Any = found and found[1]

    def words(self, at: Address, count: int, after: int = 0) -> npt.NDArray[np.uint64]:
        """Return the first words after so many blocks of an address, uint64, shape (count,)."""
        memory = self._memory
        if memory is None:
            return super().words(at, count, after)
        if after:
            at = at._replace(block=at.block + after)
        _SIX.pack_into(memory, 0, *at)
        self._used[0] = _USED_UP
        found: npt.NDArray[np.uint64] = self.bits.random_raw(count)
        return found


def _memory_of(movable: MovablePhilox) -> tuple[Any, Any] | None:
    """Return the memory of a generator's key and counter, 48 bytes, and of how many words of its block are used.

    NumPy gives out the address of two pointers, to the counter and to the key, and does not promise what they point to. So
    what is there is compared with a state that was set; None if it differs.
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
    MovablePhilox.words(movable, Address(1, 2, 3, 4, 5, 6), 2)  # which counts the block on before it makes it
    told = bits.state
    state: Any = told["state"]
    expected = (*state["key"].tolist(), *state["counter"].tolist())
    return (memory, used) if _SIX.unpack(memory) == expected and used[0] == told["buffer_pos"] == 2 else None


def python_state(generator: random.Random) -> npt.NDArray[np.uint32] | None:
    """Return the memory of the generator's state, a position and 624 words, uint32, shape (625,).

    CPython keeps it in the object, after its header. Where the object has not just the size for that, or what is
    there is not the state that it tells, None. To set the state through `random.setstate` takes 7 µs instead of one, and
    to read it as long.
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

    NumPy gives out its address and does not promise what lies there, so what is there is compared with the state
    that it tells; None if it differs. To set the state through NumPy's own interface takes 34 µs instead of one.
    """
    try:
        view = np.ctypeslib.as_array((ctypes.c_uint32 * (STATE + 1)).from_address(bits.ctypes.state_address))
    except (AttributeError, TypeError, ValueError):
        return None
    told = bits.state["state"]
    return view if np.array_equal(view[:STATE], told["key"]) and view[STATE] == told["pos"] else None


def torch_state(torch: Any) -> tuple[Any, npt.NDArray[np.uint32], npt.NDArray[np.uint64]] | None:
    """Return a freshly seeded state of torch's CPU generator, and its memory: the seed it tells, and its 624 words.

    None if the state of a known seed is not laid out as it is in torch 2.13. torch's own ``manual_seed`` takes 64 bits
    and uses 32.
    """
    state = torch.Generator().manual_seed(1).get_state()
    raw = state.numpy()
    begin = 24
    if len(raw) < begin + 8 * STATE:
        return None
    words = raw[begin : begin + 8 * STATE].view(np.uint64)
    same = np.array_equal(words, RandomState(1).get_state()[1])  # type: ignore[index]  # a tuple
    return (state, raw[:8].view(np.uint32), words) if same and raw[:8].view(np.uint64)[0] == 1 else None
