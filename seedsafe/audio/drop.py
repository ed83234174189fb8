"""DropChunk and DropFreq."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from seedsafe.audio.masks import Bands, bands_of
from seedsafe.audio.options import Length, NeedsLibrary, length
from seedsafe.functional.bands import stop_bands
from seedsafe.functional.sound import drop_chunks
from seedsafe.ground.checks import probability, real, span
from seedsafe.ground.exactness import EVERYWHERE, SCIPY
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Pair, Range, option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import AudioTransform

__all__ = ["DropChunk", "DropFreq", "Notches"]


class Notches(NamedTuple):
    """The centre of each stopped band, as a share of half the sample rate."""

    centers: tuple[float, ...]


@primitive(exact=EVERYWHERE, opencv=False)
class DropChunk(AudioTransform):
    """Silence chunks of audio: time masks of a waveform. Any dtype.

    Follows SpeechBrain's ``DropChunk``; with ``length=(0.01, 0.2), count=1``, audiomentations' ``TimeMask``. Draws the number
    of chunks (word 1), then a length and a position for every possible chunk, all uniform.

    Args:
        length: integers for samples, or floats for shares of the audio's length, one number or a range (low, high). A chunk is
            at most as long as the audio.
        count: the number of chunks, at most 1000, or a range (low, high).

    Example:
        >>> augment = DropChunk(2, count=1)
        >>> augment(np.ones(6, np.float32), key=SampleKey(42, 0, 0)).tolist()
        [1.0, 1.0, 1.0, 0.0, 0.0, 1.0]
    """

    length: Length = option(length, 0, "samples", default=(100, 1000))
    count: Pair = option(
        span,
        0,
        1000,
        "pass the number of chunks, or a range (low, high)",
        default=(1, 3),
        kw_only=True,
        whole=True,
    )
    p: float = option(probability, default=1.0, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Bands:
        samples = info.audio_length()
        return bands_of(rng, self.count, self.length, samples, samples)

    def apply_audio(self, audio: Array, params: Bands) -> Array:
        return drop_chunks(audio, params[0])


@primitive(exact=SCIPY, opencv=False)
class DropFreq(NeedsLibrary):
    """Take narrow bands of frequencies out of audio.

    Butterworth filters of ``scipy.signal`` do it. Follows SpeechBrain's ``DropFreq``, which uses other filters, and whose
    ``drop_freq_width`` is half of `width`. Draws the number of bands (word 1), then the centre of every possible band (1 word
    each), all uniform.

    Args:
        frequency: the centre of a band as a share of half the sample rate, in [0, 1], one number or a range (low, high).
        count: the number of bands, at most 100, or a range (low, high).
        width: the width of a band as a share of half the sample rate, in [0.002, 1].

    Raises:
        ImportError: SciPy is not installed when a pipeline is created.
        TypeError: when applied, the audio is not float32.
        ValueError: when applied, the audio holds NaN or infinity.

    Example:
        >>> DropFreq()(np.zeros(4, np.float32), key=SampleKey(42, 0, 0)).tolist()
        [0.0, 0.0, 0.0, 0.0]
    """

    library: ClassVar[tuple[str, str]] = ("scipy", "SciPy")

    frequency: Range = option(
        span, 0.0, 1.0, "pass a share of half the sample rate, or a range (low, high)", default=(0.0, 1.0)
    )
    count: Pair = option(
        span,
        0,
        100,
        "pass the number of bands, or a range (low, high)",
        default=(1, 3),
        kw_only=True,
        whole=True,
    )
    width: float = option(real, 0.002, 1.0, "pass a share of half the sample rate", default=0.1, kw_only=True)
    p: float = option(probability, default=1.0, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Notches:
        fewest, greatest = self.count
        number = fewest + rng.integer(greatest - fewest + 1)
        # Every possible centre is drawn, so that the number of words does not depend on the count.
        return Notches(tuple([rng.uniform(*self.frequency) for _ in range(greatest)][:number]))

    def apply_audio(self, audio: Array, params: Notches) -> Array:
        half = self.width / 2.0
        return stop_bands(audio, [(center - half, center + half) for center in params[0]])
