"""The loudness of audio: decibels, peaks and noise."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from seedsafe.functional.noise import float_table
from seedsafe.functional.scratch import noise_parts, part_of
from seedsafe.functional.sound import float32_audio, halved_sum, not_finite
from seedsafe.ground.exactness import EVERYWHERE, Exactness, When, exact
from seedsafe.ground.info import Array
from seedsafe.keys.decisions import exponential
from seedsafe.keys.key import Address

__all__ = [
    "COLORS",
    "add_noise",
    "change_gain",
    "clip_loudest",
    "colored_noise",
    "gain_transition",
    "mix_at_snr",
    "normalize_peak",
    "rms",
]

_LN10_20: Final = 0.11512925464970229  # ln(10) / 20, for one decibel
_LANES: Final = 8192  # a power of 2, which `halved_sum` needs

COLORS: Final = {"white": 0.0, "pink": 0.5, "brown": 1.0}
"""For each colour of noise, the power of the frequency by which its amplitude falls."""


def _factor(decibels: float) -> float:
    return exponential(decibels * _LN10_20)


@exact(EVERYWHERE)
def rms(audio: Array) -> float:
    """Return the root of the mean square of all values.

    Args:
        audio: float32, any shape.

    Raises:
        ValueError: a value is not finite.

    Example:
        >>> rms(np.array([3.0, -4.0], np.float32)) == 12.5**0.5
        True
    """
    flat = audio.reshape(-1)
    # Sums in lanes, added by halves: the order of additions is the same on every processor.
    lanes = min(_LANES, 1 << max(flat.size - 1, 0).bit_length())
    sums, buffer = np.zeros(lanes), np.empty(lanes)
    for first in range(0, flat.size, lanes):
        part = flat[first : first + lanes]
        squares = buffer[: part.size]
        squares[...] = part
        squares *= squares
        sums[: part.size] += squares
    total = halved_sum(sums)
    if not math.isfinite(total):
        raise not_finite()
    return math.sqrt(total / max(flat.size, 1))


@exact(EVERYWHERE)
def change_gain(audio: Array, decibels: float) -> Array:
    """Return audio made louder by a number of decibels, without clipping.

    Args:
        audio: float32, (samples,) or (channels, samples).
        decibels: the gain, in [-700, 700]; 0 for no change, 20 for a factor of 10.

    Raises:
        TypeError: the audio has the wrong dtype.
        ValueError: the audio has the wrong shape.

    Example:
        >>> change_gain(np.array([0.5, -1.0], np.float32), 20).round(3).tolist()
        [5.0, -10.0]
    """
    return float32_audio(audio) * _factor(decibels)


@exact(EVERYWHERE)
def gain_transition(audio: Array, first: float, last: float, start: int, length: int) -> Array:
    """Return audio with a gain that changes evenly in decibels, from one value to another.

    Args:
        audio: float32, (samples,) or (channels, samples).
        first: the gain before the transition, in decibels, in [-700, 700].
        last: the gain after it, as `first`.
        start: the first sample of the transition; it may lie before the audio.
        length: the length of the transition in samples, at least 1.

    Raises:
        TypeError: the audio has the wrong dtype.
        ValueError: the audio has the wrong shape.

    Example:
        >>> gain_transition(np.ones(4, np.float32), 0, 40, 1, 2).round(2).tolist()
        [1.0, 1.0, 10.0, 100.0]
    """
    count = float32_audio(audio).shape[-1]
    begin, end = min(max(start, 0), count), min(max(start + length, 0), count)
    step = (last - first) / length
    result = np.empty(audio.shape, np.float32)
    np.multiply(audio[..., :begin], np.float32(_factor(first)), out=result[..., :begin])
    np.multiply(audio[..., end:], np.float32(_factor(last)), out=result[..., end:])
    if begin < end:
        # Each factor is computed from the one before it: processors round powers differently.
        factors = np.full(end - begin, _factor(step))
        factors[0] = _factor(first + step * (begin - start))
        np.multiply.accumulate(factors, out=factors)
        np.multiply(audio[..., begin:end], factors, out=result[..., begin:end], casting="same_kind")
    return result


@exact(EVERYWHERE)
def normalize_peak(audio: Array, peak: float = 1.0) -> Array:
    """Return audio scaled so that its greatest absolute value is `peak`; silence stays silent.

    Args:
        audio: float32, (samples,) or (channels, samples).
        peak: the greatest absolute value of the result.

    Raises:
        TypeError: the audio has the wrong dtype.
        ValueError: the audio has the wrong shape, or a value is not finite.

    Example:
        >>> normalize_peak(np.array([0.25, -0.5], np.float32)).tolist()
        [0.5, -1.0]
    """
    if not float32_audio(audio).size:
        return audio.copy()
    greatest = max(float(audio.max()), -float(audio.min()))
    if not math.isfinite(greatest):
        raise not_finite()
    if greatest == 0.0:
        return audio.copy()
    result: Array = audio / np.float32(greatest)
    if peak != 1.0:
        result *= np.float32(peak)
    return result


@exact(EVERYWHERE)
def clip_loudest(audio: Array, share: float) -> Array:
    """Return audio with a share of its samples clipped, half at the top and half at the bottom.

    Args:
        audio: float32, (samples,) or (channels, samples).
        share: the share of samples to clip, in [0, 1].

    Raises:
        TypeError: the audio has the wrong dtype.
        ValueError: the audio has the wrong shape, or a value is NaN.

    Example:
        >>> clip_loudest(np.array([-4, -1, 1, 3], np.float32), 0.5).tolist()
        [-1.0, -1.0, 1.0, 1.0]
    """
    count = float32_audio(audio).size
    if not count:
        return audio.copy()
    cut = min(int(count * share / 2.0), (count - 1) // 2)
    # NumPy takes six times as long for both ranks in one call.
    parts = np.partition(audio.reshape(-1), count - 1 - cut)
    high = parts[count - 1 - cut]
    if np.isnan(parts[count - 1 - cut :].max()):  # NaN counts as the greatest
        raise not_finite("NaN")
    parts[: count - cut].partition(cut)
    low = parts[cut]
    return np.clip(audio, low, high, out=parts.reshape(audio.shape))


@exact(Exactness((When("for white noise", lambda _, __: True),), build="NumPy"))
def colored_noise(color: str, shape: tuple[int, ...], noise: Address) -> Array:
    """Return noise, float32, independent for each channel.

    The power of white noise is constant, that of pink noise falls by 3 dB an octave and that of brown noise by 6, as in
    audiomentations' ``AddColorNoise``. White noise is standard normal. A Fourier transform turns it into the
    other colours, which have a mean of zero.

    Args:
        color: "white", "pink" or "brown".
        shape: (samples,) or (channels, samples).
        noise: the address of the noise, from ``Draws.noise``: value k in C order follows from the k-th 16-bit piece.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> colored_noise("white", (2,), address(SampleKey(0, 0, 0))).astype(float).round(3).tolist()
        [1.02, -1.815]
    """
    result = np.empty(shape, np.float32)
    values = result.reshape(-1)
    for first, last, pieces in noise_parts(noise, values.size, part_of(result, 12)):
        float_table().take(pieces, out=values[first:last], mode="clip")
    power, count = COLORS[color], shape[-1]
    if power:
        falls = np.zeros(count // 2 + 1, np.float32)
        np.power(np.arange(1, falls.size, dtype=np.float32), np.float32(-power), out=falls[1:])
        for channel in result.reshape(-1, count):
            spectrum = np.fft.rfft(channel)
            spectrum *= falls
            channel[...] = np.fft.irfft(spectrum, count)
    return result


@exact(EVERYWHERE)
def mix_at_snr(audio: Array, noise: Array, snr: float) -> Array:
    """Return audio with noise added, scaled to be `snr` decibels softer.

    Loudness is the root of the mean square over all channels. Silent audio stays silent, and silent noise adds nothing.

    Args:
        audio: float32, (samples,) or (channels, samples).
        noise: float32, of the audio's shape, or (samples,) for all channels.
        snr: the ratio of signal to noise in decibels, in [-700, 700].

    Raises:
        TypeError: the audio has the wrong dtype.
        ValueError: the audio has the wrong shape, or a value is not finite.

    Example:
        >>> mix_at_snr(np.array([1, 1], np.float32), np.array([5, -5], np.float32), 20).astype(float).round(3).tolist()
        [1.1, 0.9]
    """
    signal, level = rms(float32_audio(audio)), rms(noise)
    if signal == 0.0 or level == 0.0:
        return audio.copy()
    result = np.empty(audio.shape, np.float32)
    np.multiply(noise, np.float32(signal / level * _factor(-snr)), out=result)
    result += audio
    return result


def add_noise(audio: Array, color: str, snr: float, noise: Address) -> Array:
    """Return audio with coloured noise added, `snr` decibels softer; see `colored_noise` and `mix_at_snr`.

    Args:
        audio: float32, (samples,) or (channels, samples).
        color: "white", "pink" or "brown".
        snr: the ratio of signal to noise in decibels, in [-700, 700].
        noise: the address of the noise, from ``Draws.noise``.

    Raises:
        TypeError: the audio has the wrong dtype.
        ValueError: the audio has the wrong shape, or a value is not finite.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> noisy = add_noise(np.ones(3, np.float32), "white", 20, address(SampleKey(0, 0, 0)))
        >>> noisy.astype(float).round(3).tolist()
        [1.081, 0.855, 1.048]
    """
    return mix_at_snr(audio, colored_noise(color, float32_audio(audio).shape, noise), snr)
