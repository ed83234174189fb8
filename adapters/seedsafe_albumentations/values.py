"""Normalize and ToFloat: other units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import fires, is_number, number_of, only

__all__ = ["Normalize", "ToFloat"]


def Normalize(
    mean: Any = (0.485, 0.456, 0.406),
    std: Any = (0.229, 0.224, 0.225),
    max_pixel_value: float | None = 255.0,
    normalization: str = "standard",
    p: float = 1.0,
    *,
    always_apply: bool | None = None,
) -> Any:
    """Return ``seedsafe.Normalize`` with mean and std multiplied by max_pixel_value, whatever the dtype is."""
    only("normalization", normalization, "standard", "the core takes the mean and std that it is given")
    largest = 1.0 if max_pixel_value is None else float(number_of("max_pixel_value", max_pixel_value))
    made = Standardized(_each(mean, largest), _each(std, largest))
    return fires(made, p, always_apply)


def _each(value: Any, factor: float) -> tuple[float, ...]:
    values = (value,) if is_number(value) else value
    if isinstance(values, np.ndarray):
        values = values.ravel().tolist()
    if not isinstance(values, tuple | list) or not all(map(is_number, values)):
        raise TypeError(
            f"mean and std must be one number or one for each channel, got {value!r}: pass numbers"
        )
    return tuple(float(one) * factor for one in values)


@dataclass(frozen=True)
class Standardized(ss.ImageTransform):
    """Subtract a mean and divide by a standard deviation, both in the image's own units; the result is float32.

    Args:
        mean: one number for each channel, or one for all.
        std: the same.
    """

    channels: ClassVar[Any] = "last"

    mean: tuple[float, ...]
    std: tuple[float, ...]

    def __post_init__(self) -> None:
        self._by(1.0)  # what is wrong with the numbers is said here

    def out_info(self, info: ss.Info, params: Any) -> ss.Info:
        """Return the info of a float32 image."""
        return ss.Info(info.shape, np.float32)

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the image, normalized."""
        if image.dtype == np.uint16:
            image = image.astype(np.float32)
        return self._by(255.0 if image.dtype == np.uint8 else 1.0).apply_image(image, params)

    def _by(self, unit: float) -> Any:
        """Return the core's Normalize for images that it divides by `unit` before."""
        return _normalize(tuple(one / unit for one in self.mean), tuple(one / unit for one in self.std))


@cache
def _normalize(mean: tuple[float, ...], std: tuple[float, ...]) -> Any:
    return ss.Normalize(mean, std)


def ToFloat(max_value: float | None = None, p: float = 1.0, *, always_apply: bool | None = None) -> Any:
    """Return ``seedsafe.ToFloat``, or a division by another largest value."""
    return fires(
        ss.ToFloat() if is_number(max_value) and max_value == 255 else Fraction(max_value), p, always_apply
    )


@dataclass(frozen=True)
class Fraction(ss.ImageTransform):
    """Divide by the largest value, into float32; images of float32 stay as they are.

    Args:
        max_value: the largest value; None for that of the image's dtype, uint8 or uint16.
    """

    channels: ClassVar[Any] = "last"

    max_value: float | None

    def __post_init__(self) -> None:
        if self.max_value is not None and not 0 < number_of("max_value", self.max_value) < float("inf"):
            raise ValueError(
                f"max_value must be positive, got {self.max_value!r}: pass the largest value of an image"
            )

    def out_info(self, info: ss.Info, params: Any) -> ss.Info:
        """Return the info of a float32 image."""
        return ss.Info(info.shape, np.float32)

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the image as float32."""
        if image.dtype == np.float32:
            return image
        if image.dtype not in (np.uint8, np.uint16):
            raise TypeError(
                f"ToFloat needs uint8, uint16 or float32, got dtype {image.dtype}: convert it with astype"
            )
        largest = np.iinfo(image.dtype).max if self.max_value is None else self.max_value
        return image.astype(np.float32) / np.float32(largest)
