"""Transforms with the pixels of Keras."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import seedsafe as ss
from seedsafe.reading import declared

__all__ = [
    "AddNumber",
    "AsFloat",
    "LayerZoom",
    "MeanContrast",
    "Rescale",
]

_Range = tuple[float, float]


@declared
@dataclass(frozen=True, repr=False)
class AsFloat(ss.ImageTransform):
    """Make an image float32 without a change of values."""

    def out_info(self, info: ss.Info, params: Any) -> ss.Info:
        """Return the info of a float32 image."""
        return info.with_dtype(np.float32)

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the image as float32."""
        return image.astype(np.float32)


@declared
@dataclass(frozen=True, repr=False)
class LayerZoom(ss.Affine):
    """The zoom of RandomZoom around the image's middle.

    Draws the factor for the height (word 1) and for the width (word 2).

    Args:
        down: the range of the factor for the height, below 1 to enlarge.
        across: the range for the width, or None for the factor of the height.
    """

    down: _Range = field(default=(1.0, 1.0), kw_only=True)
    across: _Range | None = field(default=None, kw_only=True)

    def draw(self, rng: Any, info: ss.Info) -> Any:
        """Return the matrix and its parameters."""
        high = rng.uniform(*self.down)
        wide = rng.uniform(*(self.across or self.down))
        wide = high if self.across is None else wide
        return self.moved(info, 0.0, (0.0, 0.0), (1.0 / wide, 1.0 / high), (0.0, 0.0))


@declared
@dataclass(frozen=True, repr=False)
class Rescale(ss.ImageTransform):
    """Multiply by a number and add another, as Rescaling does."""

    scale: float
    offset: float = 0.0

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the rescaled image."""
        return image * np.float32(self.scale) + np.float32(self.offset)


@declared
@dataclass(frozen=True, repr=False)
class MeanContrast(ss.ImageTransform):
    """Move all values away from their channel's mean by a drawn factor, as RandomContrast does.

    Args:
        factors: the range of the factor.
        limits: the smallest and largest value of the result.
    """

    factors: _Range
    limits: _Range = (0.0, 255.0)

    def draw(self, rng: Any, info: ss.Info) -> float:
        """Return the factor."""
        result: float = rng.uniform(*self.factors)
        return result

    def apply_image(self, image: Any, params: float) -> Any:
        """Return the image with more or less contrast."""
        mean = image.mean(axis=(0, 1), keepdims=True)
        return np.clip((image - mean) * np.float32(params) + mean, self.limits[0], self.limits[1])


@declared
@dataclass(frozen=True, repr=False)
class AddNumber(ss.ImageTransform):
    """Add a drawn number to all values, as RandomBrightness does.

    Args:
        numbers: the range of the number.
        limits: the smallest and largest value of the result.
    """

    numbers: _Range
    limits: _Range = (0.0, 255.0)

    def draw(self, rng: Any, info: ss.Info) -> float:
        """Return the number."""
        result: float = rng.uniform(*self.numbers)
        return result

    def apply_image(self, image: Any, params: float) -> Any:
        """Return the brighter or darker image."""
        return np.clip(image + np.float32(params), self.limits[0], self.limits[1])
