"""Words of many keys at once.

Philox4x64-10 over arrays gives the same words at the same addresses as one key at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from seedsafe.keys.draws import limit_of
from seedsafe.keys.key import Address, SampleKey
from seedsafe.keys.words import HALF, LOWER, units_of, upper_product, words_at

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["ManyDraws", "ManyKeys"]

# The factors of Philox4x64, and the steps by which its key grows; see `_ten_rounds`.
_FACTORS: Final = np.array([[0xD2E7470EE14C6C93], [0xCA5A826395121157]], np.uint64)
_HALVES: Final = np.stack([_FACTORS & np.uint64(0xFFFFFFFF), _FACTORS >> np.uint64(32)])[:, np.newaxis]
_STEPS: Final = np.array([[0x9E3779B97F4A7C15], [0xBB67AE8584CAA73B]], np.uint64)
_ROUNDS: Final = np.arange(10, dtype=np.uint64)[:, np.newaxis, np.newaxis] * _STEPS
_WORD: Final = 2**64 - 1
_FEW: Final = 40
"""Up to this number of streams, one by one is faster: benchmarks/batches.py."""
_LONG: Final = 16
"""Streams of more blocks are faster one by one: benchmarks/device.py."""


class ManyKeys:
    """The keys of the samples of a batch, as arrays of the words of their addresses.

    Args:
        keys: the samples' keys.

    Example:
        >>> keys = ManyKeys([SampleKey(0, 0, 0), SampleKey(42, 3, 1234)])
        >>> [hex(word) for word in keys.blocks([0])[0, :, 0].tolist()]
        ['0x2f4ba6408e4d89b', '0x38e79bc5ed3937ef']
    """

    __slots__ = ("_calls", "_seeds", "_under")

    def __init__(self, keys: Sequence[SampleKey]) -> None:
        moments = [key.epoch << 32 | key.occurrence << 16 | key.view for key in keys]
        self._under = np.array([moments, [key.index for key in keys]], np.uint64)
        self._calls = np.array([key.call << 16 for key in keys], np.uint64)
        seeds = {key.seed for key in keys}
        # One column if all seeds are equal, as in a run: arithmetic broadcasts it.
        shared = seeds if len(seeds) == 1 else [key.seed for key in keys]
        self._seeds = np.array([[seed & _WORD, seed >> 64] for seed in shared], np.uint64).reshape(-1, 2).T

    @classmethod
    def of_run(cls, seed: int, moments: Sequence[int], indices: Sequence[int]) -> ManyKeys:
        """Return the keys of samples of one run.

        Args:
            seed: the run's seed.
            moments: one for each sample, ``epoch << 32 | occurrence << 16 | view``.
            indices: the samples' indices.
        """
        keys = cls.__new__(cls)
        keys._under = np.array([moments, indices], np.uint64)
        keys._calls = np.zeros(len(indices), np.uint64)
        keys._seeds = np.array([[seed & _WORD], [seed >> 64]], np.uint64)
        return keys

    @classmethod
    def of_table(cls, table: npt.NDArray[np.uint64]) -> ManyKeys:
        """Return the keys of a table that `table` returned."""
        keys = cls.__new__(cls)
        keys._seeds, keys._under = np.ascontiguousarray(table[:, :2].T), np.ascontiguousarray(table[:, 2:].T)
        if (keys._seeds == keys._seeds[:, :1]).all():
            keys._seeds = keys._seeds[:, :1]
        keys._calls = np.zeros(len(table), np.uint64)
        return keys

    def table(self) -> npt.NDArray[np.uint64]:
        """Return the keys in four words each: uint64, shape (keys, 4).

        They are the lower and the upper half of the seed, ``epoch << 32 | occurrence << 16 | view``, and the index.

        Raises:
            ValueError: a key has the number of a call, which is in none of these words.
        """
        if self._calls.any():
            row = int(np.flatnonzero(self._calls)[0])
            raise ValueError(
                f"keys must have call=0, got {self.key(row)} at position {row}: pass the samples' own keys"
            )
        seeds = np.broadcast_to(self._seeds.T, (len(self), 2))
        return np.concatenate([seeds, self._under.T], axis=1)

    def __len__(self) -> int:
        return len(self._calls)

    def __getitem__(self, rows: slice | npt.NDArray[np.intp]) -> ManyKeys:
        keys = ManyKeys.__new__(ManyKeys)
        keys._under, keys._calls = self._under[:, rows], self._calls[rows]
        keys._seeds = self._seeds if self._seeds.shape[1] == 1 else self._seeds[:, rows]
        return keys

    def addresses(self, op: int) -> list[Address]:
        """Return the address at which the stream `op` of each key begins."""
        low, high = self._seeds.tolist()
        many = len(self) if len(low) == 1 else 1
        moments, indices = self._under.tolist()
        streams = [op << 32 | call for call in self._calls.tolist()]
        return list(map(Address, low * many, high * many, [0] * len(self), moments, streams, indices))

    def key(self, row: int) -> SampleKey:
        """Return the key of one of the samples."""
        low, high = self._seeds[:, row if self._seeds.shape[1] > 1 else 0].tolist()
        moment, index = self._under[:, row].tolist()
        number = int(self._calls[row]) >> 16
        epoch, occurrence, view = moment >> 32, moment >> 16 & 0xFFFF, moment & 0xFFFF
        return SampleKey(high << 64 | low, epoch, index, occurrence=occurrence, view=view, call=number)

    def blocks(self, ops: Sequence[int], block: int = 1) -> npt.NDArray[np.uint64]:
        """Return four words of each stream of each key: uint64, shape (streams, keys, 4).

        Args:
            ops: the streams.
            block: counted from 1; words 0 to 3 are in block 1.
        """
        streams, count = len(ops), len(self)
        if streams * count <= _FEW:
            few = words_at([address for op in ops for address in self.addresses(op)], 4, block - 1)
            return few.reshape(streams, count, 4)
        left = np.empty((2, streams, count), np.uint64)
        left[0] = block
        left[1] = self._calls | (np.array(ops, np.uint64) << HALF)[:, np.newaxis]
        right = np.repeat(self._under[:, np.newaxis], streams, axis=1)
        seeds = np.tile(self._seeds, streams) if self._seeds.shape[1] > 1 else self._seeds
        left, right = _ten_rounds(left.reshape(2, -1), right.reshape(2, -1), seeds)
        words = np.empty((4, streams * count), np.uint64)
        words[::2], words[1::2] = left, right
        return words.T.reshape(streams, count, 4)

    def run(self, op: int, first: int, count: int) -> npt.NDArray[np.uint64]:
        """Return the words of neighbouring blocks of one stream of each key: uint64, shape (keys, 4 * count).

        Args:
            op: the stream.
            first: the first block, counted from 0.
            count: the number of blocks.
        """
        size = len(self)
        if count > _LONG or size * count <= _FEW:
            return words_at(self.addresses(op), 4 * count, first)
        left = np.empty((2, size, count), np.uint64)
        left[0] = np.arange(first + 1, first + count + 1, dtype=np.uint64)
        left[1] = (self._calls | np.uint64(op << 32))[:, np.newaxis]
        right = np.repeat(self._under[:, :, np.newaxis], count, axis=2)
        seeds = self._seeds if self._seeds.shape[1] == 1 else np.repeat(self._seeds, count, axis=1)
        left, right = _ten_rounds(left.reshape(2, -1), right.reshape(2, -1), seeds)
        words = np.empty((4, size * count), np.uint64)
        words[::2], words[1::2] = left, right
        return words.T.reshape(size, 4 * count)


def _ten_rounds(
    left: npt.NDArray[np.uint64], right: npt.NDArray[np.uint64], keys: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the output of Philox for counters, passed and returned as their words 0 and 2 and their words 1 and 3.

    Follows J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. A product of 64 by 64 bits is the sum
    of four products of halves; no partial sum overflows.
    """
    # As arrays, because NumPy converts scalars at every call: benchmarks/batches.py.
    half, mask = np.array(HALF), np.array(LOWER)
    halves: npt.NDArray[np.uint64] = np.empty((2, *left.shape), np.uint64)
    low: npt.NDArray[np.uint64] = halves[0]
    high: npt.NDArray[np.uint64] = halves[1]
    # First both halves times the lower half of the factors, then both times the upper half.
    products: npt.NDArray[np.uint64] = np.empty((4, *left.shape), np.uint64)
    least, middle, other, most = list(products)
    both = products[1:3]
    pairs = products.reshape(2, 2, *left.shape)
    for key in keys + _ROUNDS:
        np.bitwise_and(left, mask, out=low)
        np.right_shift(left, half, out=high)
        np.multiply(halves, _HALVES, out=pairs)
        least >>= half
        middle += least
        np.bitwise_and(middle, mask, out=least)
        other += least
        both >>= half
        most += middle
        most += other
        left *= _FACTORS
        right ^= most[::-1]
        right ^= key
        left, right = right, left[::-1]
    return left, right


class ManyDraws:
    """The streams of one transform for all samples of a batch, one word of each after another; see Draws.

    Word 0 decides whether the transform fires. Every method except `words` takes one word of each stream.

    Args:
        keys: the samples' keys.
        op: the transform's stream.
        first: the first block of each stream if it is computed already: uint64, shape (keys, 4).

    Example:
        >>> draws = ManyDraws(ManyKeys([SampleKey(42, 3, 1234), SampleKey(42, 3, 1235)]), 0)
        >>> draws.integer(10).tolist(), draws.chance(0.5).tolist()
        ([2, 4], [False, False])
    """

    __slots__ = ("_blocks", "_count", "_keys", "_op")

    def __init__(self, keys: ManyKeys, op: int, first: npt.NDArray[np.uint64] | None = None) -> None:
        self._keys, self._op, self._count = keys, op, 0
        self._blocks = [] if first is None else [first]

    def __len__(self) -> int:
        return len(self._keys)

    def __getitem__(self, rows: npt.NDArray[np.intp]) -> ManyDraws:
        draws = ManyDraws(self._keys[rows], self._op)
        draws._count, draws._blocks = self._count, [block[rows] for block in self._blocks]
        return draws

    def noise(self) -> list[Address]:
        """Return the address of each stream's noise: the first block after all words drawn so far."""
        block = -(-self._count // 4)
        return [address._replace(block=block) for address in self._keys.addresses(self._op)]

    def word(self) -> npt.NDArray[np.uint64]:
        """Return the next raw word of each stream: uint64, shape (keys,)."""
        block, column = divmod(self._count, 4)
        while len(self._blocks) <= block:
            self._blocks.append(self._keys.blocks([self._op], len(self._blocks) + 1)[0])
        self._count += 1
        return self._blocks[block][:, column]

    def words(self, n: int) -> npt.NDArray[np.uint64]:
        """Return the next n raw words of each stream: uint64, shape (keys, n)."""
        return np.stack([self.word() for _ in range(n)], axis=1)

    def unit(self) -> npt.NDArray[np.float64]:
        """Return a number in [0, 1) for each sample: float64, shape (keys,)."""
        return units_of(self.word())

    def uniform(self, low: float, high: float) -> npt.NDArray[np.float64]:
        """Return ``low + (high - low) * unit`` for each sample: float64, shape (keys,)."""
        return low + (high - low) * self.unit()

    def integer(self, n: int | npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """Return an integer in [0, n) for each sample: int64, shape (keys,).

        Args:
            n: the number of values, in [1, 2**32], one for all samples or one for each.
        """
        return upper_product(self.word(), n)

    def chance(self, p: float) -> npt.NDArray[np.bool_]:
        """Return True with probability p for each sample, bool, shape (keys,)."""
        return self.below(limit_of(p))

    def below(self, limit: int) -> npt.NDArray[np.bool_]:
        """Return whether the next word of each stream is below a number in [0, 2**64], bool, shape (keys,)."""
        word = self.word()
        return np.full(len(word), True) if limit >= 2**64 else word < np.uint64(limit)
