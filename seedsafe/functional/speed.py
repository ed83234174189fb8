"""Speed of audio, by SciPy."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module

import numpy as np

from seedsafe.functional.sound import float32_audio, not_finite
from seedsafe.ground.exactness import SCIPY, exact
from seedsafe.ground.info import Array

__all__ = ["change_speed", "length_at_speed"]

_FINEST = 1000
"""The greatest denominator of a factor."""


def length_at_speed(length: int, factor: float) -> int:
    """Return the length in samples of the result of `change_speed`, from the audio's length and the factor.

    Example:
        >>> length_at_speed(1000, 1.25), length_at_speed(1000, 0.9)
        (800, 1112)
    """
    speed = _speed(factor)
    return -(-length * speed.denominator // speed.numerator)


@exact(SCIPY)
def change_speed(audio: Array, factor: float) -> Array:
    """Return audio played faster or more slowly, which makes it higher or lower, by ``scipy.signal.resample_poly``.

    Args:
        audio: float32, (samples,) or (channels, samples).
        factor: the speed, above 0, rounded to a fraction with a denominator of at most 1000; 1 for no change.

    Returns:
        float32, with samples ÷ factor samples, rounded up.

    Raises:
        TypeError: the audio has the wrong dtype.
        ValueError: the audio has the wrong shape, or holds NaN or infinity.
        ImportError: SciPy is not installed.

    Example:
        >>> change_speed(np.zeros((2, 1000), np.float32), 1.25).shape
        (2, 800)
    """
    speed = _speed(factor)
    if speed == 1 or not float32_audio(audio).size:
        return audio.copy()
    try:
        signal = import_module("scipy.signal")
    except ImportError as error:
        raise ImportError('the speed of audio needs SciPy: pip install "seedsafe[audio]"') from error
    result: Array = signal.resample_poly(audio, speed.denominator, speed.numerator, axis=-1).astype(
        np.float32
    )
    if not np.isfinite(result).all():
        raise not_finite()
    return result


def _speed(factor: float) -> Fraction:
    return Fraction(factor).limit_denominator(_FINEST)
