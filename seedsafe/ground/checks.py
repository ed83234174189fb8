"""Checks of arguments: each returns the value in one form, or raises an error that names the way out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np

from seedsafe.keys.key import checked_int

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["around", "flag", "integers", "pair", "probability", "real", "record_ids", "span"]


def real(name: str, value: Any, low: float, high: float, way_out: str) -> float:
    """Return `value` as a finite float in [low, high]."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name} must be a number, got {value!r} of type {type(value).__name__}: {way_out}")
    try:
        number = float(value)
    except OverflowError:  # an integer beyond every float
        number = math.inf if value > 0 else -math.inf
    if not (math.isfinite(number) and low <= number <= high):
        raise ValueError(f"{name} must be {_bounds(low, high)}, got {number!r}: {way_out}")
    return number


def _bounds(low: float, high: float) -> str:
    if math.isfinite(high):
        return f"in [{low:g}, {high:g}]"
    return f"finite and at least {low:g}" if math.isfinite(low) else "finite"


def flag(name: str, value: Any) -> bool:
    """Return a value that must be True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return value


def probability(p: Any) -> float:
    """Return p as a float in [0, 1]."""
    return real("p", p, 0.0, 1.0, "pass the share of samples that the transform fires for")


def span(name: str, value: Any, low: float, high: float, way_out: str) -> tuple[float, float]:
    """Return a range as two floats, the lower one first; one number stands for both ends."""
    ends = tuple(value) if isinstance(value, tuple | list) else (value, value)
    if len(ends) != 2:
        raise ValueError(f"{name} must be one number or a pair (low, high), got {value!r}: {way_out}")
    first, last = (real(name, end, low, high, way_out) for end in ends)
    if first > last:
        raise ValueError(f"{name} must be (low, high) with low at most high, got {value!r}: swap them")
    return first, last


def around(
    name: str, value: Any, middle: float, low: float, high: float, way_out: str
) -> tuple[float, float]:
    """Return a range as two floats; one number is how far it reaches to both sides of the middle, cut off at low and high."""
    if isinstance(value, tuple | list):
        return span(name, value, low, high, way_out)
    reach = real(name, value, 0.0, high - middle, way_out)
    return max(low, middle - reach), middle + reach


def integers(name: str, value: Any, low: int, high: int, way_out: str) -> tuple[int, int]:
    """Return a range as two integers in [low, high], both ends included; one integer stands for both."""
    ends = tuple(value) if isinstance(value, tuple | list) else (value, value)
    if len(ends) != 2:
        raise ValueError(f"{name} must be one integer or a pair (low, high), got {value!r}: {way_out}")
    first, last = (checked_int(name, end, low, high + 1, way_out) for end in ends)
    if first > last:
        raise ValueError(f"{name} must be (low, high) with low at most high, got {value!r}: swap them")
    return first, last


def pair(name: str, value: Any, way_out: str) -> tuple[int, int]:
    """Return a (height, width) of positive integers; one integer stands for both."""
    sides = tuple(value) if isinstance(value, tuple | list) else (value, value)
    if len(sides) != 2:
        raise ValueError(f"{name} must be one integer or a pair (height, width), got {value!r}: {way_out}")
    height, width = (checked_int(name, side, 1, 2**31, way_out) for side in sides)
    return height, width


def record_ids(ids: Any, length: int | None) -> npt.NDArray[np.uint64]:
    """Return a dataset's record ids as uint64, shape (length,)."""
    way_out = "pass ImageFolder.record_ids, or [record_index(id) for id in ...] in the order of the dataset"
    if not isinstance(ids, Iterable) or isinstance(
        ids, AbstractSet | Mapping
    ):  # those have no order to go by
        raise TypeError(f"ids must be a sequence of integers, got {ids!r}: {way_out}")
    if not (isinstance(ids, np.ndarray) and ids.dtype == np.uint64):
        # NumPy by itself makes floats of integers on both sides of 2**63.
        ids = np.array([checked_int("an id of ids", one, 0, 2**64, way_out) for one in ids], np.uint64)
    found: npt.NDArray[np.uint64] = ids
    if found.ndim != 1 or len(found) != length:
        raise ValueError(
            f"ids must have one id for each sample, got the shape {found.shape} for a dataset of length {length}: "
            f"{way_out}"
        )
    order = np.argsort(found, kind="stable")
    same = np.flatnonzero(found[order][1:] == found[order][:-1])
    if same.size:
        first, second = (int(order[same[0] + step]) for step in (0, 1))
        raise ValueError(
            f"ids must differ, got {found[first]} for the samples {first} and {second}: they would be augmented alike; "
            "give one of the records another id"
        )
    return found
