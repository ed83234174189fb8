"""Transforms with the pixels of Keras."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import numpy as np

import seedsafe as ss
from seedsafe.reading import declared

__all__ = [
    "AddNumber",
    "AsFloat",
    "BrightnessByPillow",
    "ChannelShift",
    "GeneratorAffine",
    "LayerZoom",
    "MeanContrast",
    "Rescale",
    "Standardize",
]

_Range = tuple[float, float]


@declared
@dataclass(frozen=True, repr=False)
class AsFloat(ss.ImageTransform):
    """Make an image float32 without a change of values."""

    def out_info(self, info: ss.Info, params: Any) -> ss.Info:
        """Return the info of a float32 image."""
        return ss.Info(info.shape, np.float32)

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the image as float32."""
        return image.astype(np.float32)


@declared
@dataclass(frozen=True, repr=False)
class GeneratorAffine(ss.Affine):
    """The turn, shift, shear and zoom of an ImageDataGenerator.

    Draws the angle (word 1), the shift in height (2) and its sign (3), in width (4) and its sign (5), the shear (6), and the
    two factors of the zoom (7 and 8).

    Args:
        height_shift: one number x for -x to x, or the amounts to choose from, each with either sign.
        width_shift: the same for the width.
        in_shares: for height and width, whether the shift is a share of the side, or a number of pixels.
        lean: the shear in degrees, -x to x.
        zoom: the range of the factors, below 1 to enlarge.
    """

    height_shift: float | tuple[float, ...] = field(default=0.0, kw_only=True)
    width_shift: float | tuple[float, ...] = field(default=0.0, kw_only=True)
    in_shares: tuple[bool, bool] = field(default=(True, True), kw_only=True)
    lean: float = field(default=0.0, kw_only=True)
    zoom: _Range = field(default=(1.0, 1.0), kw_only=True)

    def draw(self, rng: Any, info: ss.Info) -> Any:
        """Return the matrix and its parameters."""
        rows, columns = info.image_size()
        degrees = rng.uniform(*cast(_Range, self.degrees))  # ss.Affine has made a range of a number
        down = _shift(rng, self.height_shift) * (rows if self.in_shares[0] else 1)
        across = _shift(rng, self.width_shift) * (columns if self.in_shares[1] else 1)
        lean = rng.uniform(-self.lean, self.lean)
        wide, high = rng.uniform(*self.zoom), rng.uniform(*self.zoom)
        moved = self.moved(info, degrees, (across, down), (wide, high), (lean, 0.0))
        cos, sin = _cos_sin(self, info, degrees)
        lean_cos, lean_sin = _cos_sin(self, info, lean)
        # Keras's matrix, turn @ shift @ shear @ zoom, leads from the result back to the image. It shifts x by the height's
        # amount and takes the rows' middle for x: its axes were swapped, and its names were not.
        to_x = (cos * wide, (0.0 - cos * lean_sin - sin * lean_cos) * high, cos * down - sin * across)
        to_y = (sin * wide, (cos * lean_cos - sin * lean_sin) * high, sin * down + cos * across)
        return moved._replace(matrix=_forth(to_x, to_y, rows / 2 - 0.5, columns / 2 - 0.5))

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the moved image. In the mode "constant", SciPy fills all that lies beyond the outermost pixels' centres."""
        if self.mode != "constant":
            return ss.Affine.apply_image(self, image, params)
        extended = ss.Affine(mode="edge", interpolation=self.interpolation).apply_image(image, params)
        extended[_beyond(params.matrix, *image.shape[:2])] = self.fill
        return extended


def _beyond(matrix: Any, rows: int, columns: int) -> Any:
    """Return where the pixels of the result come from outside the image, bool, shape (rows, columns)."""
    a, b, c, d, e, f = matrix
    area = a * e - b * d
    x, y = np.arange(columns) - c, np.arange(rows)[:, None] - f
    across, down = (e * x - b * y) / area, (a * y - d * x) / area
    return (across < 0.0) | (across > columns - 1) | (down < 0.0) | (down > rows - 1)


def _cos_sin(affine: ss.Affine, info: ss.Info, degrees: float) -> tuple[float, float]:
    """Return cosine and sine by the library's own polynomials, which are equal on every machine."""
    cos, sin = affine.moved(info, degrees, (0.0, 0.0), (1.0, 1.0), (0.0, 0.0)).matrix[:2]
    return cos, sin


def _shift(rng: Any, amounts: Any) -> float:
    """Draw an amount. Two words."""
    if not isinstance(amounts, tuple):
        result: float = rng.uniform(-amounts, amounts)
        rng.word()
        return result
    amount = float(amounts[rng.integer(len(amounts))])
    return amount if rng.integer(2) else 0.0 - amount


def _forth(to_x: Any, to_y: Any, x: float, y: float) -> Any:
    """Return the matrix from the image to the result, for one back whose middle is (x, y)."""
    a, b, c = to_x[0], to_x[1], to_x[2] + x - to_x[0] * x - to_x[1] * y
    d, e, f = to_y[0], to_y[1], to_y[2] + y - to_y[0] * x - to_y[1] * y
    area = a * e - b * d
    return (
        e / area,
        (0.0 - b) / area,
        (b * f - e * c) / area,
        (0.0 - d) / area,
        a / area,
        (d * c - a * f) / area,
    )


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
class ChannelShift(ss.ImageTransform):
    """Add one drawn number to all channels, and cut off at the image's smallest and largest value.

    Args:
        reach: the number is drawn from -reach to reach.
    """

    reach: float

    def draw(self, rng: Any, info: ss.Info) -> float:
        """Return the number."""
        result: float = rng.uniform(-self.reach, self.reach)
        return result

    def apply_image(self, image: Any, params: float) -> Any:
        """Return the shifted image."""
        return np.clip(image + image.dtype.type(params), image.min(), image.max())


@declared
@dataclass(frozen=True, repr=False)
class BrightnessByPillow(ss.ImageTransform):
    """Multiply an image by a drawn factor as ``ImageEnhance.Brightness`` does, in whole numbers from 0 to 255.

    Args:
        factors: the range of the factor.
    """

    factors: _Range

    channels: ClassVar[Any] = "last"

    def draw(self, rng: Any, info: ss.Info) -> float:
        """Return the factor."""
        result: float = rng.uniform(*self.factors)
        return result

    def apply_image(self, image: Any, params: float) -> Any:
        """Return the brighter or darker image, float32."""
        low, high = float(image.min()), float(image.max())
        outside = low < 0.0 or high > 255.0
        values = image.astype(np.float32)
        if outside:
            values = (values - np.float32(low)) / np.float32(max(high - low, 1e-30)) * np.float32(255)
        table = np.clip(np.trunc(np.arange(256, dtype=np.float32) * np.float32(params)), 0, 255)
        result = table[values.astype(np.uint8)]
        return result / np.float32(255) * np.float32(high - low) + np.float32(low) if outside else result


@declared
@dataclass(frozen=True, repr=False)
class Standardize(ss.ImageTransform):
    """Scale and centre an image as an ImageDataGenerator does after its random transforms.

    Args:
        rescale: the factor, or None.
        each_center: subtract the image's own mean.
        each_std: divide by the image's own standard deviation.
        mean: the means to subtract, one for each channel, or None.
        std: the standard deviations to divide by, or None.
    """

    rescale: float | None = None
    each_center: bool = False
    each_std: bool = False
    mean: tuple[float, ...] | None = None
    std: tuple[float, ...] | None = None

    channels: ClassVar[Any] = "last"

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the standardized image."""
        if self.rescale is not None:
            image = image * np.float32(self.rescale)
        if self.each_center:
            image = image - image.mean()
        if self.each_std:
            image = image / (image.std() + np.float32(1e-6))
        if self.mean is not None:
            image = image - np.array(self.mean, np.float32)
        if self.std is not None:
            image = image / (np.array(self.std, np.float32) + np.float32(1e-6))
        return image


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
