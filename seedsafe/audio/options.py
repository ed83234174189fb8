"""Options and the base class of audio transforms."""

from __future__ import annotations

import math
import platform
import sys
from functools import cache
from importlib.util import find_spec
from typing import Any, ClassVar, Final

import numpy as np

from seedsafe.ground.checks import checked_int, probability, span
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.node import Node
from seedsafe.pipeline.option import Option, option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import AudioTransform

__all__ = [
    "DECIBELS",
    "RATE",
    "SNR",
    "Length",
    "LibraryTransform",
    "NeedsLibrary",
    "length",
    "length_of",
    "need",
]

Length = Option[float | tuple[float, float], tuple[float, float] | tuple[int, int]]

DECIBELS: Final = "pass decibels, or a range (low, high)"
RATE: Final = "pass the audio's samples per second"
SNR: Final = "pass the ratio of signal to noise in decibels, or a range (low, high)"


def length(name: str, value: Any, sign: int, unit: str) -> tuple[float, float] | tuple[int, int]:
    """Return a range of lengths: integers count units, floats are shares of the whole.

    The sign is -1 if lengths may be negative, else 0.
    """
    ends = tuple(value) if isinstance(value, tuple | list) else (value, value)
    way_out = (
        f"pass integers for {unit}, or floats in [{sign}, 1] for shares of the whole, or a range (low, high)"
    )
    if ends and all(isinstance(end, int | np.integer) and not isinstance(end, bool) for end in ends):
        return span(name, value, sign * 2**30, 2**30, way_out, whole=True)
    return span(name, value, float(sign), 1.0, way_out)


def length_of(rng: Draws, limits: Any, whole: int, most: int | None = None) -> int:
    """Draw a length, at most `most`, between the limits from `length`; floats are shares of `whole`."""
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
    """Raise ImportError if a module is not installed, without importing it."""
    if find_spec(module) is None:
        built = module == "python_stretch" and (sys.platform, platform.machine()) == ("linux", "aarch64")
        way_out = (
            "python-stretch, with a C++ compiler: it has no wheels for Linux on ARM"
            if built
            else '"seedsafe[audio]"'
        )
        raise ImportError(f"{words}: pip install {way_out}")


class NeedsLibrary(AudioTransform):
    """A transform that another library computes. Creating a pipeline with it needs that library."""

    library: ClassVar[tuple[str, str]]
    """The module and the name of the library."""

    def bind(self, namer: Namer) -> Node:
        module, library = self.library
        need(module, f"{type(self).__name__} needs {library}")
        return AudioTransform.bind(self, namer)


@primitive(opencv=False)
class LibraryTransform(NeedsLibrary):
    """A transform that another library computes from the audio's sample rate."""

    sample_rate: int = option(
        checked_int, 1, 2**31, RATE, kw_only=True, doc="the sample rate of the audio, in hertz."
    )
    p: float = option(probability, default=1.0, kw_only=True)
