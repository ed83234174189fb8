"""Audio: gain, polarity and segments. NumPy alone; exact on every machine."""

from __future__ import annotations

import numpy as np

from seedsafe.ground.info import Array

__all__ = ["amplify", "invert_polarity", "segment"]


def amplify(audio: Array, gain: float) -> Array:
    """Return audio multiplied by float32(gain), not clipped.

    Args:
        audio: float32, (samples,) or (channels, samples).
        gain: a factor, 1 for no change.

    Raises:
        TypeError: it has another dtype.
        ValueError: it has another shape.

    Example:
        >>> amplify(np.array([0.5, -1.0], np.float32), 0.5).tolist()
        [0.25, -0.5]
    """
    return _float32(audio) * float(gain)  # a Python number is brought to the array's dtype


def invert_polarity(audio: Array) -> Array:
    """Return audio with its sign changed.

    Args:
        audio: float32, (samples,) or (channels, samples).

    Raises:
        TypeError: it has another dtype.
        ValueError: it has another shape.

    Example:
        >>> invert_polarity(np.array([0.5, -1.0], np.float32)).tolist()
        [-0.5, 1.0]
    """
    return -_float32(audio)


def segment(audio: Array, start: int, length: int) -> Array:
    """Return `length` samples from `start` on; where audio ends before that, zeros.

    Args:
        audio: (samples,) or (channels, samples), any dtype.
        start: the first sample.
        length: in samples.

    Returns:
        (length,) or (channels, length); a view where the segment lies inside.

    Example:
        >>> segment(np.array([1.0, 2.0, 3.0], np.float32), 1, 3).tolist()
        [2.0, 3.0, 0.0]
    """
    found = audio[..., start : start + length]
    if found.shape[-1] == length:
        return found
    padded = np.zeros((*audio.shape[:-1], length), audio.dtype)
    padded[..., : found.shape[-1]] = found
    return padded


def _float32(audio: Array) -> Array:
    if audio.ndim not in (1, 2):
        raise ValueError(
            f"audio must have the shape (samples,) or (channels, samples), got {audio.shape}: reshape it"
        )
    if audio.dtype != np.float32:
        raise TypeError(
            f"audio must be float32 in [-1, 1], got dtype {audio.dtype}: "
            "convert it, int16 for instance with (audio / 32768).astype(numpy.float32)"
        )
    return audio
