"""Batches of several dtypes, alike for any workers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, Final

import torch
from torch.utils.data import get_worker_info
from torch.utils.data._utils import collate as torchs

__all__ = ["join", "join_dtypes"]

_TENSORS: Final = torchs.default_collate_fn_map[torch.Tensor]


def join_dtypes() -> None:
    """In a worker, let torch's collate function join dtypes as it does without workers: there it takes the first sample's.

    The table of functions is torch's way to extend it. A function of the user's stays.
    """
    table = torchs.default_collate_fn_map
    if table[torch.Tensor] is _TENSORS and get_worker_info() is not None:
        table[torch.Tensor] = join


def join(tensors: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """Collate tensors as torch does, in the dtype that all of them fit in."""
    dtypes = {tensor.dtype for tensor in tensors}
    if len(dtypes) > 1:
        dtype = reduce(torch.promote_types, dtypes)
        tensors = [tensor.to(dtype) for tensor in tensors]
    return _TENSORS(tensors, collate_fn_map=collate_fn_map)
