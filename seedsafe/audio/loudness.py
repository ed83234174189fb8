"""Gain, GainTransition, PeakNormalize and Clipping."""

from __future__ import annotations

from typing import Any, NamedTuple

from seedsafe.audio.options import DECIBELS, Length, length, length_of
from seedsafe.functional.loudness import change_gain, clip_loudest, gain_transition, normalize_peak
from seedsafe.ground.checks import probability, real, span
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Range, option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import AudioTransform

__all__ = ["Clipped", "Clipping", "Decibels", "Gain", "GainTransition", "PeakNormalize", "Transition"]


class Decibels(NamedTuple):
    """The gain in decibels."""

    decibels: float


class Transition(NamedTuple):
    """The gains before and after, in decibels, and the first sample and the length of the transition."""

    first: float
    last: float
    start: int
    length: int


class Clipped(NamedTuple):
    """The share of samples that are clipped."""

    share: float


@primitive(exact=EVERYWHERE, opencv=False)
class Gain(AudioTransform):
    """Make audio louder or softer by uniformly drawn decibels, not clipped.

    Follows audiomentations' ``Gain``. Draws the decibels (word 1).

    Args:
        decibels: the gain, in [-120, 120], one number or a range (low, high); 6.02 doubles the amplitude.

    Raises:
        TypeError: when applied, the audio is not float32.

    Example:
        >>> Gain(20)(np.ones(2, np.float32), key=SampleKey(42, 0, 0)).round(3).tolist()
        [10.0, 10.0]
    """

    decibels: Range = option(span, -120.0, 120.0, DECIBELS, default=(-12.0, 12.0))
    p: float = option(probability, default=1.0, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Decibels:
        return Decibels(rng.uniform(*self.decibels))

    def apply_audio(self, audio: Array, params: Any) -> Array:
        return change_gain(audio, params[0])


@primitive(exact=EVERYWHERE, opencv=False)
class GainTransition(AudioTransform):
    """Change the gain from one drawn value to another, evenly in decibels.

    Follows audiomentations' ``GainTransition``. Draws the gains before and after (words 1 and 2), and the length (word 3)
    and the start (word 4) of the transition, at least part of which lies in the audio.

    Args:
        decibels: both gains in decibels, in [-120, 120], one number or a range (low, high).
        duration: integers for samples, or floats for shares of the audio's length, one number or a range (low, high).

    Raises:
        TypeError: when applied, the audio is not float32.

    Example:
        >>> augment = GainTransition((-20, 0), duration=4)
        >>> augment(np.ones(6, np.float32), key=SampleKey(42, 0, 0)).astype(float).round(2).tolist()
        [0.15, 0.23, 0.34, 0.5, 0.5, 0.5]
    """

    decibels: Range = option(span, -120.0, 120.0, DECIBELS, default=(-24.0, 6.0))
    duration: Length = option(length, 0, "samples", default=(0.1, 1.0), kw_only=True)
    p: float = option(probability, default=1.0, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Transition:
        count = info.audio_length()
        first, last = rng.uniform(*self.decibels), rng.uniform(*self.decibels)
        long = max(1, length_of(rng, self.duration, count))
        return Transition(first, last, rng.integer(count + long - 1) - (long - 1), long)

    def apply_audio(self, audio: Array, params: Any) -> Array:
        return gain_transition(audio, *params)


@primitive(exact=EVERYWHERE, opencv=False)
class PeakNormalize(AudioTransform):
    """Scale audio so that its loudest sample has a fixed level. Draws nothing.

    Follows audiomentations' ``Normalize``. Silence stays silent, and channels keep their balance.

    Args:
        peak: the greatest absolute value of the result, positive.

    Raises:
        TypeError: when applied, the audio is not float32.
        ValueError: when applied, the audio holds NaN or infinity.

    Example:
        >>> PeakNormalize()(np.array([0.25, -0.5], np.float32), key=SampleKey(42, 0, 0)).tolist()
        [0.5, -1.0]
    """

    peak: float = option(real, 1e-6, 1e6, "pass the level of the loudest sample, 1 for instance", default=1.0)
    p: float = option(probability, default=1.0, kw_only=True)

    def apply_audio(self, audio: Array, params: Any) -> Array:
        return normalize_peak(audio, self.peak)


@primitive(exact=EVERYWHERE, opencv=False)
class Clipping(AudioTransform):
    """Clip a drawn share of the samples, half at the top and half at the bottom.

    Follows audiomentations' ``ClippingDistortion``, whose share is a whole number of percent. Draws ``share`` (word 1).

    Args:
        share: the share of samples to clip, in [0, 1], one number or a range (low, high).

    Raises:
        TypeError: when applied, the audio is not float32.
        ValueError: when applied, the audio holds NaN.

    Example:
        >>> Clipping(0.5)(np.array([-4, -1, 1, 3], np.float32), key=SampleKey(42, 0, 0)).tolist()
        [-1.0, -1.0, 1.0, 1.0]
    """

    share: Range = option(
        span, 0.0, 1.0, "pass the share of clipped samples, or a range (low, high)", default=(0.0, 0.4)
    )
    p: float = option(probability, default=1.0, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Clipped:
        return Clipped(rng.uniform(*self.share))

    def apply_audio(self, audio: Array, params: Any) -> Array:
        return clip_loudest(audio, params[0])
