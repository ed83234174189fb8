"""Integer coordinates: wide arithmetic, rounding, overflow errors."""

from __future__ import annotations

import numpy as np

from seedsafe.ground.info import Array

__all__ = ["put", "widen"]


def widen(coordinates: Array) -> Array:
    """Return floats unchanged, and integers as int64."""
    return coordinates.astype(np.int64, copy=False) if coordinates.dtype.kind == "i" else coordinates


def put(into: Array, values: Array) -> None:
    """Write coordinates into an array, rounded if it holds integers.

    Raises:
        ValueError: a coordinate does not fit the array's dtype.

    Example:
        >>> into = np.zeros(2, np.int8)
        >>> put(into, np.array([1.5, -3.0]))
        >>> into.tolist()
        [2, -3]
    """
    dtype = into.dtype
    if dtype.kind != "i":
        into[...] = values
        return
    if dtype.itemsize < 8 and values.size:
        limits = np.iinfo(dtype)
        low, high = values.min(), values.max()
        if not (limits.min - 0.5 <= low and high < limits.max + 0.5):
            raise ValueError(
                f"coordinates must fit into their dtype {dtype}, got {low if low < limits.min else high:g}: pass "
                "them as float32, with .astype(numpy.float32)"
            )
    into[...] = values if values.dtype.kind == "i" else np.rint(values)
