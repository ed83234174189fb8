"""Tempo and pitch of audio, by Signalsmith Stretch."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from seedsafe.functional.sound import float32_audio, not_finite
from seedsafe.ground.exactness import STRETCH, exact
from seedsafe.ground.info import Array

__all__ = ["shift_pitch", "stretch_time", "stretched_length"]


def stretched_length(length: int, rate: float) -> int:
    """Return the length of the result of `stretch_time` in samples.

    Example:
        >>> stretched_length(1000, 1.25)
        800
    """
    return max(1, round(length / rate))


@exact(STRETCH)
def stretch_time(audio: Array, rate: float, sample_rate: int) -> Array:
    """Return audio played faster or more slowly at the same pitch.

    Args:
        audio: float32, (samples,) or (channels, samples).
        rate: the factor of the tempo, in [0.5, 2]; 1 for no change.
        sample_rate: the sample rate in hertz, in [8000, 192000].

    Raises:
        TypeError: the audio has the wrong dtype.
        ValueError: the audio has the wrong shape, or holds NaN or infinity, or the sample rate is out of its range.
        ImportError: python-stretch is not installed.

    Example:
        >>> stretch_time(np.zeros(1000, np.float32), 1.25, 16000).shape
        (800,)
    """
    return _process(audio, sample_rate, rate=rate)


@exact(STRETCH)
def shift_pitch(audio: Array, semitones: float, sample_rate: int) -> Array:
    """Return audio at a different pitch and the same tempo.

    Args:
        audio: float32, (samples,) or (channels, samples).
        semitones: the shift, in [-24, 24]; 12 doubles all frequencies, 0 for no change.
        sample_rate: the sample rate in hertz, in [8000, 192000].

    Raises:
        TypeError: the audio has the wrong dtype.
        ValueError: the audio has the wrong shape, or holds NaN or infinity, or the sample rate is out of its range.
        ImportError: python-stretch is not installed.

    Example:
        >>> shift_pitch(np.zeros((2, 1000), np.float32), 3, 16000).shape
        (2, 1000)
    """
    return _process(audio, sample_rate, semitones=semitones)


def _process(audio: Array, sample_rate: int, *, rate: float = 1.0, semitones: float = 0.0) -> Array:
    length = float32_audio(audio).shape[-1]
    if rate == 1.0 and semitones == 0.0:
        return audio.copy()
    if not np.isfinite(audio).all():
        raise not_finite()
    if not 8000 <= sample_rate <= 192000:  # with much lower rates, the library never returns
        raise ValueError(f"sample_rate must be in [8000, 192000], got {sample_rate}: resample the audio")
    try:
        library: Any = import_module("python_stretch")
    except ImportError as error:
        raise ImportError('tempo and pitch need python-stretch: pip install "seedsafe[audio]"') from error
    channels = np.require(audio.reshape(-1, audio.shape[-1]), requirements=["C", "W"])  # it accepts no others
    # Without a seed, some of its phases come from the system's entropy.
    stretch = library.Signalsmith.Stretch(0)
    stretch.preset(len(channels), sample_rate)
    if rate != 1.0:
        stretch.setTimeFactor(rate)
        length = stretched_length(length, rate)
    else:
        stretch.setTransposeSemitones(semitones)
    output = stretch.process(channels)[:, :length]
    result = np.zeros((*audio.shape[:-1], length), np.float32)
    result.reshape(-1, length)[:, : output.shape[1]] = output
    return result
