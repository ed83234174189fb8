"""Numbers from raw words, and the noise table.

Every number is computed from the stream's raw 64-bit words by exact or singly rounded operations, because NumPy
guarantees the words of its bit generators across versions, but not its distributions (NEP 19).
"""

from __future__ import annotations

import hashlib
import threading
from functools import cache
from math import ceil, isfinite
from operator import index
from os.path import dirname, join
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator, Philox

from seedsafe.keys.key import Address, SampleKey, address, philox

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt  # costs a tenth of NumPy's import: benchmarks/import_time.py

__all__ = [
    "MAX_NORMAL",
    "Draws",
    "MovablePhilox",
    "PooledDraws",
    "limit_of",
    "normal_quantiles",
    "sixteenths",
    "words_at",
]

MAX_NORMAL = 4.325
"""The largest absolute value in the noise table, in standard deviations, rounded up."""

_TABLE = join(dirname(__file__), "tables", "normal16.npy")
_TABLE_SHA256 = "f0fea3918eb96f75590e764e97a4db6fb52c08bc9649a617bbd8f933ba7cabef"


class Draws:
    """The stream of one transform for one sample, one 64-bit word after another.

    Word 0 decides whether the transform fires; Compose takes it before it calls ``draw``. Every method
    except ``words`` and ``units`` takes one word, whatever its arguments are.

    Args:
        at: the stream's address, from ``seedsafe.keys.key.address``.

    Example:
        >>> draws = Draws(address(SampleKey(42, 3, 1234)))
        >>> draws.integer(10), draws.chance(0.5)
        (2, False)
    """

    __slots__ = ("_bits", "_count", "_generator", "_next")

    def __init__(self, at: Address) -> None:
        self._bits = philox(at)
        self._next: Any = self._bits.random_raw
        self._count = 0
        """The number of words drawn so far."""
        self._generator: Generator | None = None

    @property
    def address(self) -> Address:
        """The address at which the stream begins."""
        state = self._bits.state["state"]
        return Address._make([*state["key"].tolist(), 0, *state["counter"].tolist()[1:]])

    def word(self) -> int:
        """Return the next raw word, in [0, 2**64)."""
        self._count += 1
        word: int = self._next()
        return word

    def words(self, n: int) -> list[int]:
        """Return the next n raw words, like n calls of `word`."""
        self._count += index(n)
        words: list[int] = self._next(n).tolist()
        return words

    def unit(self) -> float:
        """Return a number in [0, 1): the upper 53 bits of a word, like ``Generator.random()``."""
        self._count += 1
        unit: float = (self._next() >> 11) * 2.0**-53
        return unit

    def units(self, n: int) -> npt.NDArray[np.float64]:
        """Return n numbers in [0, 1), like n calls of `unit`: float64, shape (n,). This takes n words."""
        self._count += index(n)
        units: npt.NDArray[np.float64] = (self._next(n) >> np.uint64(11)) * 2.0**-53
        return units

    def uniform(self, low: float, high: float) -> float:
        """Return ``low + (high - low) * unit``, in [low, high]; rounding can give both ends.

        Raises:
            ValueError: low, high or their difference is not finite.
        """
        low = float(low)
        span = float(high) - low
        if not isfinite(span):
            raise ValueError(
                f"low, high and high - low must be finite, got {low!r} and {high!r}: pass finite bounds"
            )
        self._count += 1
        number: float = low + span * ((self._next() >> 11) * 2.0**-53)
        return number

    def integer(self, n: int) -> int:
        """Return an integer in [0, n): the upper 64 bits of the exact product of a word and n.

        Raises:
            ValueError: n is not in [1, 2**32].
        """
        if not 1 <= n <= 0x1_0000_0000:
            raise ValueError(
                f"n must be at least 1 and at most 2**32, got {n!r}: pass the number of values to draw from"
            )
        self._count += 1
        number: int = (self._next() * index(n)) >> 64
        return number

    def chance(self, p: float) -> bool:
        """Return True with probability p.

        Raises:
            ValueError: p is not in [0, 1].
        """
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"p must be a probability in [0, 1], got {p!r}: pass the share of True")
        self._count += 1
        fired: bool = (self._next() >> 11) * 2.0**-53 < p
        return fired

    def noise(self) -> Address:
        """Return the address of this stream's noise: the first block after all words drawn so far.

        This takes no word; `sixteenths` and its callers compute the noise.
        """
        low, high, _, moment, stream, index = self.address
        return Address(low, high, -(-self._count // 4), moment, stream, index)

    @property
    def generator(self) -> Generator:
        """A NumPy Generator of this transform and sample, for everything else; each access returns the same one.

        You may keep it. It shares no block with the words: it is the stream, jumped once.
        NumPy's distributions may change between NumPy versions (NEP 19).
        """
        if self._generator is None:
            self._generator = Generator(philox(self.address).jumped())
        return self._generator


class MovablePhilox:
    """A Philox that moves from address to address; a new Philox for each takes 10 times as long.

    Use it in one thread at a time, and do not share it.

    Example:
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


def limit_of(p: float) -> int:
    """Return the limit for `p`: ``chance(p)`` is True exactly if the word is below it.

    Example:
        >>> limit_of(0.5) == 2**63
        True
    """
    return ceil(p * 2.0**53) << 11


_tuple: Any = tuple.__new__


class PooledDraws(Draws):
    """Draws from one Philox that moves between the streams of a sample.

    Only the library's own transforms use it: a user's transform may keep its Draws, which must then stay valid.
    """

    __slots__ = ("_call", "_counter", "_key", "_state")

    def __init__(self) -> None:
        movable = MovablePhilox()
        self._bits, self._key, self._counter, self._state = (
            movable.bits,
            movable.key,
            movable.counter,
            movable.state,
        )
        self._next = self._bits.random_raw
        self._call = self._count = 0
        self._generator = None

    @property
    def address(self) -> Address:
        """The address at which the stream begins."""
        (low, high), (_, moment, stream, index) = self._key, self._counter
        start: Address = _tuple(Address, (low, high, 0, moment, stream, index))
        return start

    def enter(self, key: SampleKey) -> None:
        """Go to a sample; `turn` then goes to one of its streams."""
        words, counter = self._key, self._counter
        words[0], words[1], _, counter[1], self._call, counter[3] = address(key)

    def go(self, root: Address) -> None:
        """Go to the sample whose stream 0 begins at this address, like `enter`."""
        words, counter = self._key, self._counter
        words[0], words[1], _, counter[1], self._call, counter[3] = root

    def turn(self, op: int) -> None:
        """Go to the beginning of the sample's stream `op`."""
        self._counter[2] = op << 32 | self._call
        self._bits.state = self._state
        self._count = 0
        self._generator = None


class _Pool(threading.local):
    def __init__(self) -> None:
        self.idle: list[MovablePhilox] = []
        """Those not in use: one, or more after a signal handler or a finalizer interrupted a draw and drew noise."""


_pool = _Pool()


def words_at(addresses: Sequence[Address], count: int, after: int = 0) -> npt.NDArray[np.uint64]:
    """Return the words at each address, `after` blocks further on: uint64, shape (addresses, count).

    Example:
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
