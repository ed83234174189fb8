"""AddNoise."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from seedsafe.audio.options import SNR
from seedsafe.functional.loudness import COLORS, add_noise
from seedsafe.ground.checks import choice, probability, span
from seedsafe.ground.exactness import Exactness, When
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import Address
from seedsafe.pipeline.option import Option, Range, option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import AudioTransform

__all__ = ["AddNoise", "Hiss"]


class Hiss(NamedTuple):
    """The colour of the noise, the ratio of signal to noise in decibels, and the address of the noise."""

    color: str
    snr: float
    address: Address


def _colors(name: str, value: Any) -> tuple[str, ...]:
    colors = (value,) if isinstance(value, str) else value
    if not isinstance(colors, tuple | list) or not colors:
        raise TypeError(f"{name} must be one of {', '.join(COLORS)}, or a list of these, got {value!r}")
    return tuple(choice(name, one, COLORS) for one in colors)


_WHITE: Final = When("for white noise", lambda transform, _: transform.color == ("white",))


@primitive(exact=Exactness((_WHITE,), build="NumPy"), opencv=False)
class AddNoise(AudioTransform):
    """Add white, pink or brown noise, a drawn number of decibels softer than the audio.

    Loudness is the root of the mean square over all channels. The noise's own loudness is measured, so the ratio is exactly
    the drawn one. Silence stays silent. Each channel has its own noise; see
    ``seedsafe.functional.colored_noise``. Follows audiomentations' ``AddGaussianSNR`` and ``AddColorNoise``. Draws the colour
    (word 1) and the ratio (word 2); the noise starts at word 4, and value k uses the k-th 16-bit piece of the words.

    Args:
        snr: the ratio of signal to noise in decibels, in [-120, 120], one number or a range (low, high).
        color: "white", "pink" or "brown", or a list of these, of which one is drawn.

    Raises:
        TypeError: when applied, the audio is not float32.
        ValueError: when applied, the audio holds NaN or infinity.

    Example:
        >>> noisy = AddNoise(snr=20)(np.ones(3, np.float32), key=SampleKey(42, 0, 0))
        >>> noisy.astype(float).round(3).tolist()
        [1.085, 0.895, 0.891]
    """

    snr: Range = option(span, -120.0, 120.0, SNR, default=(5.0, 40.0))
    color: Option[str | tuple[str, ...] | list[str], tuple[str, ...]] = option(
        _colors, default="white", kw_only=True
    )
    p: float = option(probability, default=1.0, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Hiss:
        color = self.color[rng.integer(len(self.color))]
        return Hiss(color, rng.uniform(*self.snr), rng.noise())

    def apply_audio(self, audio: Array, params: Any) -> Array:
        return add_noise(audio, *params)
