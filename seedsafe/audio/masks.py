"""TimeMask and FrequencyMask."""

from __future__ import annotations

from typing import Any, ClassVar, Final, NamedTuple

from seedsafe.audio.options import Length, length, length_of
from seedsafe.functional.masking import mask_bands, spectrogram_size
from seedsafe.ground.checks import probability, real, span
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Pair, option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import Transform

__all__ = ["Bands", "FrequencyMask", "TimeMask", "bands_of"]


_COUNT: Final = "pass the number of bands, or a range (low, high)"


class Bands(NamedTuple):
    """The first frame or frequency of each band, and the one after its last."""

    bands: tuple[tuple[int, int], ...]


def _fill(name: str, value: Any) -> float | str:
    way_out = 'pass a number, or "mean" for the mean of the spectrogram'
    return value if isinstance(value, str) and value == "mean" else real(name, value, -1e30, 1e30, way_out)


def bands_of(rng: Draws, count: tuple[int, int], width: Any, whole: int, most: int) -> Bands:
    """Draw the number of bands, then the length and position of each that is possible."""
    fewest, greatest = count
    number = fewest + rng.integer(greatest - fewest + 1)
    bands: list[tuple[int, int]] = []
    # Every possible band is drawn, so that the number of words does not depend on the count.
    for _ in range(greatest):
        long = length_of(rng, width, whole, most)
        start = rng.integer(whole - long + 1)
        bands.append((start, start + long))
    return Bands(tuple(bands[:number]))


@primitive(opencv=False)
class _Mask(Transform):
    """A transform that fills bands of a spectrogram."""

    fill: float | str = option(
        _fill,
        default=0.0,
        kw_only=True,
        doc='the value of the bands; "mean" is the mean of the spectrogram.',
    )
    p: float = option(probability, default=1.0, kw_only=True)

    primary: ClassVar[tuple[str, ...]] = ("spectrogram",)
    in_time: ClassVar[bool]

    def apply_spectrogram(self, spectrogram: Array, params: Any) -> Array:
        return mask_bands(spectrogram, params[0], self.fill, in_time=self.in_time)


@primitive(exact=EVERYWHERE, opencv=False)
class TimeMask(_Mask):
    """Fill bands of frames of a spectrogram: the time masks of SpecAugment. Any dtype.

    Follows Park et al., "SpecAugment" (2019), as torchaudio's ``TimeMasking`` does: a width from 0 to the mask parameter and
    a position, both uniform. It changes the target ``spectrogram``, (frequencies, frames) or (channels, frequencies, frames),
    or an array by itself. Draws the number of bands (word 1), then a width and a position for every possible band.

    Args:
        width: integers for frames, or floats for shares of the spectrogram's length, one number or a range (low, high). The
            paper's policies are (0, 100) and (0, 70).
        count: the number of bands, at most 1000, or a range (low, high).
        max_share: the greatest width of a band as a share of the frames, in [0, 1]; p in the paper.

    Raises:
        ValueError: when applied, the spectrogram's dtype cannot hold `fill`.

    Example:
        >>> TimeMask(2)(np.ones((1, 6), np.float32), key=SampleKey(42, 0, 0)).tolist()
        [[1.0, 0.0, 0.0, 1.0, 1.0, 1.0]]
    """

    in_time: ClassVar[bool] = True

    width: Length = option(length, 0, "frames", default=(0, 100))
    count: Pair = option(span, 0, 1000, _COUNT, default=1, kw_only=True, whole=True)
    max_share: float = option(
        real,
        0.0,
        1.0,
        "pass the greatest share of the frames that a band may have",
        default=1.0,
        kw_only=True,
    )

    def draw(self, rng: Draws, info: Info) -> Bands:
        _, frames = spectrogram_size(info.shape)
        return bands_of(rng, self.count, self.width, frames, int(frames * self.max_share))


@primitive(exact=EVERYWHERE, opencv=False)
class FrequencyMask(_Mask):
    """Fill bands of frequencies of a spectrogram: the frequency masks of SpecAugment. Any dtype.

    Follows Park et al., "SpecAugment" (2019), as torchaudio's ``FrequencyMasking`` does: a width from 0 to the mask parameter
    and a position, both uniform. It changes the target ``spectrogram``, (frequencies, frames) or (channels, frequencies,
    frames), or an array by itself. Draws the number of bands (word 1), then a width and a position for every possible band.

    Args:
        width: integers for frequencies, or floats for shares of their number, one number or a range (low, high). The paper's
            policies are (0, 27) and (0, 15).
        count: the number of bands, at most 1000, or a range (low, high).

    Raises:
        ValueError: when applied, the spectrogram's dtype cannot hold `fill`.

    Example:
        >>> FrequencyMask(1)(np.ones((3, 2), np.float32), key=SampleKey(42, 0, 0)).tolist()
        [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]
    """

    in_time: ClassVar[bool] = False

    width: Length = option(length, 0, "frequencies", default=(0, 27))
    count: Pair = option(span, 0, 1000, _COUNT, default=1, kw_only=True, whole=True)

    def draw(self, rng: Draws, info: Info) -> Bands:
        frequencies, _ = spectrogram_size(info.shape)
        return bands_of(rng, self.count, self.width, frequencies, frequencies)
