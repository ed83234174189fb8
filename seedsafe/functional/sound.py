"""Gain, polarity, segments and order of audio.

Exact on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seedsafe.ground.info import Array

__all__ = [
    "amplify",
    "drop_chunks",
    "float32_audio",
    "invert_polarity",
    "reverse",
    "segment",
    "shaped_audio",
    "shift_time",
]


def amplify(audio: Array, gain: float) -> Array:
    """Return audio multiplied by float32(gain), without clipping.

    Args:
        audio: float32, (samples,) or (channels, samples).
        gain: a factor, 1 for no change.

    Raises:
        TypeError: the audio has the wrong dtype.
        ValueError: the audio has the wrong shape.

    Example:
        >>> amplify(np.array([0.5, -1.0], np.float32), 0.5).tolist()
        [0.25, -0.5]
    """
    return float32_audio(audio) * float(gain)  # NumPy converts a Python number to the array's dtype


def invert_polarity(audio: Array) -> Array:
    """Return audio with the opposite sign.

    Args:
        audio: float32, (samples,) or (channels, samples).

    Raises:
        TypeError: the audio has the wrong dtype.
        ValueError: the audio has the wrong shape.

    Example:
        >>> invert_polarity(np.array([0.5, -1.0], np.float32)).tolist()
        [-0.5, 1.0]
    """
    return -float32_audio(audio)


def segment(audio: Array, start: int, length: int) -> Array:
    """Return `length` samples from `start` on, with zeros after the end of the audio.

    Args:
        audio: (samples,) or (channels, samples), any dtype.
        start: the first sample.
        length: the length in samples.

    Returns:
        (length,) or (channels, length); a view if the segment lies inside the audio.

    Example:
        >>> segment(np.array([1.0, 2.0, 3.0], np.float32), 1, 3).tolist()
        [2.0, 3.0, 0.0]
    """
    part = audio[..., start : start + length]
    if part.shape[-1] == length:
        return part
    result = np.zeros((*audio.shape[:-1], length), audio.dtype)
    result[..., : part.shape[-1]] = part
    return result


def shift_time(audio: Array, samples: int, *, rollover: bool = True) -> Array:
    """Return audio shifted to later samples, or to earlier ones if the number is negative.

    Args:
        audio: (samples,) or (channels, samples), any dtype.
        samples: the shift, any integer.
        rollover: wrap samples around to the other end; otherwise zeros fill the gap.

    Raises:
        ValueError: the audio has the wrong shape.

    Example:
        >>> shift_time(np.array([1, 2, 3, 4]), 1).tolist(), shift_time(np.array([1, 2, 3, 4]), -1, rollover=False).tolist()
        ([4, 1, 2, 3], [2, 3, 4, 0])
    """
    length = shaped_audio(audio).shape[-1]
    if rollover:
        first = samples % length if length else 0
        return np.concatenate([audio[..., length - first :], audio[..., : length - first]], axis=-1)
    shift = min(max(samples, -length), length)
    result = np.zeros(audio.shape, audio.dtype)
    result[..., max(shift, 0) : length + min(shift, 0)] = audio[..., max(-shift, 0) : length - max(shift, 0)]
    return result


def reverse(audio: Array) -> Array:
    """Return audio backwards.

    Args:
        audio: (samples,) or (channels, samples), any dtype.

    Raises:
        ValueError: the audio has the wrong shape.

    Example:
        >>> reverse(np.array([1, 2, 3])).tolist()
        [3, 2, 1]
    """
    return shaped_audio(audio)[..., ::-1].copy()


def drop_chunks(audio: Array, chunks: Sequence[tuple[int, int]]) -> Array:
    """Return audio that is silent in some chunks.

    Args:
        audio: (samples,) or (channels, samples), any dtype.
        chunks: the first sample of each, and the one after its last.

    Raises:
        ValueError: the audio has the wrong shape.

    Example:
        >>> drop_chunks(np.array([1, 2, 3, 4]), [(1, 3)]).tolist()
        [1, 0, 0, 4]
    """
    result = shaped_audio(audio).copy()
    for first, last in chunks:
        result[..., first:last] = 0
    return result


def shaped_audio(audio: Array) -> Array:
    """Return audio unchanged, or raise ValueError if it has the wrong shape."""
    if audio.ndim not in (1, 2):
        raise ValueError(
            f"audio must have the shape (samples,) or (channels, samples), got {audio.shape}: reshape it"
        )
    return audio


def float32_audio(audio: Array) -> Array:
    """Return audio unchanged, or raise an error if it has the wrong shape or dtype."""
    shaped_audio(audio)
    if audio.dtype != np.float32:
        line = "audio.astype(numpy.float32)"
        if audio.dtype.kind != "f":
            line = "int16 for instance with (audio / 32768).astype(numpy.float32)"
        raise TypeError(f"audio must be float32 in [-1, 1], got dtype {audio.dtype}: convert it, {line}")
    return audio


def not_finite(found: str = "NaN or infinity") -> ValueError:
    """Return the error for audio with values that are not finite."""
    return ValueError(f"audio must be finite, got {found} among its samples: leave such samples out")


def halved_sum(values: Array) -> float:
    """Return the sum of a power of 2 of values, by halves: the order of NumPy's own sums depends on the processor."""
    while values.size > 1:
        values = values[: values.size // 2] + values[values.size // 2 :]
    return float(values[0])
