"""Tensors for collate functions of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

__all__ = ["collate_tensors"]


def collate_tensors(samples: Any, collate: Callable[[Any], Any]) -> Any:
    """Call a collate function with samples in which images (C, H, W) of float32 are tensors, as torchvision returns them.

    Example:
        >>> samples = [(np.zeros((1, 2, 2), np.float32), 7)]
        >>> collate_tensors(samples, lambda batch: type(batch[0][0]).__name__)
        'Tensor'
    """
    return collate(_with_tensors(samples))


def _with_tensors(part: Any) -> Any:
    if isinstance(part, np.ndarray):
        return torch.from_numpy(part) if part.ndim == 3 and part.dtype == np.float32 else part
    if isinstance(part, dict):
        return {name: _with_tensors(one) for name, one in part.items()}
    if type(part) not in (list, tuple) and not hasattr(part, "_fields"):
        return part
    parts = map(_with_tensors, part)
    return type(part)(*parts) if hasattr(part, "_fields") else type(part)(parts)
