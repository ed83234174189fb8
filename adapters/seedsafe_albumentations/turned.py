"""What seedsafe's Affine does not do: shifts by whole pixels, and a turn that is scaled back to the image's size."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import seedsafe as ss
from seedsafe_albumentations.arguments import is_number

__all__ = ["PixelAffine", "ScaledRotation"]


@dataclass(frozen=True, repr=False)
class PixelAffine(ss.Affine):
    """seedsafe.Affine, and then a shift by a whole number of pixels.

    Args:
        pixels: the shift's range in x, and in y, both ends included; see also ``seedsafe.Affine``.

    Raises:
        TypeError: a number of pixels is not an integer.
        ValueError: a range goes down.
    """

    pixels: Any = field(default=((0, 0), (0, 0)), kw_only=True)

    def __post_init__(self) -> None:
        ss.Affine.__post_init__(self)
        ends = [end for one in self.pixels for end in one]
        if not all(is_number(end) and end == end // 1 for end in ends):
            raise TypeError(f"translate_px must be whole numbers, got {self.pixels!r}: round them")
        object.__setattr__(self, "pixels", tuple((int(low), int(high)) for low, high in self.pixels))

    def draw(self, rng: Any, info: ss.Info) -> Any:
        """Return the matrix, and what it is made of."""
        result = ss.Affine.draw(self, rng, info)
        across, down = (low + rng.integer(high - low + 1) for low, high in self.pixels)
        a, b, c, d, e, f = result.matrix
        if self.expand:  # which shows all of the image, wherever it was moved
            across = down = 0
        shift = result.translate[0] + across, result.translate[1] + down
        return result._replace(matrix=(a, b, c + across, d, e, f + down), translate=shift)


@dataclass(frozen=True, repr=False)
class ScaledRotation(ss.Rotate):
    """seedsafe.Rotate with all of the turned image in a result of the image's size: each axis is scaled by itself.

    Follows albumentations 2.0.8's ``SafeRotate``.
    """

    def draw(self, rng: Any, info: ss.Info) -> Any:
        """Return the matrix, and what it is made of."""
        result = ss.Rotate.draw(self, rng, info)
        rows, columns = info.image_size()
        cos, sin = result.matrix[:2]
        wide, high = abs(cos) * columns + abs(sin) * rows, abs(sin) * columns + abs(cos) * rows
        scale = columns / wide, rows / high
        x, y = (columns - 1) * 0.5, (rows - 1) * 0.5
        a, b, d, e = cos * scale[0], sin * scale[0], 0.0 - sin * scale[1], cos * scale[1]
        matrix = a, b, x - a * x - b * y, d, e, y - d * x - e * y
        return result._replace(matrix=matrix, scale=scale)
