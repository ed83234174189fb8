"""Masks of bands in spectrograms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seedsafe.functional.sound import halved_sum
from seedsafe.ground.exactness import EVERYWHERE, exact
from seedsafe.ground.info import Array

__all__ = ["mask_bands", "spectrogram_size"]


def spectrogram_size(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the number of frequencies and the number of frames.

    Raises:
        ValueError: the shape is not that of a spectrogram.

    Example:
        >>> spectrogram_size((2, 80, 300))
        (80, 300)
    """
    if len(shape) not in (2, 3):
        raise ValueError(
            f"a spectrogram must have the shape (frequencies, frames) or (channels, frequencies, frames), got {shape}: "
            "make one of a waveform first, or silence parts of the waveform with DropChunk"
        )
    return shape[-2], shape[-1]


@exact(EVERYWHERE)
def mask_bands(
    spectrogram: Array, bands: Sequence[tuple[int, int]], fill: float | str, *, in_time: bool
) -> Array:
    """Return a spectrogram with bands of frames, or of frequencies, filled.

    Args:
        spectrogram: (frequencies, frames) or (channels, frequencies, frames), any dtype.
        bands: the first frame (or frequency) of each, and the one after its last.
        fill: the value of the bands; "mean" is the mean of the original spectrogram.
        in_time: True for bands of frames, False for bands of frequencies.

    Raises:
        ValueError: the spectrogram has the wrong shape, or its dtype cannot hold `fill`.

    Example:
        >>> mask_bands(np.ones((2, 4), np.float32), [(1, 3)], 0.0, in_time=True).tolist()
        [[1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]]
    """
    spectrogram_size(spectrogram.shape)
    result = spectrogram.copy()
    if not any(first < last for first, last in bands):
        return result
    value = _mean(spectrogram) if fill == "mean" else fill
    with np.errstate(over="ignore", invalid="ignore"):
        filler = np.asarray(value).astype(result.dtype)
    if fill != "mean" and not (np.isfinite(filler) if result.dtype.kind == "f" else filler == value):
        raise ValueError(
            f"fill must be a value of the spectrogram's dtype {result.dtype}, got {fill!r}: pass another value"
        )
    for first, last in bands:
        if in_time:
            result[..., first:last] = filler
        else:
            result[..., first:last, :] = filler
    return result


def _mean(spectrogram: Array) -> float:
    # Added row by row and then by halves, in the same order on every processor.
    sums = np.zeros(1 << max(spectrogram.shape[-1] - 1, 0).bit_length())
    for row in spectrogram.reshape(-1, spectrogram.shape[-1]):
        sums[: row.size] += row
    mean = halved_sum(sums) / spectrogram.size
    return mean if spectrogram.dtype.kind == "f" else float(round(mean))
