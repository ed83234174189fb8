"""Options that transforms of images share."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Final, Literal

from seedsafe.functional.resize import INTERPOLATIONS
from seedsafe.functional.window import MODES
from seedsafe.ground.checks import choice, each, flag, probability, real
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import ImageTransform, SpatialTransform

__all__ = ["ANGLE", "SMOOTH", "UNITS", "Filled", "Interpolated", "Often", "Sometimes"]

SMOOTH: Final = ("nearest", "bilinear", "bicubic", "lanczos")
"""Interpolations of pixels that are moved freely."""

ANGLE: Final = "pass the angle in degrees, or a range"
UNITS: Final = "pass it on the scale of 0 to 255, or a range (low, high)"


def _number(name: str, value: Any, way_out: str) -> float:
    number = real(name, value, -math.inf, math.inf, way_out)
    return int(number) if number.is_integer() else number


@primitive()
class Filled(SpatialTransform):
    """A transform that may look beyond the image."""

    mode: str = option(choice, MODES, default="constant", kw_only=True)
    fill: float | tuple[float, ...] = option(
        each, _number, "pass one number, or one for each channel", default=0, kw_only=True
    )
    mask_fill: float = option(_number, "pass the label of what lies outside", default=0, kw_only=True)


@primitive()
class Interpolated(SpatialTransform):
    """A transform that finds values between pixels, and fires with a probability."""

    interpolation: str = option(choice, INTERPOLATIONS, default="bilinear", kw_only=True)
    antialias: bool = option(flag, default=False, kw_only=True)
    p: float = option(probability, default=1.0, kw_only=True)


@primitive()
class Often(ImageTransform):
    """A transform of colour whose parameters are drawn: it fires for every sample unless p says otherwise.

    Raises:
        TypeError: when applied, the image is neither uint8 nor float32.
    """

    channels: ClassVar[Literal["any", "last", "to first"]] = "last"

    p: float = option(probability, default=1.0, kw_only=True)


@primitive()
class Sometimes(Often):
    """A transform that has little else to vary: it fires for half of the samples unless p says otherwise."""

    p: float = option(default=0.5, kw_only=True)
