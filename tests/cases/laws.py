"""The laws that transforms draw by, written so that one test serves them all; NumPy alone is needed.

A law is given as a function of the parameters whose value is uniform in [0, 1] where the law holds: the law's own
distribution function. Whole numbers are spread over their share of that range, so that one test does for both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import seedsafe as ss

__all__ = [
    "AUDIO",
    "BOXED",
    "IMAGE",
    "LARGE",
    "ODD",
    "SPECTROGRAM",
    "Law",
    "area",
    "below",
    "folded",
    "hole",
    "log_uniform",
    "normal",
    "one_of",
    "part",
    "share",
    "slope",
    "uniform",
    "uniforms",
    "where",
    "window",
]

Law = Callable[[Any, float], float | None]
"""Gives a number that is uniform in [0, 1] of what was drawn and a uniform number; None of what the law says nothing about."""

IMAGE, LARGE, AUDIO, SPECTROGRAM = (
    ss.Info((200, 300, 3), "uint8"),
    ss.Info((30000, 40000, 3), "uint8"),
    ss.Info((2, 300), "float32"),
    ss.Info((80, 300), "float32"),
)
BOXED = ss.Info((30000, 40000, 3), "uint8", np.array([[10000.0, 9000.0, 30000.0, 24000.0]]))


def uniform(of: Callable[[Any], float], low: float, high: float) -> Law:
    """A number between two."""
    return lambda drawn, spare: (of(drawn) - low) / (high - low)


def log_uniform(of: Callable[[Any], float], low: float, high: float) -> Law:
    """A number whose logarithm lies evenly between two."""
    return lambda drawn, spare: math.log(of(drawn) / low) / math.log(high / low)


def normal(of: Callable[[Any], float], mean: float, deviation: float) -> Law:
    """A normal number."""
    return lambda drawn, spare: 0.5 * math.erfc((mean - of(drawn)) / (deviation * math.sqrt(2.0)))


def one_of(of: Callable[[Any], Any], values: Sequence[Any]) -> Law:
    """One of several, each as often as the others."""
    places = {value: k for k, value in enumerate(values)}
    return lambda drawn, spare: (places[of(drawn)] + spare) / len(places)


def below(of: Callable[[Any], int], count: Callable[[Any], int]) -> Law:
    """A whole number from 0 to below another, which is drawn too."""
    return lambda drawn, spare: (of(drawn) + spare) / count(drawn)


def where(holds: Callable[[Any], bool], law: Law) -> Law:
    """A law of some of what is drawn."""
    return lambda drawn, spare: law(drawn, spare) if holds(drawn) else None


def share(holds: Callable[[Any], bool], wanted: float) -> Law:
    """What holds for a share of all."""
    return lambda drawn, spare: wanted * spare if holds(drawn) else wanted + (1.0 - wanted) * spare


def part(*places: int) -> Callable[[Any], Any]:
    """Return what takes a part of what was drawn, by its places."""

    def taken(drawn: Any) -> Any:
        for place in places:
            drawn = drawn[place]
        return drawn

    return taken


def window(rows: int, columns: int) -> list[Law]:
    """A window (top, left, height, width) anywhere in an image."""
    return [below(part(0), lambda w: rows - w[2] + 1), below(part(1), lambda w: columns - w[3] + 1)]


def hole(rows: int, columns: int) -> list[Law]:
    """The first rectangle x0, y0, x1, y1 anywhere in an image."""
    return [
        below(part(0, 0, 0), lambda h: columns - (h[0][0][2] - h[0][0][0]) + 1),
        below(part(0, 0, 1), lambda h: rows - (h[0][0][3] - h[0][0][1]) + 1),
    ]


def folded(distance: float) -> float:
    """The share of normal distances below one, 0.05 wide."""
    return math.erf(distance / (0.05 * math.sqrt(2.0)))


def uniforms(*limits: tuple[float, float]) -> list[Law]:
    return [uniform(part(k), *pair) for k, pair in enumerate(limits)]


ODD = (3, 5, 7, 9)


def area(rectangle: Any) -> float:
    x0, y0, x1, y1 = rectangle
    return float((x1 - x0) * (y1 - y0))


def slope(rectangle: Any) -> float:
    x0, y0, x1, y1 = rectangle
    return float((y1 - y0) / (x1 - x0))
