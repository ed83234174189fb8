"""ColorJitter and LinearColorJitter."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from seedsafe.functional.jitter import apply_matrix, color_jitter, jitter_matrix
from seedsafe.functional.kinds import is_rgb, is_uint8
from seedsafe.functional.tones import adjust_tones
from seedsafe.ground.checks import span
from seedsafe.ground.exactness import AT_LEAST_UINT8
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import Often
from seedsafe.keys.draws import Draws
from seedsafe.keys.many import ManyDraws
from seedsafe.pipeline.option import Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["ColorJitter", "Jitter", "LinearColorJitter", "LinearJitter"]


class Jitter(NamedTuple):
    """Factors of brightness, contrast and saturation, the hue's turn as a share of the circle, and their order."""

    brightness: float
    contrast: float
    saturation: float
    hue: float
    order: tuple[int, ...]


class LinearJitter(NamedTuple):
    """Factors of brightness, contrast and saturation, and the hue's turn as a share of its circle."""

    brightness: float
    contrast: float
    saturation: float
    hue: float


def _order(first: int, second: int, third: int) -> tuple[int, ...]:
    """Return the order of four steps, each taken out of those that are left."""
    remaining = [0, 1, 2, 3]
    return remaining.pop(first), remaining.pop(second), remaining.pop(third), remaining[0]


_ORDERS: Final = np.array([[[_order(i, j, k) for k in range(2)] for j in range(3)] for i in range(4)])

_FACTOR: Final = "pass the largest difference of the factor from 1, or a range of factors (low, high)"
_REACH: Final = "the largest difference of the factor from 1, or a range of factors (low, high)."


def _turn(name: str, value: Any) -> tuple[float, float]:
    """Return a range of turns; one number is at most half the circle."""
    reach = 1.0 if isinstance(value, tuple | list) else 0.5
    way_out = "pass a share of the circle, at most 0.5, or a range"
    return span(name, value, -reach, reach, way_out, about=0.0, cut=True)


@primitive()
class _Jitter(Often):
    """A transform that changes brightness, contrast, saturation and hue.

    Raises:
        ValueError: when applied, the image has neither 3 channels nor 1.
    """

    brightness: Range = option(span, 0.0, 1e6, _FACTOR, about=1.0, cut=True, default=0.0, doc=_REACH)
    contrast: Range = option(span, 0.0, 1e6, _FACTOR, about=1.0, cut=True, default=0.0, doc="the same.")
    saturation: Range = option(span, 0.0, 1e6, _FACTOR, about=1.0, cut=True, default=0.0, doc="the same.")
    hue: Range = option(
        _turn,
        default=0.0,
        doc="the largest turn in either direction, a share of the circle in [0, 0.5], or a range in [-1, 1].",
    )

    def _factors(self, rng: Draws) -> tuple[float, float, float, float]:
        return (
            rng.uniform(*self.brightness),
            rng.uniform(*self.contrast),
            rng.uniform(*self.saturation),
            rng.uniform(*self.hue),
        )


@primitive(exact=AT_LEAST_UINT8, clips=True)
class ColorJitter(_Jitter):
    """Change brightness, contrast, saturation and hue, in random order.

    Follows ``torchvision.transforms.ColorJitter``: each step is clipped to the range. Of 255, brightness is within 1 of
    torchvision's, contrast and saturation within 2 for factors up to 2, and within 4 up to 5. Draws the three factors and the hue (words 1 to 4) and the order (words 5 to 7). Saturation and hue
    leave a grey image unchanged.

    Example:
        >>> augment = ColorJitter(brightness=0.4, contrast=0.4, saturation=0.2, hue=0.1)
        >>> augment(np.array([[[200, 50, 50]]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[[223, 104, 87]]]
    """

    brightness: Range = option(default=0.0)
    contrast: Range = option(default=0.0)
    saturation: Range = option(default=0.0)
    hue: Range = option(default=0.0)

    def draw(self, rng: Draws, info: Info) -> Jitter:
        factors = self._factors(rng)
        return Jitter(*factors, _order(rng.integer(4), rng.integer(3), rng.integer(2)))

    def _draw_many(self, draws: ManyDraws, info: Info) -> Any:
        ranges = self.brightness, self.contrast, self.saturation, self.hue
        factors: list[Any] = [draws.uniform(*one) for one in ranges]
        order = _ORDERS[draws.integer(4), draws.integer(3), draws.integer(2)]
        return Jitter._make([*factors, order])

    def apply_image(self, image: Array, params: Any) -> Array:
        return color_jitter(image, *params)


@primitive(exact=AT_LEAST_UINT8, clips=True)
class LinearColorJitter(_Jitter):
    """Change brightness, contrast, saturation and hue by one matrix, several times faster than ColorJitter.

    Contrast scales around the middle of the range instead of the image's mean. Hue is turned in YIQ. Values are clipped
    only at the end, and the steps have no order. Draws the three factors and the hue (words 1 to 4).

    Example:
        >>> augment = LinearColorJitter(brightness=0.4, contrast=0.4, saturation=0.2, hue=0.1)
        >>> augment(np.array([[[200, 50, 50]]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[[164, 59, 0]]]
    """

    brightness: Range = option(default=0.0)
    contrast: Range = option(default=0.0)
    saturation: Range = option(default=0.0)
    hue: Range = option(default=0.0)

    def draw(self, rng: Draws, info: Info) -> LinearJitter:
        return LinearJitter(*self._factors(rng))

    def apply_image(self, image: Array, params: Any) -> Array:
        brightness, contrast, saturation, hue = params
        colours = is_rgb(image, "LinearColorJitter")
        top = 255.0 if is_uint8(image) else 1.0
        if colours:
            return apply_matrix(image, jitter_matrix(brightness, contrast, saturation, hue, top))
        return adjust_tones(image, brightness * contrast, 0.5 * (1.0 - contrast))
