"""NaN as a fill.

The core refuses NaN, so it fills with a number that no image has, and Filled turns that into NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

import seedsafe as ss

__all__ = ["FILL", "Filled", "is_nan"]

FILL: Final = -1e30
"""The number that stands for NaN."""

_LIMIT: Final = -1e20
"""Pixels below it were interpolated from a filled one, by any weight that counts in float32."""


def is_nan(value: Any) -> bool:
    """Return whether a fill is NaN."""
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


@dataclass(frozen=True)
class Filled(ss.ImageTransform):
    """Turn filled pixels into NaN.

    One stands before the transform that fills, where it refuses images of integers, and one after it.
    """

    channels: ClassVar[Any] = "last"

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the image with NaN in filled pixels."""
        if image.dtype.kind != "f":
            raise TypeError(
                f"fill=nan needs images of float32, got dtype {image.dtype}: fill with a number, or put ToFloat before it"
            )
        return np.where(image < _LIMIT, image.dtype.type(np.nan), image)
