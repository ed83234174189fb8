"""HueSaturationValue and PhotoMetricDistortion: colours in HSV."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any, Final, NamedTuple

import numpy as np

from seedsafe.functional.hue import adjust_hsv
from seedsafe.functional.photometric import distort
from seedsafe.functional.tables import VALUES, table
from seedsafe.ground.checks import flag, real, span
from seedsafe.ground.exactness import AT_LEAST_UINT8, EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import UNITS, Often
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import Range, option, store
from seedsafe.pipeline.primitive import check_options, primitive

__all__ = ["Distortion", "HueSaturationValue", "PhotoMetricDistortion", "Shifts"]

_ORDERS: Final = tuple(permutations(range(3)))
# A slice of the first is the table of a turned hue, and a slice of the second that of a shifted saturation or value.
_CIRCLE: Final = (np.arange(180 + 256) % 180).astype(np.uint8)
_RAMP: Final = np.clip(np.arange(-256, 512), 0, 255).astype(np.uint8)


class Shifts(NamedTuple):
    """The amounts added to hue, saturation and value; with `fractional`, shares of the circle and of the values."""

    hue: float
    saturation: float
    value: float


class Distortion(NamedTuple):
    """The amount of each step: 0 or 1 if it changes nothing, (0, 1, 2) for unchanged channels."""

    brightness: float
    contrast: float
    contrast_first: bool
    saturation: float
    hue: float
    order: tuple[int, ...]


@primitive(exact=EVERYWHERE, clips=True)
class HueSaturationValue(Often):
    """Shift hue, saturation and value.

    Follows albumentations' ``HueSaturationValue``: hue in OpenCV's units of 2°, saturation and value on the scale of 0
    to 255. With ``fractional=True``, ultralytics' ``RandomHSV``: hue as a share of the circle, saturation and value
    times 1 plus a drawn amount. Grey pixels stay grey. Draws the three shifts (words 1 to 3). Within 2 of 255 of
    OpenCV's conversion from HSV; float32 is converted to uint8 and back.

    Args:
        hue: the largest shift up or down, or a range (low, high); in [-180, 180], or as a fraction in [-1, 1].
        saturation: the same, in [-255, 255], or as a fraction in [-1, 100].
        value: the same, in [-255, 255], or as a fraction in [-1, 100].
        fractional: whether the three shifts are fractions.

    Raises:
        ValueError: when applied, the image has neither 3 channels nor 1.

    Example:
        >>> image = np.array([[[200, 50, 50]]], np.uint8)
        >>> HueSaturationValue(20, 30, 20)(image, key=SampleKey(42, 0, 0)).tolist()
        [[[218, 56, 56]]]
        >>> HueSaturationValue(0.015, 0.7, 0.4, fractional=True)(image, key=SampleKey(42, 0, 0)).tolist()
        [[[255, 71, 71]]]
    """

    hue: Range = option(default=20.0)
    saturation: Range = option(default=30.0)
    value: Range = option(default=20.0)
    fractional: bool = option(flag, default=False, kw_only=True)

    def __post_init__(self) -> None:
        check_options(self)
        if self.fractional:
            way_out, low, high, half = "with fractional=True pass fractions, 0.5 for a half", -1.0, 100.0, 1.0
        else:
            way_out, low, high, half = "pass units of uint8, or fractional=True", -255.0, 255.0, 180.0
        for name, least, most in (("hue", -half, half), ("saturation", low, high), ("value", low, high)):
            store(self, **{name: span(name, getattr(self, name), least, most, way_out, about=0.0, cut=True)})

    def draw(self, rng: Draws, info: Info) -> Shifts:
        return Shifts(
            rng.uniform(*self.hue),
            rng.uniform(*self.saturation),
            rng.uniform(*self.value),
        )

    def apply_image(self, image: Array, params: Any) -> Array:
        hue, saturation, value = params
        turn = math.floor(180.0 * hue if self.fractional else hue) % 180
        if self.fractional:
            saturations, values = table(VALUES * (1.0 + saturation)), table(VALUES * (1.0 + value))
        else:
            saturations, values = _shift_table(saturation).copy(), _shift_table(value)
        saturations[0] = 0  # grey has no hue that more saturation could show
        return adjust_hsv(image, _CIRCLE[turn : turn + 256], saturations, values)


def _shift_table(step: float) -> Array:
    """Return the table that adds a number, rounded and clipped to the range."""
    first = 256 + round(step)
    return _RAMP[first : first + 256]


@primitive(exact=AT_LEAST_UINT8, clips=True)
class PhotoMetricDistortion(Often):
    """Change brightness, contrast, saturation, hue and the order of the channels, each for a share of the images.

    Follows W. Liu et al., "SSD: single shot multibox detector", 2016, in the steps of its published code: brightness is
    added; contrast multiplies all values, before or after saturation and hue; saturation multiplies that of HSV. Each
    step is rounded and clipped to the range. Draws, one word each: whether and how much to change brightness (words 1
    and 2) and contrast (3, 4), whether contrast comes first (5), saturation (6, 7), hue (8, 9), and whether and how to
    reorder the channels (10, 11).

    Args:
        brightness: the largest shift up or down, on the scale of 0 to 255, or a range (low, high).
        contrast: a range of factors (low, high).
        saturation: a range of factors (low, high).
        hue: the largest turn in either direction, in degrees, or a range (low, high).
        step_p: the probability of each step.

    Raises:
        ValueError: when applied, the image does not have 3 channels.

    Example:
        >>> PhotoMetricDistortion()(np.array([[[200, 50, 50]]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[[66, 104, 200]]]
    """

    brightness: Range = option(span, -255.0, 255.0, UNITS, about=0.0, cut=True, default=32.0)
    contrast: Range = option(span, 0.0, 100.0, "pass a range of factors (low, high)", default=(0.5, 1.5))
    saturation: Range = option(span, 0.0, 100.0, "pass a range of factors (low, high)", default=(0.5, 1.5))
    hue: Range = option(span, -180.0, 180.0, "pass degrees, at most 180", about=0.0, cut=True, default=18.0)
    step_p: float = option(
        real, 0.0, 1.0, "pass the share of images that each step changes", default=0.5, kw_only=True
    )

    def draw(self, rng: Draws, info: Info) -> Distortion:

        def step(limits: Any, nothing: float) -> float:
            fires, amount = rng.chance(self.step_p), rng.uniform(*limits)
            return amount if fires else nothing

        brightness, contrast = step(self.brightness, 0.0), step(self.contrast, 1.0)
        first = rng.chance(0.5)
        saturation, hue = step(self.saturation, 1.0), step(self.hue, 0.0)
        swap, order = rng.chance(self.step_p), _ORDERS[rng.integer(6)]
        return Distortion(brightness, contrast, first, saturation, hue, order if swap else _ORDERS[0])

    def apply_image(self, image: Array, params: Any) -> Array:
        return distort(image, *params)
