"""What albumentations' arguments mean to seedsafe: numbers of OpenCV's as names, ranges, and a probability for everything."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

import seedsafe as ss

__all__ = [
    "NO_AREA",
    "around",
    "ends_of",
    "fires",
    "flag_of",
    "interpolation_of",
    "is_number",
    "known",
    "mask_fill_of",
    "method_of",
    "mode_of",
    "number_of",
    "only",
    "pair_of",
    "scaled",
    "several_of",
    "warn_without_effect",
]

NO_AREA: Final = "put a Resize with interpolation=cv2.INTER_AREA before it"

_INTERPOLATIONS: Final = {
    0: "nearest",
    1: "bilinear",
    2: "bicubic",
    3: "area",
    4: "lanczos",
    5: "bilinear",
    6: "nearest",
}
_ROTATE_METHODS: Final = {"largest_box": "corners", "ellipse": "ellipse"}
_MODES: Final = {0: "constant", 1: "edge", 2: "symmetric", 4: "reflect"}


def fires(transform: Any, p: float, always_apply: bool | None = None) -> Any:
    """Return a transform that fires with albumentations' probability.

    Args:
        transform: one of seedsafe's.
        p: the probability.
        always_apply: of albumentations 1.x: True fires always.
    """
    p = 1.0 if always_apply is not None and flag_of("always_apply", always_apply) else number_of("p", p)
    if hasattr(transform, "p"):
        return replace(transform, p=p)
    return transform if p == 1 else ss.RandomApply([transform], p=p)


def interpolation_of(number: int, mask_interpolation: int = 0) -> str:
    """Return seedsafe's name of one of OpenCV's interpolations."""
    if not is_number(mask_interpolation) or mask_interpolation not in (0, 6):
        raise ValueError(
            f"mask_interpolation must be cv2.INTER_NEAREST, got {mask_interpolation!r}: a mask holds labels, which "
            "cannot be interpolated; declare what can be as an image, with additional_targets"
        )
    if not is_number(number) or number not in _INTERPOLATIONS:
        raise ValueError(
            f"interpolation must be one of {sorted(_INTERPOLATIONS)}, the values of cv2.INTER_*, got {number!r}"
        )
    return _INTERPOLATIONS[number]


def mode_of(border_mode: int) -> str:
    """Return seedsafe's name of one of OpenCV's borders."""
    if not is_number(border_mode) or border_mode not in _MODES:
        raise ValueError(
            f"border_mode must be one of {sorted(_MODES)}, values of cv2.BORDER_*, got {border_mode!r}: use "
            "BORDER_REFLECT_101 instead of BORDER_WRAP"
        )
    return _MODES[border_mode]


def method_of(rotate_method: str) -> str:
    """Return seedsafe's name of how a box is put around a turned one."""
    if not isinstance(rotate_method, str) or rotate_method not in _ROTATE_METHODS:
        raise ValueError(
            f"rotate_method must be one of {', '.join(map(repr, _ROTATE_METHODS))}, got {rotate_method!r}: take another one"
        )
    return _ROTATE_METHODS[rotate_method]


def mask_fill_of(fill_mask: Any) -> float:
    """Return the label that a mask is filled with."""
    if fill_mask is None:
        return 0
    if isinstance(fill_mask, tuple | list):
        if len({*map(repr, fill_mask)}) != 1:
            raise ValueError(
                f"fill_mask must be one label, got {fill_mask!r}: a mask has one channel of labels"
            )
        fill_mask = fill_mask[0]
    number: float = number_of("fill_mask", fill_mask)
    return number


def is_number(value: Any) -> bool:
    """Return whether a value is one finite number, Python's or NumPy's."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return number and abs(value) < float("inf")


def number_of(name: str, value: Any) -> Any:
    """Return a value that must be one number."""
    if not is_number(value):
        raise TypeError(
            f"{name} must be a finite number, got {value!r} of type {type(value).__name__}: pass one"
        )
    return value


def flag_of(name: str, value: Any) -> bool:
    """Return a value that must be True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, got {value!r}: pass one of them")
    return value


def several_of(name: str, value: Any) -> tuple[Any, ...]:
    """Return numbers that must be a list, a tuple or an array."""
    given = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(given, tuple | list) or not all(map(is_number, given)):
        raise TypeError(f"{name} must be a list of numbers, got {value!r}: pass numbers in brackets")
    return tuple(given)


def ends_of(value: Any) -> tuple[Any, Any]:
    """Return the two ends of a range."""
    ends = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(ends, tuple | list) or len(ends) != 2 or not all(map(is_number, ends)):
        raise TypeError(f"a range must be one number or a pair (low, high), got {value!r}: pass numbers")
    return ends[0], ends[1]


def around(value: Any, bias: float = 0.0) -> tuple[float, float]:
    """Return a limit as albumentations reads it: x is -x to x, a pair is a range; both around the bias."""
    low, high = (-value, value) if is_number(value) else ends_of(value)
    return min(low, high) + bias, max(low, high) + bias


def pair_of(value: Any) -> tuple[Any, Any]:
    """Return a range; one number stands for both ends."""
    if is_number(value):
        return value, value
    low, high = ends_of(value)
    return (low, high) if low <= high else (high, low)


def scaled(value: Any, factor: float) -> Any:
    """Return a number or a tuple of numbers, multiplied."""
    return tuple(one * factor for one in value) if isinstance(value, Sequence) else value * factor


def known(name: str, value: Any, words: tuple[str, ...]) -> None:
    """Raise an error for a word that albumentations does not know; those that it knows mean the same here."""
    if not isinstance(value, str) or value not in words:
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, words))}, got {value!r}: take another one"
        )


def only(name: str, value: Any, allowed: Any, instead: str) -> None:
    """Raise an error for a value of an argument that seedsafe does not have."""
    if isinstance(value, np.ndarray) or value != allowed:
        raise ValueError(f"{name} must be {allowed!r}, got {value!r}: {instead}")


def warn_without_effect(name: str, value: Any, instead: str) -> None:
    """Warn of a value that albumentations 2.0.8 does not use either, unless it asks for nothing."""
    if value is not None and value != 0 and value != (0, 0):
        warnings.warn(
            f"{name}={value!r} has no effect, as in albumentations 2: {instead}, or leave it out",
            stacklevel=3,
        )
