"""Tempo and pitch of audio, by Signalsmith Stretch, which python-stretch brings along."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from seedsafe.functional.sound import float32_audio
from seedsafe.ground.info import Array

__all__ = ["shift_pitch", "stretch_time", "stretched_length"]


def stretched_length(length: int, rate: float) -> int:
    """Return how many samples `stretch_time` makes of so many.

    Example:
        >>> stretched_length(1000, 1.25)
        800
    """
    return max(1, round(length / rate))


def stretch_time(audio: Array, rate: float, sample_rate: int) -> Array:
    """Return audio that is played faster or more slowly at the same pitch. Equal with the same build of python-stretch.

    Args:
        audio: float32, (samples,) or (channels, samples).
        rate: how much faster, in [0.5, 2]; 1 for no change.
        sample_rate: in hertz, in [8000, 192000].

    Raises:
        TypeError: it has another dtype.
        ValueError: it has another shape, or holds NaN or infinity, or the sample rate is out of its range.
        ImportError: python-stretch is not installed.

    Example:
        >>> stretch_time(np.zeros(1000, np.float32), 1.25, 16000).shape
        (800,)
    """
    if rate == 1.0:
        return float32_audio(audio).copy()
    length = stretched_length(float32_audio(audio).shape[-1], rate)
    return _process(audio, length, sample_rate, "setTimeFactor", rate)


def shift_pitch(audio: Array, semitones: float, sample_rate: int) -> Array:
    """Return audio at another pitch and the same tempo. Equal with the same build of python-stretch.

    Args:
        audio: float32, (samples,) or (channels, samples).
        semitones: how much higher, in [-24, 24]; 12 doubles all frequencies, 0 for no change.
        sample_rate: in hertz, in [8000, 192000].

    Raises:
        TypeError: it has another dtype.
        ValueError: it has another shape, or holds NaN or infinity, or the sample rate is out of its range.
        ImportError: python-stretch is not installed.

    Example:
        >>> shift_pitch(np.zeros((2, 1000), np.float32), 3, 16000).shape
        (2, 1000)
    """
    if semitones == 0.0:
        return float32_audio(audio).copy()
    return _process(audio, float32_audio(audio).shape[-1], sample_rate, "setTransposeSemitones", semitones)


def _process(audio: Array, length: int, sample_rate: int, setting: str, value: float) -> Array:
    if not np.isfinite(audio).all():
        raise ValueError(
            "audio must be finite, got NaN or infinity among its samples: leave such samples out"
        )
    if not 8000 <= sample_rate <= 192000:  # with far lower ones, the library never returns
        raise ValueError(f"sample_rate must be in [8000, 192000], got {sample_rate}: resample the audio")
    try:
        library: Any = import_module("python_stretch")
    except ImportError as error:
        raise ImportError('tempo and pitch need python-stretch: pip install "seedsafe[audio]"') from error
    channels = np.require(audio.reshape(-1, audio.shape[-1]), requirements=["C", "W"])  # it takes no others
    # Without a seed, some of its phases come from the system's entropy.
    stretch = library.Signalsmith.Stretch(0)
    stretch.preset(len(channels), sample_rate)
    getattr(stretch, setting)(value)
    output = stretch.process(channels)[:, :length]
    result = np.zeros((*audio.shape[:-1], length), np.float32)
    result.reshape(-1, length)[:, : output.shape[1]] = output
    return result
