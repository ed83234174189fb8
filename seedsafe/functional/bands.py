"""Butterworth filters of audio, by SciPy."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from seedsafe.functional.sound import float32_audio
from seedsafe.ground.info import Array

__all__ = ["filter_band"]


def filter_band(
    audio: Array, low: float | None, high: float | None, sample_rate: int, *, order: int = 2
) -> Array:
    """Return audio with the frequencies between two cutoffs, by ``scipy.signal.butter`` and ``sosfilt``.

    Results are equal with the same build of SciPy. The filter starts at rest, as before silence.

    Args:
        audio: float32, (samples,) or (channels, samples).
        low: the frequency in hertz at which those below are 3 dB softer; None keeps all of them.
        high: the frequency at which those above are 3 dB softer, below half the sample rate; None keeps all of them.
        sample_rate: in hertz.
        order: of the filter at each end: 6 dB an octave for each.

    Raises:
        TypeError: it has another dtype.
        ValueError: it has another shape, holds NaN or infinity, or there is no such band.
        ImportError: SciPy is not installed.

    Example:
        >>> tone = np.sin(np.arange(8000) * 2.0, dtype=np.float32)
        >>> bool(np.abs(filter_band(tone, None, 100, 16000)).max() < 0.01)
        True
    """
    signal: Any = _signal()
    edges = [edge for edge in (low, high) if edge is not None]
    kind = "bandpass" if len(edges) == 2 else "lowpass" if low is None else "highpass"
    if not edges or not 0.0 < edges[0] <= edges[-1] < sample_rate / 2 or (len(edges) == 2 and low == high):
        raise ValueError(
            f"low and high must be frequencies above 0 and below half the sample rate {sample_rate}, low below high, "
            f"got {low!r} and {high!r}: pass others"
        )
    sections = signal.butter(
        order, edges if len(edges) == 2 else edges[0], kind, fs=sample_rate, output="sos"
    )
    result: Array = signal.sosfilt(sections, float32_audio(audio)).astype(np.float32)
    if not np.isfinite(result[..., -1:]).all():  # what is not finite stays in the filter
        raise ValueError(
            "audio must be finite, got NaN or infinity among its samples: leave such samples out"
        )
    return result


def _signal() -> Any:
    try:
        return import_module("scipy.signal")
    except ImportError as error:
        raise ImportError('filters need SciPy: pip install "seedsafe[audio]"') from error
