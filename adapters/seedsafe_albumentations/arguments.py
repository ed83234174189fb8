"""Converters of albumentations' arguments to seedsafe's.

Each is called with a value, and with the argument's name for errors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

__all__ = [
    "Converter",
    "RefusedError",
    "any_of",
    "check_only",
    "each_of",
    "ends_of",
    "factors_of",
    "flag_of",
    "interpolation_of",
    "is_number",
    "limits_of",
    "mask_fill_of",
    "method_of",
    "mode_of",
    "nearest",
    "number_of",
    "pair_of",
    "several_of",
    "upward",
    "word_of",
]

Converter = Callable[[Any, str], Any]


class RefusedError(ValueError):
    """A value with which albumentations fails as well, though it takes it."""


_LEAST: Final = 1e-6
"""The least factor that seedsafe's transforms take: 0 itself has no probability in albumentations."""


def word_of(words: dict[Any, Any], way_out: str = "pass one of these") -> Converter:
    """Return a converter from albumentations' words, or the numbers of OpenCV's constants, to ours."""

    def word(value: Any, name: str) -> Any:
        if not isinstance(value, str | int | None) or isinstance(value, bool) or value not in words:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, words))}, got {value!r}: {way_out}")
        return words[value]

    return word


interpolation_of: Final = word_of(
    dict(enumerate(("nearest", "bilinear", "bicubic", "area", "lanczos", "bilinear", "nearest"))),
    "pass a value of cv2.INTER_*",
)
"""Return seedsafe's name of an interpolation of OpenCV; 5 and 6 are exact versions of 1 and 0, as ours are."""

mode_of: Final = word_of(
    {one: one for one in ("constant", "edge", "reflect", "symmetric")}
    | {0: "constant", 1: "edge", 2: "symmetric", 4: "reflect"},
    "pass cv2.BORDER_REFLECT_101 instead of BORDER_WRAP",
)
"""Return seedsafe's name of a border of OpenCV, or of a name, as in the IAA transforms."""


def nearest(value: Any, name: str) -> None:
    """Raise an error for any interpolation of masks but the nearest pixel."""
    if not is_number(value) or value not in (0, 6):
        raise ValueError(
            f"{name} must be cv2.INTER_NEAREST, got {value!r}: pass it, because a mask holds labels. Declare arrays without "
            "labels as images in additional_targets"
        )


def any_of(*words: str) -> tuple[str, Converter]:
    """Return the rule of an argument whose words have no effect here, because all mean the same."""
    return "", word_of(dict.fromkeys(words))


method_of: Final = word_of({"largest_box": "corners", "ellipse": "ellipse"})
"""Return seedsafe's name of a method that puts a box around a rotated box."""


def mask_fill_of(value: Any, name: str = "fill_mask") -> Any:
    """Return the label that fills a mask."""
    if value is None:
        return 0
    if isinstance(value, tuple | list):
        if len({*map(repr, value)}) != 1:
            raise ValueError(f"fill_mask must be one label, got {value!r}: pass one number")
        value = value[0]
    return number_of(value, name)


def is_number(value: Any) -> bool:
    """Return whether a value is one finite number of Python or NumPy."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return bool(number and abs(value) < float("inf"))


def number_of(value: Any, name: str) -> Any:
    """Return a value that must be one number."""
    if not is_number(value):
        raise TypeError(
            f"{name} must be a finite number, got {value!r} of type {type(value).__name__}: pass a number"
        )
    return value


def flag_of(value: Any, name: str) -> bool:
    """Return a value that must be True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, got {value!r}: pass one of them")
    return value


def several_of(
    value: Any, name: str, wanted: str = "a list of numbers", count: int | None = None
) -> tuple[Any, ...]:
    """Return the numbers of a list, a tuple or an array."""
    numbers = value.tolist() if isinstance(value, np.ndarray) else value
    is_list = isinstance(numbers, tuple | list) and all(map(is_number, numbers))
    if not is_list or count not in (None, len(numbers)):
        raise TypeError(f"{name} must be {wanted}, got {value!r}: pass numbers in brackets")
    return tuple(numbers)


def ends_of(value: Any, name: str) -> tuple[Any, ...]:
    """Return the two ends of a range."""
    return several_of(value, name, "one number or a pair (low, high)", 2)


def limits_of(value: Any, name: str) -> tuple[Any, Any]:
    """Return the range of a limit: one number x is -x to x."""
    low, high = (-value, value) if is_number(value) else ends_of(value, name)
    return min(low, high) + 0.0, max(low, high) + 0.0  # no negative zero


def factors_of(value: Any, name: str) -> tuple[float, float]:
    """Return the range of a factor for the limit of its difference from 1."""
    low, high = limits_of(value, name)
    if not low >= -1.0:
        raise RefusedError(
            f"{name} must be at least -1, got {value!r}, which draws factors from {1.0 + low:g}: albumentations fails if it draws one "
            "below 0; pass at most 1, or a range"
        )
    return max(1.0 + low, _LEAST), max(1.0 + high, _LEAST)


def pair_of(value: Any, name: str) -> tuple[Any, Any]:
    """Return a range. One number stands for both ends."""
    if is_number(value):
        return value, value
    low, high = ends_of(value, name)
    return (low, high) if low <= high else (high, low)


def upward(start: float, read: Converter | None = pair_of, whole: bool = False) -> Converter:
    """Return a converter of ranges. One number is the range between it and `start`; `read` converts anything else, unless it is None."""

    def between(value: Any, name: str) -> Any:
        if is_number(value) and not (whole and isinstance(value, float)):
            return min(start, value), max(start, value)
        return read(value, name) if read else value

    return between


def each_of(value: Any, name: str) -> tuple[float, ...]:
    """Return one number, or one number for each channel, as a tuple."""
    values = (value,) if is_number(value) else np.ravel(value) if isinstance(value, np.ndarray) else value
    return tuple(map(float, several_of(values, name, "one number or one for each channel")))


def check_only(value: Any, name: str, allowed: Any, instead: str) -> None:
    """Raise an error unless an argument has the one value that seedsafe allows."""
    value = tuple(value) if isinstance(value, list) else value
    if isinstance(value, np.ndarray) or value != allowed:
        raise ValueError(f"{name} must be {allowed!r}, got {value!r}: {instead}")
