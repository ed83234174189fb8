"""Keys as a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from seedsafe import SampleKey
from seedsafe.keys.many import ManyKeys

__all__ = ["key_tensor"]


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
