"""NaN as a fill, which the core refuses: the core fills with a number that no image has, and that becomes NaN afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

import seedsafe as ss

__all__ = ["FILL", "Filled", "is_nan"]

FILL: Final = -1e30
"""What stands for NaN."""

_LIMIT: Final = -1e20
"""Below it are pixels that were interpolated from a filled one, by whatever weight counts in float32."""


def is_nan(value: Any) -> bool:
    """Return whether a fill is NaN."""
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


@dataclass(frozen=True)
class Filled(ss.ImageTransform):
    """Make NaN of what was filled; before and behind the transform that fills, so that an image of integers is refused."""

    channels: ClassVar[Any] = "last"

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the image with NaN where it was filled."""
        if image.dtype.kind != "f":
            raise TypeError(
                f"fill=nan needs images of float32, got dtype {image.dtype}: fill with a number, or put ToFloat before"
            )
        return np.where(image < _LIMIT, image.dtype.type(np.nan), image)
