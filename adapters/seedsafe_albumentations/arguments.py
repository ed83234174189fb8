"""What albumentations' arguments mean to seedsafe: numbers of OpenCV's as names, ranges, and a probability for everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import seedsafe as ss

__all__ = [
    "NO_AREA",
    "around",
    "fires",
    "interpolation_of",
    "mask_fill_of",
    "method_of",
    "mode_of",
    "only",
    "pair_of",
    "scaled",
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
    if always_apply not in (None, True, False):
        raise TypeError(f"always_apply must be True or False, got {always_apply!r}")
    p = 1.0 if always_apply else p
    if hasattr(transform, "p"):
        return replace(transform, p=p)
    return transform if p == 1 else ss.RandomApply([transform], p=p)


def interpolation_of(number: int, mask_interpolation: int = 0) -> str:
    """Return seedsafe's name of one of OpenCV's interpolations."""
    if mask_interpolation not in (0, 6):
        raise ValueError(
            f"mask_interpolation must be cv2.INTER_NEAREST, got {mask_interpolation!r}: a mask holds labels, which "
            "cannot be interpolated; declare what can be as an image, with additional_targets"
        )
    if number not in _INTERPOLATIONS:
        raise ValueError(
            f"interpolation must be one of {sorted(_INTERPOLATIONS)}, the values of cv2.INTER_*, got {number!r}"
        )
    return _INTERPOLATIONS[number]


def mode_of(border_mode: int) -> str:
    """Return seedsafe's name of one of OpenCV's borders."""
    if border_mode not in _MODES:
        raise ValueError(
            f"border_mode must be one of {sorted(_MODES)}, values of cv2.BORDER_*, got {border_mode!r}: use "
            "BORDER_REFLECT_101 instead of BORDER_WRAP"
        )
    return _MODES[border_mode]


def method_of(rotate_method: str) -> str:
    """Return seedsafe's name of how a box is put around a turned one."""
    if rotate_method not in _ROTATE_METHODS:
        raise ValueError(
            f"rotate_method must be one of {', '.join(map(repr, _ROTATE_METHODS))}, got {rotate_method!r}: take another one"
        )
    return _ROTATE_METHODS[rotate_method]


def mask_fill_of(fill_mask: Any) -> float:
    """Return the label that a mask is filled with."""
    if fill_mask is None:
        return 0
    if isinstance(fill_mask, Sequence):
        if len(set(fill_mask)) != 1:
            raise ValueError(
                f"fill_mask must be one label, got {fill_mask!r}: a mask has one channel of labels"
            )
        fill_mask = fill_mask[0]
    number: float = fill_mask
    return number


def around(value: Any, bias: float = 0.0) -> tuple[float, float]:
    """Return a limit as albumentations reads it: x is -x to x, a pair is a range; both around the bias."""
    low, high = (-value, value) if isinstance(value, int | float) else value
    return min(low, high) + bias, max(low, high) + bias


def pair_of(value: Any) -> tuple[Any, Any]:
    """Return a range; one number stands for both ends."""
    if isinstance(value, int | float):
        return value, value
    low, high = value
    return (low, high) if low <= high else (high, low)


def scaled(value: Any, factor: float) -> Any:
    """Return a number or a tuple of numbers, multiplied."""
    return tuple(one * factor for one in value) if isinstance(value, Sequence) else value * factor


def only(name: str, value: Any, allowed: Any, instead: str) -> None:
    """Raise an error for a value of an argument that seedsafe does not have."""
    if value != allowed:
        raise ValueError(f"{name} must be {allowed!r}, got {value!r}: {instead}")
