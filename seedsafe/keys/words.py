"""Raw words in bulk, and the noise table."""

from __future__ import annotations

import hashlib
import threading
from functools import cache
from os.path import dirname, join
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Philox

from seedsafe.keys.key import Address

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt  # costs a tenth of NumPy's import: benchmarks/import_time.py

__all__ = [
    "HALF",
    "LOWER",
    "MAX_NORMAL",
    "MovablePhilox",
    "normal_quantiles",
    "sixteenths",
    "units_of",
    "upper_product",
    "words_at",
]

MAX_NORMAL = 4.325
"""The largest absolute value in the noise table, in standard deviations, rounded up."""

_TABLE = join(dirname(__file__), "tables", "normal16.npy")
_TABLE_SHA256 = "f0fea3918eb96f75590e764e97a4db6fb52c08bc9649a617bbd8f933ba7cabef"


HALF, LOWER = np.uint64(32), np.uint64(0xFFFFFFFF)


def units_of(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Return the number in [0, 1) of each word: float64, in the shape of the words."""
    units: npt.NDArray[np.float64] = (words >> np.uint64(11)) * np.float64(2.0**-53)
    return units


def upper_product(words: npt.NDArray[np.uint64], n: Any) -> npt.NDArray[np.int64]:
    """Return the upper 64 bits of the exact products of words and n, n in [1, 2**32]: int64, in the shape of the words.

    Args:
        words: uint64.
        n: one for all words, or one for each.
    """
    n = np.asarray(n, np.uint64)
    low = ((words & LOWER) * n) >> HALF
    numbers: npt.NDArray[np.int64] = (((words >> HALF) * n + low) >> HALF).astype(np.int64)
    return numbers


class MovablePhilox:
    """A Philox that moves from address to address; a new Philox for each takes 10 times as long.

    Use it in one thread at a time, and do not share it.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> bits = MovablePhilox()
        >>> bits.words(address(SampleKey(0, 0, 0)), 1).tolist() == [0x02F4BA6408E4D89B]
        True
    """

    __slots__ = ("bits", "counter", "key", "state")

    def __init__(self) -> None:
        self.bits = Philox(0)
        self.key = [0, 0]
        self.counter = [0, 0, 0, 0]
        # NumPy reads lists, changed in place, three times as fast as arrays or a new dict: benchmarks/keys.py.
        self.state: Any = {
            "bit_generator": "Philox",
            "state": {"counter": self.counter, "key": self.key},
            "buffer": [0, 0, 0, 0],
            # The buffer counts as used up, so that the next draw computes the block at the counter.
            "buffer_pos": 4,
            "has_uint32": 0,
            "uinteger": 0,
        }

    def words(self, start: Address, count: int, after: int = 0) -> npt.NDArray[np.uint64]:
        """Return the words at an address, `after` blocks further on: uint64, shape (count,)."""
        self.key[:] = start[:2]
        self.counter[:] = start[2:]
        self.counter[0] += after
        self.bits.state = self.state
        words: npt.NDArray[np.uint64] = self.bits.random_raw(count)
        return words


class _Pool(threading.local):
    def __init__(self) -> None:
        self.idle: list[MovablePhilox] = []
        """Those not in use: one, or more after a signal handler or a finalizer interrupted a draw and drew noise."""


_pool = _Pool()


def words_at(addresses: Sequence[Address], count: int, after: int = 0) -> npt.NDArray[np.uint64]:
    """Return the words at each address, `after` blocks further on: uint64, shape (addresses, count).

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> words_at([address(SampleKey(0, 0, 0))], 2).tolist() == [[0x02F4BA6408E4D89B, 0x3DD62B0B9CA8C5B2]]
        True
    """
    idle = _pool.idle
    bulk = idle.pop() if idle else MovablePhilox()
    words = np.empty((len(addresses), count), np.uint64)
    for row, start in enumerate(addresses):
        words[row] = bulk.words(start, count, after)
    idle.append(bulk)
    return words


def sixteenths(noise: Address, n: int, first: int = 0) -> npt.NDArray[np.uint16]:
    """Return n 16-bit little-endian pieces of the words at an address, from piece `first` on: uint16, shape (n,).

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> sixteenths(address(SampleKey(0, 0, 0)), 4).tolist()
        [55451, 2276, 47716, 756]
    """
    block, skipped = divmod(first, 16)
    idle = _pool.idle
    bulk = idle.pop() if idle else MovablePhilox()
    words = bulk.words(noise, -(-(skipped + n) // 4), block).astype("<u8", copy=False)
    idle.append(bulk)
    return words.view("<u2")[skipped : skipped + n].astype(np.uint16, copy=False)


@cache
def normal_quantiles() -> npt.NDArray[np.float64]:
    """Return the noise table: the standard normal's quantile at (h + ½) / 65536 for each 16-bit h.

    float64, shape (65536,), read-only, antisymmetric, each entry correctly rounded. It is read from a file,
    because the functions that would compute it differ between machines.

    Raises:
        RuntimeError: the file differs from the one that the contract fixes.

    Example:
        >>> float(normal_quantiles()[65535]), float(normal_quantiles()[0])
        (4.324919040826046, -4.324919040826046)
    """
    upper = np.load(_TABLE, allow_pickle=False)
    digest = hashlib.sha256(upper.tobytes()).hexdigest()
    if digest != _TABLE_SHA256:
        raise RuntimeError(f"{_TABLE} is damaged (SHA-256 {digest}): install seedsafe again")
    table: npt.NDArray[np.float64] = np.concatenate([-upper[::-1], upper]).astype(np.float64)
    table.flags.writeable = False
    return table
