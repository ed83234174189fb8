"""Options that transforms of audio share: lengths, which are whole numbers or shares of all that there is."""

from __future__ import annotations

import math
from functools import cache
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from seedsafe.ground.checks import span
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Option

__all__ = ["DECIBELS", "SNR", "Length", "length", "length_of", "need"]

Length = Option[float | tuple[float, float], tuple[float, float] | tuple[int, int]]

DECIBELS: Final = "pass decibels, or a range (low, high)"
SNR: Final = "pass the ratio of signal to noise in decibels, or a range (low, high)"


def length(name: str, value: Any, sign: int, unit: str) -> tuple[float, float] | tuple[int, int]:
    """Return a range of lengths: of integers as they are, or of floats as shares of the whole.

    Args:
        name: the argument's.
        value: (low, high), or one number.
        sign: -1 where lengths may be negative, 0 where not.
        unit: what integers count.
    """
    ends = tuple(value) if isinstance(value, tuple | list) else (value, value)
    way_out = f"pass integers for {unit}, or floats in [{sign}, 1] for shares of all, or a range (low, high)"
    if ends and all(isinstance(end, int | np.integer) and not isinstance(end, bool) for end in ends):
        return span(name, value, sign * 2**30, 2**30, way_out, whole=True)
    return span(name, value, float(sign), 1.0, way_out)


def length_of(rng: Draws, limits: Any, whole: int, most: int | None = None) -> int:
    """Return the length that the next word gives.

    Args:
        rng: the stream.
        limits: what `length` returned.
        whole: the length of all that there is.
        most: the longest that is allowed, if there is one.
    """
    low, high = limits
    if isinstance(high, float):
        share = math.floor(whole * rng.uniform(low, high))
        return share if most is None else min(share, most)
    if most is not None:
        high = min(high, most)
        low = min(low, high)
    result: int = low + rng.integer(high - low + 1)
    return result


@cache
def need(module: str, words: str) -> None:
    """Raise ImportError, where a pipeline is made, if it will need a module that is not installed; it is not imported."""
    if find_spec(module) is None:
        raise ImportError(f'{words}: pip install "seedsafe[audio]"')
