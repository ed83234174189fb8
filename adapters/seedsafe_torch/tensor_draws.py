"""draws: a batch's random numbers as tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from operator import index
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch
from torch import Tensor

from seedsafe import SampleKey
from seedsafe.keys.draws import (
    checked_choice,
    checked_shape,
    checked_weights,
    chosen_error,
    draws_counted,
    probability_error,
    quantiles_between,
    span_error,
    values_error,
    weighted_choice,
    weights_counted,
)
from seedsafe.keys.key import check_name, op_of
from seedsafe.keys.many import ManyKeys
from seedsafe.keys.words import normal_quantiles
from seedsafe_torch.key_tensor import key_tensor, signed, upper_half, upper_word, words_of

if TYPE_CHECKING:
    from seedsafe.keys.draws import Shape, Weights

__all__ = ["TensorDraws", "draws"]

_constant: Final[Any] = torch.compiler.assume_constant_result
_FLOATS: Final = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
_TABLE_OF: Final = {torch.float64: torch.float64}
"""The dtype of the normal table for a dtype of the result; float32 for all others."""
_ENTRIES: Final = 2**22
"""A choice without replacement shuffles tables of up to this many entries; above, it keeps the swapped ones alone."""


def draws(
    keys: Tensor | Sequence[SampleKey] | ManyKeys,
    *,
    op: str | int,
    device: torch.device | str | int | None = None,
) -> TensorDraws:
    """Return the random numbers of each sample of a batch, drawn on a device.

    Row i depends only on ``keys[i]``, the stream and the numbers drawn before: not on the batch's other samples, their order, the
    rank or the device. The numbers are those of ``seedsafe.draws(key, name=op)``, which has one sample.

    Args:
        keys: the samples' keys: the last entry of a batch from ``loader(…, keys=True)``, an int64 tensor (N, 4); or a list of
            SampleKeys.
        op: the name of the stream, such as "noise". Streams of other names are independent. Or the number of a transform's
            stream, from ``Compose.streams()``.
        device: where the numbers are drawn; by default where the keys are, the CPU for a list.

    Raises:
        TypeError: keys are neither a tensor nor SampleKeys, or the tensor is not int64.
        ValueError: the tensor is not (N, 4), a key has ``call``, the name is not allowed, or the device has no float64.

    Example:
        Noise and a timestep for each image of a batch, as for diffusion:

        >>> keys = [SampleKey(42, 3, 1234), SampleKey(42, 3, 1235)]
        >>> timesteps = draws(keys, op="timestep").integer(1000)
        >>> noise = draws(keys, op="noise").normal((3, 8, 8))
        >>> timesteps.tolist(), tuple(noise.shape)
        ([497, 863], (2, 3, 8, 8))

        The same sample in another batch:

        >>> bool((draws(keys[1:], op="noise").normal((3, 8, 8)) == noise[1:]).all())
        True
    """
    table = key_tensor(keys)
    if device is not None:
        table = table.to(device)
    if table.device.type == "mps":
        raise ValueError(
            "device must have float64 for the stream contract's numbers, which mps lacks: draw on the CPU, device='cpu', and "
            "move the result"
        )
    return TensorDraws(table, op if type(op) is int and 0 <= op < 2**32 else _op_of(op))


class TensorDraws:
    """The streams of one name for the samples of a batch, one word of each after another; see `seedsafe.draws`.

    Each method returns a tensor (N, \\*shape) on the keys' device, whose row i is what `seedsafe.Draws` returns at ``keys[i]``. Calls
    take the next words in turn. Each number takes one word of 64 bits; `normal` alone takes a quarter of a word for each. A `shape`
    is an integer or a tuple of integers, one number for each sample without it.

    Floats are drawn in float64 and rounded once to the dtype, by default ``torch.get_default_dtype()``; for float16 and bfloat16 they
    are rounded to float32 first.

    Args:
        keys: int64, shape (N, 4); see `key_tensor`.
        op: the stream.

    Example:
        >>> numbers = draws([SampleKey(42, 3, 1234), SampleKey(42, 3, 1235)], op="mask")
        >>> numbers.integer(10), numbers.chance(0.5, (2,)).shape, numbers.epoch
        (tensor([8, 3]), torch.Size([2, 2]), tensor([3, 3]))
    """

    def __init__(self, keys: Tensor, op: int) -> None:
        self._keys, self._op = keys, op
        self._count = 0
        """The number of words drawn so far."""

    @property
    def epoch(self) -> Tensor:
        """The epoch of each sample, for strengths that follow a schedule: int64, shape (N,). Reading it takes no word."""
        return upper_half(self._keys[:, 2])

    def words(self, n: int) -> Tensor:
        """Return the next n raw words of each sample: int64, shape (N, n), with the bits of the unsigned words."""
        end = self._count + index(n)
        first = self._count // 4
        blocks = self._blocks(first, -(-end // 4) - first)
        words = blocks[:, self._count - 4 * first : end - 4 * first]
        self._count = end
        return words

    def uniform(
        self, low: float = 0.0, high: float = 1.0, shape: Shape = (), *, dtype: torch.dtype | None = None
    ) -> Tensor:
        """Return ``low + (high - low) * unit``, in [low, high]; rounding can give both ends.

        Raises:
            ValueError: low, high or their difference is not finite.
        """
        low, high = float(low), float(high)
        if not -math.inf < high - low < math.inf:  # the compiler traces no isfinite of a number that varies
            raise span_error(low, high)
        kind = _floating(dtype)
        units = _units_of(self._array(shape))
        return _rounded(units if (low, high) == (0.0, 1.0) else units.mul_(high - low).add_(low), kind)

    def integer(self, n: int, shape: Shape = ()) -> Tensor:
        """Return integers in [0, n): int64.

        Raises:
            ValueError: n is not in [1, 2**32].
        """
        if not 1 <= n <= 0x1_0000_0000:
            raise values_error(n)
        return upper_word(self._array(shape), index(n))

    def chance(self, p: float, shape: Shape = ()) -> Tensor:
        """Return True with probability p: bool.

        Raises:
            ValueError: p is not in [0, 1].
        """
        if not 0.0 <= p <= 1.0:
            raise probability_error(p)
        return _units_of(self._array(shape)) < p

    def normal(
        self, shape: Shape = (), *, dtype: torch.dtype | None = None, box_muller: bool = False
    ) -> Tensor:
        """Return draws from the standard normal distribution, by the stream contract's table: in ±4.325.

        They begin at the next block of four words and take whole blocks: four numbers for each word.

        Args:
            shape: see above.
            dtype: see above.
            box_muller: whether to compute them in float32 instead, by Box and Muller's method (1958), two for each word: in ±6.67.
                The stream contract does not fix these: they are equal on one kind of device with the same build of torch.
        """
        sizes, kind = checked_shape(shape), _floating(dtype)
        count = math.prod(sizes)
        if box_muller:
            words = self.words(-(-count // 2))
            radius = (-2 * ((upper_half(words) + 1).to(torch.float32) * 2.0**-32).log()).sqrt()
            angle = (words & 0xFFFFFFFF).to(torch.float32) * (2 * math.pi * 2.0**-32)
            numbers = torch.stack([radius * angle.cos(), radius * angle.sin()], -1).flatten(1)[:, :count]
            return _rounded(numbers.reshape(len(self._keys), *sizes), kind)
        first = -(-self._count // 4)
        blocks = -(-count // 16)
        words = self._blocks(first, blocks)
        self._count = 4 * (first + blocks)
        numbers = _normals(words, _TABLE_OF.get(kind, torch.float32))[:, :count]
        return _rounded(numbers.reshape(len(self._keys), *sizes), kind)

    def truncated_normal(
        self, low: float, high: float, shape: Shape = (), *, dtype: torch.dtype | None = None
    ) -> Tensor:
        """Return draws from the standard normal distribution between two bounds, from the stream contract's table.

        Raises:
            ValueError: none of the table's quantiles is between the bounds.
        """
        first, count = quantiles_between(low, high)
        kind = _floating(dtype)
        table = _quantiles(_TABLE_OF.get(kind, torch.float32), self._keys.device)
        return _rounded(table[first + upper_word(self._array(shape), count)], kind)

    def permutation(self, n: int) -> Tensor:
        """Return 0 … n - 1 in a random order for each sample: int64, shape (N, n). It takes n words.

        Raises:
            ValueError: n is negative.
        """
        words = self._array(n) ^ signed(2**63)  # signed numbers in the order of the unsigned words
        return torch.argsort(words, dim=1, stable=True)

    def choice(
        self, n: int, k: int | None = None, *, weights: Weights | None = None, replace: bool = False
    ) -> Tensor:
        """Return k of 0 … n - 1 for each sample, in the order in which they are drawn: int64, shape (N, k), or (N,) without k.

        Args:
            n: the number of values to choose from, in [1, 2**32].
            k: the number of values to return, which takes as many words.
            weights: n numbers, to which the values' probabilities are proportional, for all samples; without them all are equal. The choice
                is then made on the CPU.
            replace: whether a value may come several times.

        Raises:
            TypeError: n is not an integer, such as the values themselves.
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
        words = self.words(k)
        positions = [step + upper_word(words[:, step], n - step) for step in range(k)]
        if not k:
            return words
        return _shuffled(n, positions) if max(len(words), 1) * n <= _ENTRIES else _swapped(positions)

    def multinomial(self, n: int, weights: Weights) -> Tensor:
        """Return how many of n draws fall on each of some weights, for each sample: int64, shape (N, weights). It takes n words.

        Raises:
            ValueError: n is negative, or a weight is negative or not finite, or none is above 0.
        """
        chosen = self._weighted(weights_counted(weights), draws_counted(n), weights, replace=True)
        counts = torch.zeros((len(chosen), len(weights)), dtype=torch.int64, device=chosen.device)
        return counts.scatter_add(1, chosen, torch.ones_like(chosen))

    def _weighted(self, n: int, k: int | None, weights: Weights, replace: bool) -> Tensor:
        count = 1 if k is None else index(k)
        shares = checked_weights(weights, n, count, replace)
        units = _units_of(self._array(count)).cpu().numpy()
        rows = [weighted_choice(row, shares.copy(), replace) for row in units]
        chosen = np.stack(rows) if rows else np.empty((0, count), np.int64)
        result = torch.from_numpy(chosen).to(self._keys.device)
        return result[:, 0] if k is None else result

    def _array(self, shape: Shape) -> Tensor:
        """Return the next raw words of each sample in C order: int64, shape (N, *shape)."""
        sizes = checked_shape(shape)
        return self.words(math.prod(sizes)).reshape(len(self._keys), *sizes)

    def _blocks(self, first: int, count: int) -> Tensor:
        """Return the words of neighbouring blocks: int64, shape (N, 4 * count). NumPy computes them where it can."""
        keys = self._keys
        if keys.device.type == "cpu" and not torch.compiler.is_compiling():
            try:
                table = keys.numpy()
            except (RuntimeError, TypeError):  # a tensor without memory, as in vmap
                return words_of(keys, self._op, first, count)
            words = ManyKeys.of_table(table.view(np.uint64)).run(self._op, first, count)
            return torch.from_numpy(words.view(np.int64))
        return words_of(keys, self._op, first, count)


@_constant  # type: ignore[untyped-decorator]
def _op_of(name: str) -> int:
    """Return the stream of a name."""
    if not isinstance(name, str):
        raise TypeError(
            f"op must be the name of a stream, or its number in [0, 2**32), got {name!r}: pass a string such as 'noise'"
        )
    return op_of(check_name(name))


def _units_of(words: Tensor) -> Tensor:
    """Return the number in [0, 1) of each word: float64, in the shape of the words."""
    return (words >> 11).bitwise_and_(2**53 - 1).to(torch.float64).mul_(2.0**-53)


def _floating(dtype: torch.dtype | None) -> torch.dtype:
    """Return the dtype of floats, by default torch's, or raise an error."""
    kind = dtype or torch.get_default_dtype()
    if kind not in _FLOATS:
        raise ValueError(f"dtype must be a floating dtype, got {kind}: pass torch.float32")
    return kind


def _rounded(numbers: Tensor, dtype: torch.dtype) -> Tensor:
    """Return numbers in a floating dtype; float16 and bfloat16 by way of float32."""
    return (numbers if dtype is torch.float64 else numbers.to(torch.float32)).to(dtype)


def _normals(words: Tensor, dtype: torch.dtype) -> Tensor:
    """Return four entries of the normal table for each word, by its 16-bit pieces: shape (N, 4 * words)."""
    shifts = torch.arange(0, 64, 16, device=words.device)
    pieces = ((words.unsqueeze(-1) >> shifts) & 0xFFFF).flatten(1)
    table: Tensor = _quantiles(dtype, words.device)
    return table[pieces]


@_constant  # type: ignore[untyped-decorator]
def _quantiles(dtype: torch.dtype, device: torch.device) -> Tensor:
    """Return the normal table on a device: shape (65536,)."""
    return _moved_quantiles(dtype, device)


@cache
def _moved_quantiles(dtype: torch.dtype, device: torch.device) -> Tensor:
    return torch.tensor(normal_quantiles()).to(device=device, dtype=dtype)


def _shuffled(n: int, positions: list[Tensor]) -> Tensor:
    """Return what Fisher and Yates's shuffle swaps to the front, from the positions of its first steps: int64, shape (N, steps)."""
    first = positions[0].unsqueeze(1)
    values = torch.arange(n, device=first.device) + torch.zeros_like(first)
    chosen: list[Tensor] = []
    for step, position in enumerate(positions):
        rows = position.unsqueeze(1)
        chosen.append(values.gather(1, rows))
        values.scatter_(1, rows, values[:, step : step + 1].clone())  # no later step reads the front
    return torch.cat(chosen, 1)


def _swapped(positions: list[Tensor]) -> Tensor:
    """Do as `_shuffled` for any n: a value is looked up among the swaps before it, the latest of which counts."""
    swapped: list[Tensor] = []
    chosen: list[Tensor] = []

    def value_at(place: Tensor) -> Tensor:
        value = place
        for position, moved in zip(positions, swapped, strict=False):
            value = torch.where(position == place, moved, value)
        return value

    for step, position in enumerate(positions):
        chosen.append(value_at(position))
        swapped.append(value_at(torch.full_like(position, step)))
    return torch.stack(chosen, 1)
