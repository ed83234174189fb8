"""Options that spatial transforms share, and how they are checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from seedsafe.functional.resize import INTERPOLATIONS
from seedsafe.functional.window import MODES
from seedsafe.ground.checks import flag, probability, real
from seedsafe.pipeline.transform import SpatialTransform

__all__ = ["Filled", "Interpolated", "around", "choice", "flag", "put_option"]

put_option = object.__setattr__  # what a frozen dataclass keeps in one form, whatever it was given


@dataclass(frozen=True, slots=True, repr=False)
class Filled(SpatialTransform):
    """A transform that may look beyond the image."""

    mode: str = field(default="constant", kw_only=True)
    fill: float | tuple[float, ...] = field(default=0, kw_only=True)
    mask_fill: float = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        choice("mode", self.mode, MODES)
        way_out = "pass one number, or one for each channel"
        if isinstance(self.fill, tuple | list):
            put_option(self, "fill", tuple(_number("fill", one, way_out) for one in self.fill))
        else:
            put_option(self, "fill", _number("fill", self.fill, way_out))
        put_option(
            self, "mask_fill", _number("mask_fill", self.mask_fill, "pass the label of what lies outside")
        )


@dataclass(frozen=True, slots=True, repr=False)
class Interpolated(SpatialTransform):
    """A transform that finds values between pixels, and fires with a probability."""

    interpolation: str = field(default="bilinear", kw_only=True)
    p: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        choice("interpolation", self.interpolation, INTERPOLATIONS)
        put_option(self, "p", probability(self.p))


def _number(name: str, value: Any, way_out: str) -> float:
    number = real(name, value, -math.inf, math.inf, way_out)
    return int(number) if number.is_integer() else number


def choice(name: str, value: Any, known: Sequence[str]) -> str:
    """Return a word that is one of those known."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")
    return value


def around(
    name: str, value: Any, low: float, high: float, way_out: str, *, centre: float = 0.0
) -> tuple[float, float]:
    """Return a range as two floats: a pair is one, and a number x stands for ``centre - x`` to ``centre + x``."""
    if isinstance(value, tuple | list):
        if len(value) != 2:
            raise ValueError(f"{name} must be one number or a pair (low, high), got {value!r}: {way_out}")
        first, last = (real(name, one, low, high, way_out) for one in value)
        if first > last:
            raise ValueError(f"{name} must be (low, high) with low at most high, got {value!r}: swap them")
        return first, last
    reach = real(name, value, 0.0, math.inf, way_out)
    return (
        real(name, centre - reach, low, high, way_out),
        real(name, centre + reach, low, high, way_out),
    )
