"""Keys and the words of streams, as tensors.

The words are Philox4x64-10's, in tensors of 64-bit integers. Tensors have no unsigned arithmetic, so a word is an int64 with the same 64
bits, and products are made of halves of 32 bits, as in `seedsafe.keys.many`. It runs on any device, and torch can compile it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from seedsafe import SampleKey
from seedsafe.keys.many import ManyKeys

__all__ = ["key_tensor", "signed", "upper_half", "upper_word", "words_of"]

_LOWER: Final = 0xFFFFFFFF
_ROUNDS: Final = 10
_FACTORS: Final = 0xD2E7470EE14C6C93, 0xCA5A826395121157
_STEPS: Final = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B


def key_tensor(keys: Any) -> Tensor:
    """Return keys as an int64 tensor (N, 4): the two halves of the seed, ``epoch << 32 | occurrence << 16 | view``, the index.

    Raises:
        TypeError: they are neither a tensor nor SampleKeys, or the tensor is not int64.
        ValueError: the tensor is not (N, 4), or a key has the number of a call.

    Example:
        >>> key_tensor([SampleKey(42, 3, 1234)]).tolist()
        [[42, 0, 12884901888, 1234]]
    """
    if isinstance(keys, Tensor):
        if keys.dtype is not torch.int64:
            raise TypeError(
                f"keys must be int64, got {keys.dtype}: pass the last entry of a batch from loader(…, keys=True) as it is"
            )
        if keys.ndim != 2 or keys.shape[1] != 4:
            raise ValueError(
                f"keys must have the shape (N, 4), got {tuple(keys.shape)}: pass the last entry of a batch from "
                "loader(…, keys=True)"
            )
        return keys
    if not isinstance(keys, ManyKeys):
        some = keys if isinstance(keys, Sequence) else [keys]
        wrong = [key for key in some if not isinstance(key, SampleKey)]
        if wrong or not isinstance(keys, Sequence):
            raise TypeError(
                f"keys must be a list of SampleKeys or a tensor, got {(wrong or [keys])[0]!r}: pass [SampleKey(seed, epoch, index), …]"
            )
        keys = ManyKeys(keys)
    return torch.from_numpy(keys.table().view(np.int64))


def signed(word: int) -> int:
    """Return the int64 with the same 64 bits.

    Example:
        >>> signed(2**64 - 1), signed(5)
        (-1, 5)
    """
    return (word + 2**63) % 2**64 - 2**63


def words_of(keys: Tensor, op: int, first: int, count: int) -> Tensor:
    """Return blocks of four words of the stream `op` of each key: int64, shape (keys, 4 * count).

    Args:
        keys: int64, shape (keys, 4): the four words of each; see `key_tensor`.
        op: the stream.
        first: the first block, counted from 0.
        count: the number of blocks.

    Example:
        >>> from seedsafe import SampleKey
        >>> from seedsafe.keys.key import address, philox
        >>> words = words_of(torch.tensor([[42, 0, 3 << 32, 1234]]), 0, 0, 1)
        >>> words.tolist()[0] == [signed(word) for word in philox(address(SampleKey(42, 3, 1234))).random_raw(4).tolist()]
        True
    """
    low, high, moment, index = (column.unsqueeze(-1) for column in keys.unbind(-1))
    # torch's compiler takes a bare range for an index, whose products have 32 bits on a GPU: `& 0` makes it values.
    block = torch.arange(first + 1, first + count + 1, device=keys.device) + (index & 0)
    # The word of the stream is one number for all: its first product is Python's, whose integers have no end.
    product = (op << 32) * _FACTORS[1]
    left: list[Any] = [moment ^ low ^ signed(product >> 64), signed(product % 2**64)]
    right = [upper_word(block, _FACTORS[0]) ^ index ^ high, block * signed(_FACTORS[0])]
    for _ in range(_ROUNDS - 1):
        low, high = low + signed(_STEPS[0]), high + signed(_STEPS[1])
        left, right = (
            [upper_word(right[0], _FACTORS[1]) ^ left[1] ^ low, right[0] * signed(_FACTORS[1])],
            [upper_word(left[0], _FACTORS[0]) ^ right[1] ^ high, left[0] * signed(_FACTORS[0])],
        )
    return torch.stack(torch.broadcast_tensors(*left, *right), -1).flatten(-2)  # type: ignore[no-untyped-call]


def upper_word(words: Tensor, factor: int) -> Tensor:
    """Return the upper 64 bits of the exact products of unsigned words and a factor in [0, 2**64).

    No product or sum of parts leaves the range of int64, on which compiled code relies. The parts are those of the signed numbers
    with the same bits. A negative one is too small by 2**64, so 2**64 times the other number is added at the end.

    Example:
        >>> upper_word(torch.tensor([-1, 5]), 2**63).tolist() == [(2**64 - 1) * 2**63 >> 64, 2]
        True
    """
    number = signed(factor)
    low, high = words & _LOWER, words >> 32
    factor_low, factor_high = number & _LOWER, number >> 32
    least = ((low >> 1) * factor_low + (low & 1) * (factor_low >> 1)) >> 31  # low * factor_low >> 32
    middle = high * factor_low + least
    other = low * factor_high + (middle & _LOWER)
    upper = high * factor_high + (middle >> 32) + (other >> 32) + ((words >> 63) & number)
    return upper + words if number < 0 else upper


def upper_half(words: Tensor) -> Tensor:
    """Return the upper 32 bits of words, as numbers in [0, 2**32)."""
    return (words >> 32) & _LOWER
