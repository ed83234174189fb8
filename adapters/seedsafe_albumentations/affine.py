"""Affine in whole pixels, and Rotate without loss."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import seedsafe as ss
from seedsafe_albumentations.arguments import is_number

__all__ = ["PixelAffine", "ScaledRotation"]


@dataclass(frozen=True, repr=False)
class PixelAffine(ss.Affine):
    """Apply ``seedsafe.Affine``, and shift by a whole number of pixels.

    Args:
        pixels: the ranges of the shift in x and in y, both ends included. For the rest see ``seedsafe.Affine``.

    Raises:
        TypeError: a number of pixels is not an integer.
        ValueError: the low end of a range is above its high end.
    """

    pixels: Any = field(default=((0, 0), (0, 0)), kw_only=True)

    def __post_init__(self) -> None:
        ss.Affine.__post_init__(self)
        ends = [end for one in self.pixels for end in one]
        if not all(is_number(end) and end == end // 1 for end in ends):
            raise TypeError(f"translate_px must be whole numbers, got {self.pixels!r}: round them")
        object.__setattr__(self, "pixels", tuple((int(low), int(high)) for low, high in self.pixels))

    def draw(self, rng: Any, info: ss.Info) -> Any:
        """Return the matrix and its parts."""
        result = ss.Affine.draw(self, rng, info)
        across, down = (low + rng.integer(high - low + 1) for low, high in self.pixels)
        a, b, c, d, e, f = result.matrix
        if self.expand:  # all of the image is shown, so a shift has no effect
            across = down = 0
        shift = result.translate[0] + across, result.translate[1] + down
        return result._replace(matrix=(a, b, c + across, d, e, f + down), translate=shift)


@dataclass(frozen=True, repr=False)
class ScaledRotation(ss.Rotate):
    """Rotate as ``seedsafe.Rotate``, and scale each axis separately, so that the whole image fits its size.

    Follows ``SafeRotate`` of albumentations 2.0.8.
    """

    def draw(self, rng: Any, info: ss.Info) -> Any:
        """Return the matrix and its parts."""
        result = ss.Rotate.draw(self, rng, info)
        rows, columns = info.image_size()
        cos, sin = result.matrix[:2]
        wide, high = abs(cos) * columns + abs(sin) * rows, abs(sin) * columns + abs(cos) * rows
        scale = columns / wide, rows / high
        x, y = (columns - 1) * 0.5, (rows - 1) * 0.5
        a, b, d, e = cos * scale[0], sin * scale[0], 0.0 - sin * scale[1], cos * scale[1]
        matrix = a, b, x - a * x - b * y, d, e, y - d * x - e * y
        return result._replace(matrix=matrix, scale=scale)
