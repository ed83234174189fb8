"""The random words that seed bridged generators."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from seedsafe.bridging.in_place import STATE
from seedsafe.keys.key import Address, SampleKey, address, op_of, philox
from seedsafe.keys.words import MovablePhilox

if TYPE_CHECKING:
    import numpy.typing as npt  # slow to import: benchmarks/import_time.py

__all__ = ["OP", "Words", "address_of", "other_address"]

_BLOCKS = 80
"""The blocks of four words in a segment: more than one whole state. The head takes three segments."""

_MOST_AHEAD = 32
"""So many states are read at once, if those before were asked in turn: one at a time takes three times as long."""

_STATES = tuple(slice(number * STATE, (number + 1) * STATE) for number in range(3))

_NONE = range(-1, 0)

_WORD, _HALF = np.dtype("<u8"), np.dtype("<u4")
_LITTLE = sys.byteorder == "little"
OP = op_of("seedsafe/bridge")
"""The stream that a bridge seeds from."""

_idle: list[MovablePhilox] = []
"""The generators not in use. After a fork, the one that another thread was using is not among them."""


def _read(start: Address, count: int, after: int = 0) -> npt.NDArray[np.uint64]:
    bits = _idle.pop() if _idle else MovablePhilox()
    words = bits.words(start, count, after)
    _idle.append(bits)
    return words


def address_of(key: SampleKey) -> Address:
    """Return the address of a key's stream ``seedsafe/bridge``."""
    return address(key, OP)


def other_address(start: Address) -> Address:
    """Return the address of another sample, in the upper half of the indices."""
    return start._replace(index=start.index ^ 1 << 63)


class Words:
    """The words from an address on, for the thread that has the bridge's lock.

    First comes the head: the states of Python's `random`, NumPy's global generator and torch's generator, 312 words each.
    Then comes a segment of 320 words for every other generator.
    """

    __slots__ = ("_ahead", "_head", "_states", "address")

    _states: npt.NDArray[np.uint64]

    def __init__(self, start: Address) -> None:
        self.address = start
        self._head: npt.NDArray[np.uint32] | None = None
        self._ahead = _NONE

    def head(self, number: int) -> npt.NDArray[np.uint32]:
        """Return a state of the head, uint32, shape (624,): 0 is for `random`, 1 for NumPy, 2 for torch."""
        if self._head is None:
            states = 3 if "torch" in sys.modules else 2
            words = _read(self.address, states * STATE // 2)
            self._head = (words if _LITTLE else words.astype(_WORD)).view(_HALF)
        return self._head[_STATES[number]]

    def take(self, segment: int, words: int, after: int = 0) -> npt.NDArray[np.uint64]:
        """Return `words` words of a segment from its block `after` on, uint64, little-endian."""
        raw = _read(self.address, words, _BLOCKS * (segment + 3) + after)
        return raw if _LITTLE else raw.astype(_WORD)

    def state(self, segment: int) -> npt.NDArray[np.uint32]:
        """Return a Mersenne Twister's state, uint32, shape (624,). The lower half of each word comes first."""
        ahead = self._ahead
        if segment not in ahead:
            count = min(2 * len(ahead), _MOST_AHEAD) if segment == ahead.stop else 1
            self._ahead = ahead = range(segment, segment + count)
            self._states = self.take(segment, count * 4 * _BLOCKS).reshape(count, -1)
        return self._states[segment - ahead.start, : STATE // 2].view(_HALF)

    def integer(self, segment: int, words: int = 1) -> int:
        """Return an integer of 64 * `words` bits."""
        return int.from_bytes(self.take(segment, words), "little")

    def generator(self, segment: int) -> Generator:
        """Return a new NumPy Generator at the start of a segment."""
        first = self.address.block + _BLOCKS * (segment + 3)
        return Generator(philox(self.address._replace(block=first)))
