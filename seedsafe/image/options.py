"""Options that image transforms share."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Final, Literal

from seedsafe.functional.antialias import Pass, has_passes
from seedsafe.functional.resize import INTERPOLATIONS
from seedsafe.functional.window import MODES
from seedsafe.ground.checks import choice, each, flag, probability, real, span
from seedsafe.ground.info import Info
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import ImageTransform, SpatialTransform

__all__ = [
    "ANGLE",
    "SMALLER",
    "SMOOTH",
    "UNITS",
    "FillTransform",
    "InPass",
    "Often",
    "ResizeTransform",
    "Sometimes",
    "cannot_crop",
    "up_to",
]

SMOOTH: Final = ("nearest", "bilinear", "bicubic", "lanczos")
"""The interpolations for points anywhere between pixels."""

SMALLER: Final = "pass a smaller size, or put PadIfNeeded before it"
ANGLE: Final = "pass the angle in degrees, or a range"
UNITS: Final = "pass a number on the scale of 0 to 255, or a range (low, high)"


def cannot_crop(height: int, width: int, info: Info, way_out: str) -> ValueError:
    """Return the error for a window that is larger than the image."""
    if info.shape[0] <= 8 and info.shape[1] >= 1000:  # the channels and samples of a sound
        way_out += ", or, if it is a sound, RandomSegment(length)"
    return ValueError(f"cannot crop {height}×{width} out of an image of shape {info.shape}: {way_out}")


def up_to(name: str, value: Any, first: float, low: float, high: float, way_out: str) -> tuple[float, float]:
    """Return a range; one number is its upper end, and `first` its lower one."""
    return span(name, value if isinstance(value, tuple | list) else (first, value), low, high, way_out)


def _number(name: str, value: Any, way_out: str) -> float:
    number = real(name, value, -math.inf, math.inf, way_out)
    return int(number) if number.is_integer() else number


@primitive()
class FillTransform(SpatialTransform):
    """A transform whose result may show pixels outside the image."""

    mode: str = option(choice, MODES, default="constant", kw_only=True)
    fill: float | tuple[float, ...] = option(
        each, _number, "pass one number, or one for each channel", default=0, kw_only=True
    )
    mask_fill: float = option(_number, "pass the label of pixels outside the image", default=0, kw_only=True)


class InPass(ImageTransform):
    """A transform whose work the kernels do, if they are there, together with that of its neighbours."""

    __slots__ = ()

    @property
    def place_in_pass(self) -> Literal["first", "later"] | None:
        """Whether the kernels are there."""
        return "later" if has_passes() else None

    def begin_pass(self, info: Info) -> Pass:
        """Return a pass that leaves an image as it is."""
        return Pass(*info.image_size(), "bilinear")


@primitive()
class ResizeTransform(SpatialTransform):
    """A transform that resizes the image or a part of it."""

    interpolation: str = option(choice, INTERPOLATIONS, default="bilinear", kw_only=True)
    antialias: bool = option(flag, default=False, kw_only=True)
    p: float = option(probability, default=1.0, kw_only=True)

    @property
    def place_in_pass(self) -> Literal["first", "later"] | None:
        """Whether it smooths, which the kernels do together with what follows if they are there."""
        return "first" if self.antialias and self.interpolation != "nearest" and has_passes() else None

    begin_pass = InPass.begin_pass


@primitive()
class Often(ImageTransform):
    """A colour transform with random parameters: by default, it fires for every sample.

    Raises:
        TypeError: when applied, the image is neither uint8 nor float32.
    """

    channels: ClassVar[Literal["any", "last", "to first"]] = "last"

    p: float = option(probability, default=1.0, kw_only=True)


@primitive()
class Sometimes(Often):
    """A colour transform with little else that is random: by default, it fires for half of the samples."""

    p: float = option(default=0.5, kw_only=True)
