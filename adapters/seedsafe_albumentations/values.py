"""Normalize and ToFloat."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Final

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import each_of, number_of
from seedsafe_albumentations.table import Row

__all__ = ["ROWS"]


def _normalize(mean: tuple[float, ...], std: tuple[float, ...], max_pixel_value: float | None) -> Any:
    largest = 1.0 if max_pixel_value is None else float(number_of(max_pixel_value, "max_pixel_value"))
    return Standardized(tuple(one * largest for one in mean), tuple(one * largest for one in std))


class ToFloats(ss.ImageTransform):
    """A transform whose result is float32."""

    channels: ClassVar[Any] = "last"

    def out_info(self, info: ss.Info, params: Any) -> ss.Info:
        """Return the info of a float32 image."""
        return info.with_dtype(np.float32)


@dataclass(frozen=True)
class Standardized(ToFloats):
    """Subtract a mean and divide by a standard deviation, both in the image's own units; the result is float32.

    Args:
        mean: one number for each channel, or one for all.
        std: the same.
    """

    mean: tuple[float, ...]
    std: tuple[float, ...]

    def __post_init__(self) -> None:
        for name in ("mean", "std"):
            object.__setattr__(self, name, tuple(getattr(self, name)))  # plain data has lists
        self._by(1.0)  # raises the errors about mean and std early

    def out_span(self, span: Any, source: str | None = None) -> tuple[float, float]:
        """Return the range of the results for uint8."""
        if span is not None and -0.01 <= span[0] <= span[1] <= 1.01 and max(self.mean) > 1:
            raise ValueError(
                "Normalize divides floats by max_pixel_value too, which is 255 without an argument, but "
                f"{source or 'the transforms before it return'} {span[0]:.4g} to {span[1]:.4g}: pass max_pixel_value=1.0, or give "
                "it uint8"
            )
        result: tuple[float, float] = Standardized._by(self, 255.0).out_span(None)
        return result

    def joined(self, following: ss.Transform) -> ss.Transform | None:
        """Return one transform for both if `following` is ToCHW, else None."""
        return StandardizedCHW(self.mean, self.std) if type(following) is ss.ToCHW else None

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the normalized image."""
        if image.dtype == np.uint16:
            image = image.astype(np.float32)
        return self._by(255.0 if image.dtype == np.uint8 else 1.0).apply_image(image, params)

    def _by(self, unit: float) -> Any:
        """Return seedsafe's Normalize, which divides images by `unit` first."""
        return _units(tuple(one / unit for one in self.mean), tuple(one / unit for one in self.std))


@dataclass(frozen=True)
class StandardizedCHW(Standardized):
    """Standardized and ToCHW in one pass, with the same bytes."""

    channels: ClassVar[Any] = "to first"

    def _by(self, unit: float) -> Any:
        return _planes(Standardized._by(self, unit))


@cache
def _units(mean: tuple[float, ...], std: tuple[float, ...]) -> Any:
    return ss.Normalize(mean, std)


@cache
def _planes(normalize: Any) -> Any:
    return normalize.joined(ss.ToCHW())


@dataclass(frozen=True)
class Fraction(ToFloats):
    """Convert to float32, divided by the largest value. Images of float32 stay unchanged.

    Args:
        max_value: the largest value, or None to use the largest of the image's dtype, uint8 or uint16.
    """

    max_value: float | None

    def __post_init__(self) -> None:
        if self.max_value is not None and not 0 < number_of(self.max_value, "max_value") < float("inf"):
            raise ValueError(
                f"max_value must be positive, got {self.max_value!r}: pass the largest value of an image"
            )

    _checks_values: ClassVar[bool] = True
    _check_values = ss.ToFloat._check_values

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the image as float32."""
        if image.dtype == np.float32:
            return image
        if image.dtype not in (np.uint8, np.uint16):
            raise TypeError(
                f"ToFloat needs uint8, uint16 or float32, got dtype {image.dtype}: pass "
                "image.astype(numpy.float32) of floats in [0, 1], or otherwise image / its largest value"
            )
        largest = np.iinfo(image.dtype).max if self.max_value is None else self.max_value
        return image.astype(np.float32) / np.float32(largest)


ROWS: Final = {
    "Normalize": Row(
        ss.Normalize,
        "mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225), max_pixel_value=255.0, normalization='standard', p=1.0",
        {
            "mean": each_of,
            "std": each_of,
            "normalization": None,
        },
        " with mean and std multiplied by max_pixel_value, for every dtype",
        _normalize,
    ),
    "ToFloat": Row(
        ss.ToFloat,
        "max_value=None, p=1.0",
        note=", or a division by another largest value",
        build=lambda max_value: ss.ToFloat() if max_value == 255 else Fraction(max_value),
    ),
}
