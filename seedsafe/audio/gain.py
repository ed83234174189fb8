"""Amplitude and PolarityInversion."""

from __future__ import annotations

from typing import Any, NamedTuple

from seedsafe.functional.sound import amplify, invert_polarity
from seedsafe.ground.checks import probability, span
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Range, option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import AudioTransform

__all__ = ["Amplitude", "Gain", "PolarityInversion"]


class Gain(NamedTuple):
    """The factor of the amplitude."""

    gain: float


@primitive(exact=EVERYWHERE, opencv=False)
class Amplitude(AudioTransform):
    """Multiply audio by a uniformly drawn gain, not clipped. Draws ``gain`` (word 1).

    Args:
        gain: a factor, one number or a range (low, high), not negative.

    Raises:
        TypeError: when applied, the audio is not float32.

    Follows the amplitude of MelGAN's training data (Kumar et al., 2019), whose range is the default.

    Example:
        >>> Amplitude(gain=0.5)(np.ones(2, np.float32), key=SampleKey(42, 0, 0)).tolist()
        [0.5, 0.5]
    """

    gain: Range = option(span, 0.0, 1e30, "pass a factor, or a range (low, high)", default=(0.3, 1.0))
    p: float = option(probability, default=1.0, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Gain:
        low, high = self.gain
        return Gain(low + (high - low) * rng.unit())  # `uniform` without its checks

    def apply_audio(self, audio: Array, params: Any) -> Array:
        return amplify(audio, params[0])


@primitive(exact=EVERYWHERE, opencv=False)
class PolarityInversion(AudioTransform):
    """Change the sign of audio with probability p. Draws only whether it fires.

    Raises:
        TypeError: when applied, the audio is not float32.

    Example:
        >>> PolarityInversion(p=1)(np.ones(2, np.float32), key=SampleKey(42, 0, 0)).tolist()
        [-1.0, -1.0]
    """

    p: float = option(probability, default=0.5)

    def apply_audio(self, audio: Array, params: Any) -> Array:
        return invert_polarity(audio)
