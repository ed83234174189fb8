"""TimeStretch and PitchShift."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from seedsafe.audio.options import RATE, LibraryTransform
from seedsafe.functional.sound import segment
from seedsafe.functional.stretch import shift_pitch, stretch_time, stretched_length
from seedsafe.ground.checks import checked_int, flag, span
from seedsafe.ground.exactness import STRETCH
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["PitchShift", "Semitones", "Tempo", "TimeStretch"]


class Tempo(NamedTuple):
    """The factor of the tempo."""

    rate: float


class Semitones(NamedTuple):
    """The shift of the pitch in semitones."""

    semitones: float


@primitive(opencv=False)
class _Stretch(LibraryTransform):
    """A transform that Signalsmith Stretch computes.

    Raises:
        ImportError: python-stretch is not installed when a pipeline is created.
        TypeError: when applied, the audio is not float32.
        ValueError: when applied, the audio holds NaN or infinity.
    """

    library: ClassVar[tuple[str, str]] = ("python_stretch", "python-stretch")

    sample_rate: int = option(
        checked_int,
        8000,
        192_001,
        RATE,
        kw_only=True,
        doc="the sample rate of the audio, in hertz, in [8000, 192000].",
    )


@primitive(exact=STRETCH, opencv=False)
class TimeStretch(_Stretch):
    """Play audio faster or more slowly at the same pitch.

    Computed by Signalsmith Stretch. Follows audiomentations' ``TimeStretch``. Draws the rate (word 1).

    Args:
        rate: the factor of the tempo, in [0.5, 2], one number or a range (low, high).
        keep_length: keep the audio's length, by cutting its end off or appending zeros; otherwise the audio has
            ``round(samples / rate)`` samples.

    Example:
        >>> augment = TimeStretch(1.25, sample_rate=16000, keep_length=False)
        >>> augment(np.zeros(1000, np.float32), key=SampleKey(42, 0, 0)).shape
        (800,)
    """

    shifts: ClassVar[bool] = True

    rate: Range = option(span, 0.5, 2.0, "pass a factor, or a range (low, high)", default=(0.8, 1.25))
    keep_length: bool = option(flag, default=True, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Tempo:
        return Tempo(rng.uniform(*self.rate))

    def out_info(self, info: Info, params: Any) -> Info:
        if self.keep_length or params[0] == 1.0:
            return info
        return info.reshaped(*info.shape[:-1], stretched_length(info.audio_length(), params[0]))

    def apply_audio(self, audio: Array, params: Any) -> Array:
        result = stretch_time(audio, params[0], self.sample_rate)
        return segment(result, 0, audio.shape[-1]) if self.keep_length else result


@primitive(exact=STRETCH, opencv=False)
class PitchShift(_Stretch):
    """Make audio higher or lower at the same tempo.

    Computed by Signalsmith Stretch. Follows audiomentations' ``PitchShift``. Draws the semitones (word 1).

    Args:
        semitones: the shift, in [-24, 24], one number or a range (low, high); 12 doubles all frequencies.

    Example:
        >>> augment = PitchShift((-2, 2), sample_rate=16000)
        >>> augment(np.zeros(1000, np.float32), key=SampleKey(42, 0, 0)).shape
        (1000,)
    """

    semitones: Range = option(
        span, -24.0, 24.0, "pass semitones, or a range (low, high)", default=(-4.0, 4.0)
    )

    def draw(self, rng: Draws, info: Info) -> Semitones:
        return Semitones(rng.uniform(*self.semitones))

    def apply_audio(self, audio: Array, params: Any) -> Array:
        return shift_pitch(audio, params[0], self.sample_rate)
