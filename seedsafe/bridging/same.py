"""Whether two results are the same, bit for bit, whatever they are made of."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["as_array", "same"]


def as_array(made: Any) -> Any:
    """Return a result as a NumPy array: a tensor's, a picture's, an array's own; None if it is none."""
    if isinstance(made, np.ndarray):
        return made
    if hasattr(made, "detach"):
        return made.detach().cpu().numpy()
    if hasattr(made, "__array__") or hasattr(made, "__array_interface__"):
        return np.asarray(made)
    return None


def same(one: Any, other: Any) -> bool:
    """Return whether two results are equal in type, structure and every bit.

    Example:
        >>> same({"x": np.array([np.nan])}, {"x": np.array([np.nan])}), same([1, 2.0], [1, 2])
        (True, False)
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, Mapping):
        return list(one) == list(other) and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    array, twin = as_array(one), as_array(other)
    if array is not None and twin is not None and not array.dtype.hasobject:
        return bool(
            array.shape == twin.shape and array.dtype == twin.dtype and array.tobytes() == twin.tobytes()
        )
    return _equal(one, other) or _written(one) == _written(other) is not None


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001  # somebody's equality, of objects that hold arrays for instance
        return False


def _written(thing: Any) -> bytes | None:
    try:
        return pickle.dumps(thing)
    except Exception:  # noqa: BLE001  # somebody's pickling
        return None
