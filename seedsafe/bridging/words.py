"""The words that a bridge seeds with: segments of a stream, one for each generator."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from seedsafe.bridging.in_place import STATE, InPlacePhilox
from seedsafe.keys.key import Address, SampleKey, address, op_of, philox

if TYPE_CHECKING:
    import numpy.typing as npt  # costs a tenth of NumPy's own import

__all__ = ["HALF", "OP", "Words", "elsewhere", "place_of"]

_BLOCKS = 80
"""The blocks of four words in a segment: a whole state, with some to spare. The head takes up three segments."""

_STATES = tuple(slice(number * STATE, (number + 1) * STATE) for number in range(3))

_WORD, HALF = np.dtype("<u8"), np.dtype("<u4")
_LITTLE = sys.byteorder == "little"
OP = op_of("seedsafe/bridge")
"""The stream that a bridge seeds from."""

_idle: list[InPlacePhilox] = []
"""The generators of words that nobody uses: none that a thread of the parent process was using at a fork."""


def _read(at: Address, count: int, after: int = 0) -> npt.NDArray[np.uint64]:
    bits = _idle.pop() if _idle else InPlacePhilox()
    words = bits.words(at, count, after)
    _idle.append(bits)
    return words


def place_of(key: SampleKey) -> Address:
    """Return where the words of a key begin: its stream ``seedsafe/bridge``."""
    return address(key, OP)


def elsewhere(at: Address) -> Address:
    """Return the address of another sample, in the upper half of the indices."""
    return at._replace(index=at.index ^ 1 << 63)


class Words:
    """The words from an address on. Only the thread that holds the bridge's lock may read them.

    First comes the head, which is read at once: the states of Python's `random`, of NumPy's global generator and of
    torch's, 312 words each. Then the segments, of 320 words each, one for every other generator.
    """

    __slots__ = ("_head", "address")

    def __init__(self, at: Address) -> None:
        self.address = at
        self._head: npt.NDArray[np.uint32] | None = None

    def head(self, number: int) -> npt.NDArray[np.uint32]:
        """Return a Mersenne Twister's state of the head, uint32, shape (624,): `random`'s, NumPy's or torch's."""
        if self._head is None:
            states = 3 if "torch" in sys.modules else 2
            words = _read(self.address, states * STATE // 2)
            self._head = (words if _LITTLE else words.astype(_WORD)).view(HALF)
        return self._head[_STATES[number]]

    def take(self, segment: int, words: int, after: int = 0) -> npt.NDArray[np.uint64]:
        """Return the first `words` of a segment after so many of its blocks, uint64, little-endian."""
        return self._words(_BLOCKS * (segment + 3) + after, words)

    def _words(self, block: int, count: int) -> npt.NDArray[np.uint64]:
        taken = _read(self.address, count, block)
        return taken if _LITTLE else taken.astype(_WORD)

    def state(self, segment: int) -> npt.NDArray[np.uint32]:
        """Return a Mersenne Twister's state, uint32, shape (624,): each word's lower half before its upper one."""
        return self.take(segment, STATE // 2).view(HALF)

    def integer(self, segment: int, words: int = 1) -> int:
        """Return an integer of 64 bits for each word."""
        return int.from_bytes(self.take(segment, words), "little")

    def generator(self, segment: int) -> Generator:
        """Return a fresh NumPy Generator at the beginning of a segment."""
        first = self.address.block + _BLOCKS * (segment + 3)
        return Generator(philox(self.address._replace(block=first)))
