"""LowPass, HighPass and BandPass."""

from __future__ import annotations

from typing import Any, ClassVar, Final, NamedTuple

from seedsafe.audio.options import LibraryTransform
from seedsafe.functional.bands import filter_band
from seedsafe.ground.checks import span
from seedsafe.ground.exactness import SCIPY
from seedsafe.ground.info import Array, Info
from seedsafe.keys.decisions import log_uniform
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Pair, Range, option
from seedsafe.pipeline.primitive import check_options, primitive

__all__ = ["Band", "BandPass", "HighPass", "LowPass"]

_HERTZ: Final = "pass a frequency in hertz, or a range (low, high)"


class Band(NamedTuple):
    """The cutoffs in hertz, or None, and the order of the filter."""

    low: float | None
    high: float | None
    order: int


def _rolloff(name: str, value: Any) -> tuple[int, int]:
    low, high = span(
        name, value, 6, 96, "pass a multiple of 6 dB an octave, or a range (low, high)", whole=True
    )
    if low % 6 or high % 6:
        raise ValueError(
            f"{name} must be a multiple of 6 dB an octave, or a pair of these, got {value!r}: a filter falls by 6 dB for each order"
        )
    return low, high


def _order(rng: Draws, rolloff: tuple[int, int]) -> int:
    low, high = rolloff
    return low // 6 + rng.integer(high // 6 - low // 6 + 1)


@primitive(opencv=False)
class _Filter(LibraryTransform):
    """A transform that filters frequencies.

    Raises:
        ImportError: SciPy is not installed when a pipeline is created.
        TypeError: when applied, the audio is not float32.
        ValueError: when applied, the audio holds NaN or infinity.
    """

    library: ClassVar[tuple[str, str]] = ("scipy", "SciPy")

    def _below_half(self, name: str, highest: float) -> None:
        if highest >= self.sample_rate / 2:
            raise ValueError(
                f"{name} must stay below half the sample_rate {self.sample_rate}, got {getattr(self, name)}, which reaches "
                f"{highest:g} Hz: pass lower frequencies"
            )

    def apply_audio(self, audio: Array, params: Any) -> Array:
        low, high, order = params
        return filter_band(audio, low, high, self.sample_rate, order=order)


@primitive(opencv=False)
class _CutoffFilter(_Filter):
    """A filter with one cutoff."""

    # Subclasses declare these options again, because mypy gives inherited ones the wrong type.
    cutoff: Range = option(span, 1e-3, 1e9, _HERTZ)
    rolloff: Pair = option(_rolloff, kw_only=True)

    def __post_init__(self) -> None:
        check_options(self)
        self._below_half("cutoff", self.cutoff[1])

    def _draw(self, rng: Draws) -> tuple[float, int]:
        return log_uniform(rng, *self.cutoff), _order(rng, self.rolloff)


@primitive(exact=SCIPY, opencv=False)
class LowPass(_CutoffFilter):
    """Keep the frequencies below a cutoff whose logarithm is drawn uniformly.

    A Butterworth filter of ``scipy.signal``. Follows audiomentations' ``LowPassFilter``, which draws the cutoff uniformly on
    the mel scale. Draws the cutoff (word 1) and the order (word 2).

    Args:
        cutoff: the cutoff in hertz, one number or a range (low, high), below half the sample rate.
        rolloff: the filter's slope in dB an octave: a multiple of 6 up to 96, or a range (low, high) of these.

    Example:
        >>> LowPass(1000, sample_rate=16000)(np.zeros(4, np.float32), key=SampleKey(42, 0, 0)).tolist()
        [0.0, 0.0, 0.0, 0.0]
    """

    cutoff: Range = option(default=(150.0, 7500.0))
    rolloff: Pair = option(default=(12, 24), kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Band:
        cutoff, order = self._draw(rng)
        return Band(None, cutoff, order)


@primitive(exact=SCIPY, opencv=False)
class HighPass(_CutoffFilter):
    """Keep the frequencies above a cutoff whose logarithm is drawn uniformly.

    A Butterworth filter of ``scipy.signal``. Follows audiomentations' ``HighPassFilter``, which draws the cutoff uniformly
    on the mel scale. Draws the cutoff (word 1) and the order (word 2).

    Args:
        cutoff: the cutoff in hertz, one number or a range (low, high), below half the sample rate.
        rolloff: the filter's slope in dB an octave: a multiple of 6 up to 96, or a range (low, high) of these.

    Example:
        >>> HighPass(1000, sample_rate=16000)(np.zeros(4, np.float32), key=SampleKey(42, 0, 0)).tolist()
        [0.0, 0.0, 0.0, 0.0]
    """

    cutoff: Range = option(default=(20.0, 2400.0))
    rolloff: Pair = option(default=(12, 24), kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Band:
        cutoff, order = self._draw(rng)
        return Band(cutoff, None, order)


@primitive(exact=SCIPY, opencv=False)
class BandPass(_Filter):
    """Keep the frequencies around a centre whose logarithm is drawn uniformly.

    A Butterworth filter of ``scipy.signal``. Follows audiomentations' ``BandPassFilter``, which draws the centre
    uniformly on the mel scale. Draws the centre (word 1), the width (word 2) and the order (word 3).

    Args:
        center: the center in hertz, one number or a range (low, high).
        bandwidth: the band's width as a share of its centre, in [0.01, 1.99], one number or a range (low, high). The
            cutoffs lie half the width below and above the centre.
        rolloff: the filter's slope in dB an octave: a multiple of 6 up to 96, or a range (low, high) of these.

    Example:
        >>> BandPass(1000, sample_rate=16000)(np.zeros(4, np.float32), key=SampleKey(42, 0, 0)).tolist()
        [0.0, 0.0, 0.0, 0.0]
    """

    center: Range = option(span, 1e-3, 1e9, _HERTZ, default=(200.0, 4000.0))
    bandwidth: Range = option(
        span,
        0.01,
        1.99,
        "pass a share of the centre, or a range (low, high)",
        default=(0.5, 1.99),
        kw_only=True,
    )
    rolloff: Pair = option(_rolloff, default=(12, 24), kw_only=True)

    def __post_init__(self) -> None:
        check_options(self)
        self._below_half("center", self.center[1] * (1.0 + self.bandwidth[1] / 2.0))

    def draw(self, rng: Draws, info: Info) -> Band:
        center = log_uniform(rng, *self.center)
        half = center * (rng.uniform(*self.bandwidth) / 2.0)
        return Band(center - half, center + half, _order(rng, self.rolloff))
