"""Numbers from raw words.

Every number is computed from the stream's raw 64-bit words by exact or singly rounded operations, because NumPy
guarantees the words of its bit generators across versions, but not its distributions (NEP 19).
"""

from __future__ import annotations

from math import ceil, isfinite, prod
from operator import index
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.random import Generator

from seedsafe.keys.decisions import beta
from seedsafe.keys.key import Address, SampleKey, address, checked_int, philox
from seedsafe.keys.words import (
    MAX_NORMAL,
    MovablePhilox,
    normal_quantiles,
    sixteenths,
    units_of,
    upper_product,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt  # costs a tenth of NumPy's import: benchmarks/import_time.py

    Shape = int | tuple[int, ...]
    Weights = Sequence[float] | npt.NDArray[Any]

__all__ = [
    "Draws",
    "PooledDraws",
    "checked_choice",
    "checked_shape",
    "checked_weights",
    "chosen_error",
    "draws_counted",
    "limit_of",
    "number_error",
    "probability_error",
    "quantiles_between",
    "span_error",
    "values_counted",
    "values_error",
    "weighted_choice",
    "weights_counted",
]


class Draws:
    """The stream of one transform for one sample, one 64-bit word after another.

    Word 0 decides whether the transform fires; Compose takes it before it calls ``draw``. Each number takes one word,
    whatever the arguments are: one for a single number, and one for each number of an array, in C order. But `normal`
    takes a quarter of a word for each, and `beta` 34 words.

    A `shape` is an integer or a tuple of integers, each at least 0.

    Args:
        at: the stream's address, from ``seedsafe.keys.key.address``. `draws` makes one from a key.

    Example:
        >>> draws = Draws(address(SampleKey(42, 3, 1234)))
        >>> draws.integer(10), draws.chance(0.5)
        (2, False)

        Arrays are the same draws one after another:

        >>> Draws(address(SampleKey(42, 3, 1234))).integer(10, (2, 2)).tolist()
        [[2, 8], [5, 4]]

        Three of 128 values, and a permutation of five:

        >>> draws.choice(128, 3).tolist(), draws.permutation(5).tolist()
        ([68, 55, 51], [1, 3, 0, 2, 4])
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

    @property
    def epoch(self) -> int:
        """The epoch of the sample, for strengths that follow a schedule. Reading it takes no word."""
        return self.address.moment >> 32

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
        return units_of(self._next(n))

    @overload
    def uniform(self, low: float, high: float) -> float: ...
    @overload
    def uniform(self, low: float, high: float, shape: Shape) -> npt.NDArray[np.float64]: ...
    def uniform(self, low: float, high: float, shape: Shape | None = None) -> Any:
        """Return ``low + (high - low) * unit``, in [low, high]; rounding can give both ends. With a shape, float64.

        Raises:
            TypeError: low or high is not a number.
            ValueError: low, high or their difference is not finite.
        """
        try:
            low = float(low)
            span = float(high) - low
        except (TypeError, ValueError):
            raise TypeError(
                f"low and high must be numbers, got {low!r} and {high!r}: pass uniform(low, high)"
            ) from None
        if not isfinite(span):
            raise span_error(low, high)
        if shape is not None:
            return low + span * units_of(self._array(shape))
        self._count += 1
        return low + span * ((self._next() >> 11) * 2.0**-53)

    @overload
    def integer(self, n: int) -> int: ...
    @overload
    def integer(self, n: int, shape: Shape) -> npt.NDArray[np.int64]: ...
    def integer(self, n: int, shape: Shape | None = None) -> Any:
        """Return an integer in [0, n): the upper 64 bits of the exact product of a word and n. With a shape, int64.

        Raises:
            TypeError: n is not an integer.
            ValueError: n is not in [1, 2**32].
        """
        try:
            number = index(n)
        except TypeError:
            raise number_error(n) from None
        if not 1 <= number <= 0x1_0000_0000:
            raise values_error(n)
        if shape is not None:
            return upper_product(self._array(shape), number)
        self._count += 1
        return (self._next() * number) >> 64

    def beta(self, a: float, b: float) -> float:
        """Return a number of the distribution Beta(a, b), in [0, 1], as the shares of MixUp are drawn. This takes 34 words.

        Raises:
            TypeError: a or b is not a number.
            ValueError: a or b is not in [0.001, 10**6].
        """
        for name, value in (("a", a), ("b", b)):
            if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
                raise TypeError(f"{name} must be a number, got {value!r}: pass beta(0.4, 0.4)")
            if not 0.001 <= value <= 1e6:
                raise ValueError(f"{name} must be in [0.001, 10**6], got {value!r}: pass beta(0.4, 0.4)")
        return beta(self, float(a), float(b))

    @overload
    def chance(self, p: float) -> bool: ...
    @overload
    def chance(self, p: float, shape: Shape) -> npt.NDArray[np.bool_]: ...
    def chance(self, p: float, shape: Shape | None = None) -> Any:
        """Return True with probability p. With a shape, a mask: bool.

        Raises:
            ValueError: p is not in [0, 1].
        """
        try:
            is_share = 0.0 <= p <= 1.0
        except (TypeError, ValueError):  # a string, an array
            is_share = False
        if not is_share:
            raise probability_error(p)
        if shape is not None:
            return units_of(self._array(shape)) < p
        self._count += 1
        return (self._next() >> 11) * 2.0**-53 < p

    def normal(self, shape: Shape) -> npt.NDArray[np.float64]:
        """Return draws from the standard normal distribution, float64, by the noise table: in ±4.325.

        They begin at the next block of four words and take whole blocks: four numbers for each word, 16 bits each.
        """
        sizes = checked_shape(shape)
        count = prod(sizes)
        numbers = normal_quantiles()[sixteenths(self.noise(), count)].reshape(sizes)
        blocks = -(-self._count // 4) + -(-count // 16)
        self._next(4 * blocks - self._count)
        self._count = 4 * blocks
        return numbers

    def truncated_normal(self, low: float, high: float, shape: Shape) -> npt.NDArray[np.float64]:
        """Return draws from the standard normal distribution between two bounds, float64, from the noise table.

        Each is one of the table's quantiles in [low, high], all with the same probability.

        Raises:
            ValueError: none of the quantiles is between the bounds.
        """
        first, count = quantiles_between(low, high)
        table = normal_quantiles()
        numbers: npt.NDArray[np.float64] = table[first + upper_product(self._array(shape), count)]
        return numbers

    def permutation(self, n: int) -> npt.NDArray[np.int64]:
        """Return 0 … n - 1 in a random order, int64, shape (n,): the stable argsort of n words.

        Raises:
            ValueError: n is negative.
        """
        return np.argsort(self._array(n), kind="stable").astype(np.int64, copy=False)

    @overload
    def choice(self, n: int, *, weights: Weights | None = None) -> int: ...
    @overload
    def choice(
        self, n: int, k: int, *, weights: Weights | None = None, replace: bool = False
    ) -> npt.NDArray[np.int64]: ...
    def choice(
        self, n: int, k: int | None = None, *, weights: Weights | None = None, replace: bool = False
    ) -> Any:
        """Return one of 0 … n - 1, or k of them in the order in which they are drawn: int64, shape (k,).

        Args:
            n: the number of values to choose from, in [1, 2**32].
            k: the number of values to return, which takes as many words; None for one, as an integer.
            weights: n numbers, of which each value's probability is a share; without them all are equal.
            replace: whether a value may come several times.

        Raises:
            TypeError: n is not an integer, such as the values themselves, k is none, or replace is not a bool.
            ValueError: n or k is out of its range, a weight is negative or not finite, or fewer than k of them are above 0.
        """
        n, k = checked_choice(n, k, replace)
        if weights is not None:
            return self._weighted(n, k, weights, replace)
        if k is None:
            return self.integer(n)
        if k < 0 or not (replace or k <= n):
            raise chosen_error(n, k)
        if replace:
            return self.integer(n, k)
        moved: dict[int, int] = {}  # Fisher and Yates's shuffle, of which only the swapped entries are kept
        chosen = np.empty(k, np.int64)
        for step in range(k):
            position = step + self.integer(n - step)
            chosen[step] = moved.get(position, position)
            moved[position] = moved.get(step, step)
        return chosen

    def multinomial(self, n: int, weights: Weights) -> npt.NDArray[np.int64]:
        """Return how many of n draws fall on each of some weights: int64, shape (weights,). This takes n words.

        Raises:
            TypeError: n is not an integer, or the weights are not numbers.
            ValueError: n is negative, or a weight is negative or not finite, or none is above 0.
        """
        count, size = draws_counted(n), weights_counted(weights)
        return np.bincount(self._weighted(size, count, weights, replace=True), minlength=size)

    def _weighted(self, n: int, k: int | None, weights: Weights, replace: bool) -> Any:
        count = 1 if k is None else index(k)
        shares = checked_weights(weights, n, count, replace)
        chosen = weighted_choice(units_of(self._array(count)), shares, replace)
        return int(chosen[0]) if k is None else chosen

    def _array(self, shape: Shape) -> npt.NDArray[np.uint64]:
        """Return the next raw words in C order: uint64, in the shape."""
        sizes = checked_shape(shape)
        count = prod(sizes)
        self._count += count
        words: npt.NDArray[np.uint64] = self._next(count).reshape(sizes)
        return words

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


def checked_shape(shape: Any) -> tuple[int, ...]:
    """Return a shape as a tuple of integers, or raise an error."""
    try:
        sizes = tuple(map(index, shape)) if isinstance(shape, tuple | list) else (index(shape),)
    except TypeError:
        raise TypeError(
            f"a shape must be an integer or a tuple of integers, got {shape!r}: pass the number of values"
        ) from None
    if any(size < 0 for size in sizes):
        raise ValueError(f"a shape must have no negative size, got {shape!r}: pass the number of values")
    return sizes


def number_error(n: Any) -> TypeError:
    """Return the error for a number of values that is not an integer."""
    return TypeError(
        f"n must be an integer, the number of values to draw from, got {n!r} of type {type(n).__name__}: pass int(n)"
    )


def checked_choice(n: Any, k: Any, replace: Any) -> tuple[int, int | None]:
    """Return the number of values to choose from and that of those to choose as ints, or raise an error."""
    if not isinstance(replace, bool | np.bool_):
        raise TypeError(
            f"replace must be True or False, got {replace!r}: pass True to draw values several times"
        )
    count = values_counted(n)
    try:
        return count, None if k is None else index(k)
    except TypeError:
        raise TypeError(
            f"k must be an integer, the number of values to choose, got {k!r}: pass choice(n, k), or leave k out for one"
        ) from None


def values_counted(n: Any) -> int:
    """Return a number of values to choose from as an int, or raise an error for the values themselves."""
    try:
        return index(n)
    except TypeError:
        raise TypeError(
            f"n must be an integer, the number of values, got one of type {type(n).__name__}: choose from values by "
            "values[draws.choice(len(values))]"
        ) from None


def weights_counted(weights: Any) -> int:
    """Return how many weights there are, or raise an error."""
    try:
        return len(weights)
    except TypeError:
        raise TypeError(
            f"weights must be a sequence of numbers, got {weights!r}: pass multinomial(n, weights)"
        ) from None


def draws_counted(n: Any) -> int:
    """Return the number of a multinomial's draws as an int, or raise an error."""
    return checked_int("n", n, 0, 2**63, "pass multinomial(n, weights) with the number of draws")


def checked_weights(weights: Any, n: int, k: int, replace: bool) -> npt.NDArray[np.float64]:
    """Return a copy of n weights to choose k values by, float64, shape (n,), or raise an error."""
    try:
        shares = np.array(weights, np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            f"weights must be numbers, one for each value, got {weights!r}: pass the share of each value"
        ) from None
    if shares.shape != (n,):
        raise ValueError(
            f"weights must be {n} numbers, one for each value, got the shape {shares.shape}: pass a weight for each"
        )
    with np.errstate(over="ignore"):
        total = np.cumsum(shares)[-1] if n else 0.0
    if not ((shares >= 0).all() and 0 < total < np.inf):
        raise ValueError(
            f"weights must be finite, at least 0, and their sum finite and above 0, got {weights!r}: pass the share of each value"
        )
    positive = int(np.count_nonzero(shares))
    if k < 0 or not (replace or k <= positive):
        raise ValueError(
            f"k must be at least 0 and at most the {positive} weights above 0, got {k!r}: pass replace=True to draw values "
            "several times"
        )
    return shares


def weighted_choice(
    units: npt.NDArray[np.float64], shares: npt.NDArray[np.float64], replace: bool
) -> npt.NDArray[np.int64]:
    """Return the values that numbers in [0, 1) choose, one after another, by their shares: int64, in the shape of the units.

    Without `replace` the share of a chosen value is 0 for those after it.
    """
    n = len(shares)
    chosen = np.empty(len(units), np.int64)
    sums = np.cumsum(shares)
    for step, unit in enumerate(units):
        if step and not replace:
            shares[chosen[step - 1]] = 0.0
            sums = np.cumsum(shares)
        found = np.searchsorted(sums, unit * sums[-1], "right")
        # Rounding can give the sum of all weights itself.
        chosen[step] = found if found < n else np.flatnonzero(shares)[-1]
    return chosen


def quantiles_between(low: float, high: float) -> tuple[int, int]:
    """Return the number of the first of the noise table's quantiles in [low, high], and how many there are."""
    table = normal_quantiles()
    first, end = np.searchsorted(table, low, "left"), np.searchsorted(table, high, "right")
    if not first < end:
        raise ValueError(
            f"low and high must leave room for at least one value between -{MAX_NORMAL} and {MAX_NORMAL}, got {low!r} and {high!r}: "
            "pass bounds in standard deviations, low below high"
        )
    return int(first), int(end - first)


def span_error(low: float, high: float) -> ValueError:
    """Return the error for bounds that are not finite, or too far apart."""
    return ValueError(
        f"low, high and high - low must be finite, got {low!r} and {high!r}: pass finite bounds"
    )


def values_error(n: Any) -> ValueError:
    """Return the error for a number of values that no word can choose from."""
    return ValueError(
        f"n must be at least 1 and at most 2**32, got {n!r}: pass the number of values to draw from"
    )


def probability_error(p: Any) -> ValueError:
    """Return the error for a number that is not a probability."""
    return ValueError(f"p must be a probability in [0, 1], got {p!r}: pass the share of True")


def chosen_error(n: int, k: Any) -> ValueError:
    """Return the error for more values than there are to choose from."""
    return ValueError(
        f"k must be at least 0 and at most n = {n}, got {k!r}: pass replace=True to draw values several times"
    )


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
        """Go to a sample; `to_stream` then goes to one of its streams."""
        words, counter = self._key, self._counter
        words[0], words[1], _, counter[1], self._call, counter[3] = address(key)

    def go(self, root: Address) -> None:
        """Go to the sample whose stream 0 begins at this address, like `enter`."""
        words, counter = self._key, self._counter
        words[0], words[1], _, counter[1], self._call, counter[3] = root

    def to_stream(self, op: int) -> None:
        """Go to the beginning of the sample's stream `op`."""
        self._counter[2] = op << 32 | self._call
        self._bits.state = self._state
        self._count = 0
        self._generator = None
