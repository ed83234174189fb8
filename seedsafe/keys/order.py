"""The stored and the addressed order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, SupportsIndex, overload

import numpy as np

from seedsafe.keys.key import Address, SampleKey, address, checked_int, op_of, philox

if TYPE_CHECKING:
    import numpy.typing as npt  # costs a tenth of NumPy's import: benchmarks/import_time.py

__all__ = ["AddressedOrder", "epoch_order"]

_ROUNDS: Final = 8
_LEAST_BITS: Final = (
    8  # with fewer, the halves are so short that 8 rounds do not mix them: tests/test_addressed_order.py
)
_MULTIPLIER: Final = 0x9E3779B97F4A7C15
_WORD: Final = 2**64 - 1
_CHUNK: Final = 4096  # positions whose arrays stay in a processor's cache


class AddressedOrder:
    """A permutation of range(n) whose entries are computed one by one, and stored nowhere.

    It is a Feistel network over the smallest power of two that holds n. A result that is not below n goes through it again.

    Args:
        start: the address of the words that its rounds are made of.
        n: the number of samples, 1 ≤ n ≤ 2**63.

    Example:
        >>> order = epoch_order(42, 0, 10**12, order="addressed")
        >>> order[0], order[10**12 - 3 :].tolist(), order.position(order[7])
        (742702974166, [374507414981, 347750984799, 999969580925], 7)
    """

    def __init__(self, start: Address, n: SupportsIndex) -> None:
        self.n = checked_int("n", n, 1, 2**63 + 1, "pass the number of samples, at least one")
        bits = max((self.n - 1).bit_length(), _LEAST_BITS)
        self._lower = bits - bits // 2
        words = philox(start).random_raw(2 * _ROUNDS).tolist()
        self._shifts = 64 - bits // 2, 64 - self._lower  # of the results for the upper and the lower half
        self._rounds = list(enumerate(zip(words[::2], words[1::2], strict=True)))

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, position: Any) -> Any:
        """Return the sample at a position, or those at a slice or an array of positions: int64, in its shape."""
        if isinstance(position, slice):
            position = np.arange(*position.indices(self.n), dtype=np.int64)
        return self._find("position", position, self._rounds)

    def position(self, index: Any) -> Any:
        """Return the position of a sample, or those of an array of samples: int64, in its shape."""
        return self._find("index", index, self._rounds[::-1])

    def _find(self, name: str, asked: Any, rounds: Any) -> Any:
        if not isinstance(asked, np.ndarray):
            found = self._once(self._within(name, asked), rounds)
            while found >= self.n:
                found = self._once(found, rounds)
            return found
        for end in (asked.min(), asked.max()) if asked.size else ():
            self._within(name, end)
        result = asked.astype(np.uint64).ravel()
        for begin in range(0, result.size, _CHUNK):
            part = result[begin : begin + _CHUNK]
            part[:] = self._once(part, rounds)
            while (over := np.flatnonzero(part >= self.n)).size:
                part[over] = self._once(part[over], rounds)
        return result.reshape(asked.shape).astype(np.int64)

    def _within(self, name: str, asked: Any) -> int:
        try:
            return checked_int(name, asked, 0, self.n, f"this order has the samples 0 to {self.n - 1}")
        except ValueError as error:
            raise IndexError(str(error)) from None  # ends what reads a sequence by its positions

    def _once(self, x: Any, rounds: Any) -> Any:
        """Return the number, or the uint64 array, that the network makes of one."""
        halves = [x & (1 << self._lower) - 1, x >> self._lower]
        for number, (factor, addend) in rounds:
            mixed = (halves[number & 1] * factor + addend) & _WORD
            halves[~number & 1] ^= ((mixed ^ mixed >> 32) * _MULTIPLIER & _WORD) >> self._shifts[number & 1]
        return halves[1] << self._lower | halves[0]


@overload
def epoch_order(
    seed: SupportsIndex, epoch: SupportsIndex, n: SupportsIndex, *, order: Literal["stored"] = "stored"
) -> npt.NDArray[np.int64]: ...
@overload
def epoch_order(
    seed: SupportsIndex, epoch: SupportsIndex, n: SupportsIndex, *, order: Literal["addressed"]
) -> AddressedOrder: ...
def epoch_order(seed: SupportsIndex, epoch: SupportsIndex, n: SupportsIndex, *, order: str = "stored") -> Any:
    """Return the order of `n` samples in one epoch: a permutation of range(n).

    The stored one is an array, int64, shape (n,): the stable argsort of `n` raw words of the stream ``seedsafe/order`` at (seed,
    epoch, index 0), of which each permutation is equally likely. Its computation needs at most 28 bytes per element. The addressed one
    computes the sample at any position, and the position of any sample, and needs no memory: for more samples than memory holds.
    It has ``order[position]``, for one position, a slice or an array, ``order.position(index)`` and ``len(order)``.

    Args:
        seed: the seed of the run.
        epoch: the epoch.
        n: the number of samples, below 2**48; of the addressed order, in [1, 2**63].
        order: "stored" or "addressed", which are different orders.

    Raises:
        TypeError: an argument is not an integer.
        ValueError: an argument is out of its range.

    Example:
        >>> epoch_order(42, 0, 5).tolist()
        [0, 1, 4, 3, 2]
        >>> addressed = epoch_order(42, 0, 5, order="addressed")
        >>> list(addressed), addressed[3], addressed.position(addressed[3])
        ([4, 1, 2, 3, 0], 3, 3)
    """
    if order not in ("stored", "addressed"):
        raise ValueError(f'order must be "stored" or "addressed", got {order!r}: leave it out for "stored"')
    key = SampleKey(seed, epoch, 0)
    if order == "addressed":
        return AddressedOrder(address(key, op_of("seedsafe/order/addressed")), n)
    count = checked_int("n", n, 0, 2**48, "pass the number of samples")
    words: npt.NDArray[np.uint64] = philox(address(key, op_of("seedsafe/order"))).random_raw(count)
    return np.argsort(words, kind="stable").astype(np.int64, copy=False)
