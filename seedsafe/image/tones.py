"""RandomBrightnessContrast, Gamma and ToneCurve."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from seedsafe.functional import tones
from seedsafe.ground.checks import flag, real, span
from seedsafe.ground.exactness import AT_LEAST_UINT8, EVERYWHERE, When
from seedsafe.ground.info import UINT8, Array, Info
from seedsafe.image.options import Often
from seedsafe.keys.decisions import normal
from seedsafe.keys.draws import Draws
from seedsafe.keys.many import ManyDraws
from seedsafe.pipeline.option import Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["Curve", "Exponent", "Gamma", "RandomBrightnessContrast", "ToneCurve", "Tones"]


class Tones(NamedTuple):
    """The factor of all values, and the offset as a share of the range."""

    factor: float
    offset: float


class Exponent(NamedTuple):
    """The power of all values."""

    gamma: float


class Curve(NamedTuple):
    """The lower and the upper point of a tone curve, for all channels or for each."""

    low: tuple[float, ...]
    high: tuple[float, ...]


_SHARE: Final = "pass a share of the range, 0.2 for up to a fifth, or a range (low, high)"


@primitive(exact=AT_LEAST_UINT8.also(When("with by_max", lambda one, _: one.by_max)), clips=True)
class RandomBrightnessContrast(Often):
    """Multiply all values by a random factor near 1 and add a random offset, clipped to the range.

    Follows albumentations' transform of the same name. Draws the factor (word 1) and the offset (word 2).

    Args:
        brightness: the largest offset up or down, as a share of the range, or a range (low, high).
        contrast: the largest difference of the factor from 1, or a range (low, high) of differences.
        by_max: whether the offset is a share of the range; otherwise, of the image's mean.

    Example:
        >>> RandomBrightnessContrast()(np.array([[50, 200]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[48, 210]]
    """

    brightness: Range = option(span, -100.0, 100.0, _SHARE, about=0.0, cut=True, default=0.2)
    contrast: Range = option(span, -100.0, 100.0, _SHARE, about=0.0, cut=True, default=0.2)
    by_max: bool = option(flag, default=True, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Tones:
        factor = 1.0 + rng.uniform(*self.contrast)
        return Tones(factor, rng.uniform(*self.brightness))

    def apply_image(self, image: Array, params: Any) -> Array:
        factor, offset = params
        return tones.adjust_tones(image, factor, offset if self.by_max else offset * tones.mean_value(image))

    def _draw_many(self, draws: ManyDraws, info: Info) -> Any:
        if not self.by_max:
            return None
        factors = 1.0 + draws.uniform(*self.contrast)
        return factors, draws.uniform(*self.brightness)

    def _apply_many(self, images: Array, params: Any) -> Array:
        return tones.each_as_row(tones.adjust_tones, images, *params)


@primitive(exact=AT_LEAST_UINT8, clips=True)
class Gamma(Often):
    """Raise all values, as shares of the range, to a random power.

    Follows albumentations' ``RandomGamma``, with powers instead of percentages. Draws the power (word 1).

    Args:
        gamma: the largest difference of the power from 1, or a range of powers (low, high) in [0.01, 100].

    Example:
        >>> Gamma((0.8, 1.2))(np.array([[50, 200]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[67, 209]]
    """

    gamma: Range = option(
        span,
        0.01,
        100.0,
        "pass powers near 1, such as (0.8, 1.2), not percentages",
        about=1.0,
        cut=True,
        default=0.2,
    )

    def draw(self, rng: Draws, info: Info) -> Exponent:
        return Exponent(rng.uniform(*self.gamma))

    def apply_image(self, image: Array, params: Any) -> Array:
        return tones.adjust_gamma(image, params[0])

    def _draw_many(self, draws: ManyDraws, info: Info) -> Any:
        return (draws.uniform(*self.gamma),)

    def _apply_many(self, images: Array, params: Any) -> Array | None:
        return tones.each_as_row(tones.adjust_gamma, images, *params) if images.dtype == UINT8 else None


@primitive(exact=EVERYWHERE, clips=True)
class ToneCurve(Often):
    """Bend the tone curve by moving its two inner points, at 0.25 and 0.75.

    Follows albumentations' ``RandomToneCurve``. Draws the lower and the upper point from a normal distribution, clipped
    to [0, 1] (words 1 and 2; with `per_channel` two words for each channel). float32 is converted to uint8 and back.

    Args:
        scale: the standard deviation of the points, in [0, 1].
        per_channel: whether each channel has its own curve.

    Example:
        >>> ToneCurve()(np.array([[50, 200]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[45, 200]]
    """

    scale: float = option(real, 0.0, 1.0, "pass a standard deviation, as a share of the range", default=0.1)
    per_channel: bool = option(flag, default=False, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Curve:
        curves = info.shape[2] if self.per_channel and len(info.shape) == 3 else 1
        points = [(self._point(rng, 0.25), self._point(rng, 0.75)) for _ in range(curves)]
        return Curve(tuple(low for low, _ in points), tuple(high for _, high in points))

    def _point(self, rng: Draws, middle: float) -> float:
        return min(max(middle + self.scale * normal(rng), 0.0), 1.0)

    def apply_image(self, image: Array, params: Any) -> Array:
        return tones.bend_tones(image, *params)
