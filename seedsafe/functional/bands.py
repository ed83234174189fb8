"""Butterworth filters of audio, by SciPy."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from seedsafe.functional.sound import float32_audio, not_finite
from seedsafe.ground.exactness import SCIPY, exact
from seedsafe.ground.info import Array

__all__ = ["filter_band", "stop_bands"]


@exact(SCIPY)
def filter_band(
    audio: Array, low: float | None, high: float | None, sample_rate: int, *, order: int = 2
) -> Array:
    """Return audio with only the frequencies between two cutoffs, by ``scipy.signal.butter`` and ``sosfilt``.

    The filter starts as if silence came before the audio.

    Args:
        audio: float32, (samples,) or (channels, samples).
        low: the lower cutoff in hertz, where the filter takes 3 dB off, or None for no lower cutoff.
        high: the upper cutoff in hertz, below half the sample rate, or None for no upper cutoff.
        sample_rate: the sample rate in hertz.
        order: the order of the filter at each cutoff; every 1 more adds 6 dB an octave.

    Raises:
        TypeError: the audio has the wrong dtype.
        ValueError: the audio has the wrong shape, holds NaN or infinity, or the cutoffs do not form a band.
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
            f"got {low!r} and {high!r}: pass other frequencies"
        )
    sections = signal.butter(
        order, edges if len(edges) == 2 else edges[0], kind, fs=sample_rate, output="sos"
    )
    return _filtered(signal, sections, audio)


@exact(SCIPY)
def stop_bands(audio: Array, bands: Sequence[tuple[float, float]]) -> Array:
    """Return audio without some bands of frequencies, by filters of order 2 of ``scipy.signal.butter``.

    The filters start as if silence came before the audio.

    Args:
        audio: float32, (samples,) or (channels, samples).
        bands: the lower and the upper cutoff of each, as shares of half the sample rate, low below high. Parts outside
            [0, 1] are ignored.

    Raises:
        TypeError: the audio has the wrong dtype.
        ValueError: the audio has the wrong shape, or holds NaN or infinity.
        ImportError: SciPy is not installed.

    Example:
        >>> tone = np.sin(np.arange(8000) * (0.25 * np.pi), dtype=np.float32)
        >>> bool(np.abs(stop_bands(tone, [(0.2, 0.3)])[2000:]).max() < 0.01)
        True
    """
    signal: Any = _signal()
    sections = []
    for low, high in bands:
        if low < _LEAST and high > 1 - _LEAST:
            return np.zeros_like(float32_audio(audio))
        if high < _LEAST or low > 1 - _LEAST:
            continue
        if low < _LEAST:
            sections.append(signal.butter(2, high, "highpass", output="sos"))
        elif high > 1 - _LEAST:
            sections.append(signal.butter(2, low, "lowpass", output="sos"))
        else:
            sections.append(signal.butter(2, (low, high), "bandstop", output="sos"))
    return _filtered(signal, np.concatenate(sections), audio) if sections else float32_audio(audio).copy()


_LEAST = 1e-3
"""The share of half the sample rate below which a cutoff counts as none."""


def _filtered(signal: Any, sections: Array, audio: Array) -> Array:
    result: Array = signal.sosfilt(sections, float32_audio(audio)).astype(np.float32)
    if not np.isfinite(result[..., -1:]).all():  # NaN and infinity stay in the filter until the last sample
        raise not_finite()
    return result


def _signal() -> Any:
    try:
        return import_module("scipy.signal")
    except ImportError as error:
        raise ImportError('filters need SciPy: pip install "seedsafe[audio]"') from error
