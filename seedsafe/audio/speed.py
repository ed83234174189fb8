"""SpeedPerturb."""

from __future__ import annotations

from typing import Any, ClassVar

from seedsafe.audio.options import NeedsLibrary
from seedsafe.audio.stretch import Tempo
from seedsafe.functional.sound import segment
from seedsafe.functional.speed import change_speed, length_at_speed
from seedsafe.ground.checks import flag, probability, real
from seedsafe.ground.exactness import SCIPY
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Option, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["SpeedPerturb"]


def _factors(name: str, value: Any) -> tuple[float, ...]:
    way_out = "pass factors of the speed, such as (0.9, 1.0, 1.1)"
    listed = tuple(value) if isinstance(value, tuple | list) else (value,)
    if not listed:
        raise ValueError(f"{name} must have at least one factor, got {value!r}: {way_out}")
    return tuple(real(name, factor, 0.5, 2.0, way_out) for factor in listed)


@primitive(exact=SCIPY, opencv=False)
class SpeedPerturb(NeedsLibrary):
    """Play audio at one of several speeds, which changes its tempo and its pitch.

    Computed by ``scipy.signal.resample_poly``. Follows Ko et al., "Audio augmentation for speech recognition" (2015), as torchaudio's
    ``SpeedPerturbation`` does; SpeechBrain's ``speeds`` are 100 ÷ factor. Draws which factor (word 1).

    Args:
        factors: the factors of the speed, in [0.5, 2], all equally probable, each rounded to a fraction with a denominator of
            at most 1000: 1.1 makes audio shorter and higher.
        keep_length: keep the audio's length, by cutting its end off or appending zeros; otherwise the audio has
            samples ÷ factor samples, rounded up.

    Raises:
        ImportError: SciPy is not installed when a pipeline is created.
        TypeError: when applied, the audio is not float32.
        ValueError: when applied, the audio holds NaN or infinity.

    Example:
        >>> augment = SpeedPerturb(1.25)
        >>> augment(np.zeros(1000, np.float32), key=SampleKey(42, 0, 0)).shape
        (800,)
    """

    library: ClassVar[tuple[str, str]] = ("scipy", "SciPy")
    shifts: ClassVar[bool] = True

    factors: Option[float | tuple[float, ...], tuple[float, ...]] = option(_factors, default=(0.9, 1.0, 1.1))
    keep_length: bool = option(flag, default=False, kw_only=True)
    p: float = option(probability, default=1.0, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Tempo:
        return Tempo(self.factors[rng.integer(len(self.factors))])

    def out_info(self, info: Info, params: Any) -> Info:
        if self.keep_length:
            return info
        return info.reshaped(*info.shape[:-1], length_at_speed(info.audio_length(), params[0]))

    def apply_audio(self, audio: Array, params: Any) -> Array:
        result = change_speed(audio, params[0])
        return segment(result, 0, audio.shape[-1]) if self.keep_length else result
