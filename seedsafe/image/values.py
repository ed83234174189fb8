"""Normalize, ToFloat and ToCHW."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

import numpy as np

from seedsafe.functional.carrier import refuse_volume
from seedsafe.functional.values import (
    affine,
    check_channels,
    normalize,
    normalize_chw,
    of_bytes,
    to_chw,
    to_chw_each,
    to_float,
)
from seedsafe.ground.checks import real
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import InPass
from seedsafe.pipeline.option import Option, option
from seedsafe.pipeline.primitive import check_options, primitive
from seedsafe.pipeline.transform import Transform

__all__ = ["Normalize", "ToCHW", "ToFloat"]


_WAY_OUT: Final = "pass one number for each channel, for images in [0, 1]"
_DARK: Final = 32
"""An image of bytes has a larger value, and a map of few classes does not."""


def _values(name: str, value: Any, low: float) -> tuple[float, ...]:
    several = isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim)
    return tuple(real(name, one, low, 1e30, _WAY_OUT) for one in (value if several else (value,)))


@primitive(exact=EVERYWHERE, fills=True)
class Normalize(InPass):
    """Subtract a mean and divide by a standard deviation, channel by channel; the result is float32.

    uint8 is divided by 255 first: mean and std are for images in [0, 1], as usual.

    Args:
        mean: one number for each channel, or one for all.
        std: one positive number for each channel, or one for all.

    Raises:
        TypeError: when applied, the image is neither uint8 nor float32.
        ValueError: an argument is not finite, std is not positive, or mean and std differ in length; or, when applied to uint8 or
            floats in [0, 1], they are of 0 to 255.

    Follows ``torchvision.transforms.Normalize`` after ``ToTensor``, to within rounding.

    Example:
        >>> Normalize([0.5], [0.25])(np.array([[0, 255]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[-2.0, 2.0]]
    """

    channels: ClassVar[Literal["any", "last", "to first"]] = "last"

    mean: Option[float | tuple[float, ...], tuple[float, ...]] = option(_values, -1e30)
    std: Option[float | tuple[float, ...], tuple[float, ...]] = option(_values, 1e-30)

    _checks_values: ClassVar[bool] = True

    def _check_values(self, image: Array, source: str) -> None:
        """Raise a ValueError for floats in [0, 1] if mean is of 0 to 255. Black images of such values are of whole numbers."""
        in_units = image.min() >= 0 and 0.1 < image.max() <= 1 and (image != np.rint(image)).mean() > 0.1
        if in_units and (fault := of_bytes(f"{source} floats in [0, 1]", self.mean, self.std)):
            raise ValueError(fault)

    def out_span(
        self, span: tuple[float, float] | None, source: str | None = None
    ) -> tuple[float, float] | None:
        """Return the range of the results for images in [0, 1]."""
        fault = of_bytes("the transforms before it give floats in [0, 1]", self.mean, self.std)
        if source is None and span == (0.0, 1.0) and fault:
            raise ValueError(fault)
        of_units = all(0 <= mean <= 1 for mean in self.mean) and all(std <= 0.5 for std in self.std)
        low, high = span or (0.0, 1.0)
        cure = None
        if low >= -0.01 and 200 < high <= 255.5:
            cure = ": use image / 255 there, or image.astype(numpy.uint8), which Normalize divides itself"
        elif low < -1.1 and high < 10:
            cure = ", which seems normalised already: leave Normalize out, or use images in [0, 1] there"
        if source is not None and of_units and cure:
            raise ValueError(
                f"the mean and std of Normalize are for floats in [0, 1], got {self.mean} and {self.std}, but {source} "
                f"{low:.4g} to {high:.4g}{cure}"
            )
        ends = [
            (end - mean) / std for mean, std in zip(self.mean, self.std, strict=True) for end in (0.0, 1.0)
        ]
        return min(ends), max(ends)

    def __post_init__(self) -> None:
        check_options(self)
        if len(self.mean) != len(self.std):
            raise ValueError(
                f"mean and std must have the same number of values, got {self.mean} and {self.std}: {_WAY_OUT}"
            )

    def out_info(self, info: Info, params: Any) -> Info:
        return info.with_dtype(np.float32)

    ends_pass: ClassVar[bool] = True
    _planar: ClassVar[bool] = False

    def takes_pass(self, channels: int) -> bool:
        """Return whether mean and std fit the image's channels."""
        return len(self.mean) in (1, channels) and not of_bytes("", self.mean, self.std)

    def add_to_pass(self, work: Any, params: Any) -> Any:
        """Return the work of a pass with its values normalised."""
        top = 1.0 if work.in_units else 255.0
        return work._replace(affine=affine(self.mean, self.std, top), planar=self._planar)

    def joined(self, following: Transform) -> Transform | None:
        """Return this and a following ToCHW as one transform, which passes over the image once."""
        return (
            _NormalizeCHW(self.mean, self.std)
            if (type(self), type(following)) == (Normalize, ToCHW)
            else None
        )

    def apply_image(self, image: Array, params: Any, out: Array | None = None) -> Array:
        refuse_volume(image)
        return normalize(image, self.mean, self.std, out)

    def _apply_many(self, images: Array, params: Any, out: Array | None) -> Array:
        # The first by itself, since `normalize` takes grey ones for one image with channels.
        check_channels(images[0], self.mean, self.std)
        return normalize(images, self.mean, self.std, out)


@primitive(exact=EVERYWHERE, fills=True)
class ToFloat(InPass):
    """Convert the image to float32: uint8 is divided by 255, float32 stays the same.

    Raises:
        TypeError: when applied, the image is neither uint8 nor float32.

    Example:
        >>> ToFloat()(np.array([[0, 255]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[0.0, 1.0]]
    """

    _checks_values: ClassVar[bool] = True
    _planar: ClassVar[bool] = False

    def add_to_pass(self, work: Any, params: Any) -> Any:
        """Return the work of a pass with its values in [0, 1]."""
        return work._replace(in_units=True, planar=self._planar)

    def out_span(
        self, span: tuple[float, float] | None, source: str | None = None
    ) -> tuple[float, float] | None:
        """Return the range of the results for uint8."""
        return span or (0.0, 1.0)

    def _check_values(self, image: Array, source: str) -> None:
        """Raise a ValueError for bytes that were converted to floats: they would not be divided."""
        low, high = float(image.min()), float(image.max())
        if low >= 0 and _DARK < high <= 255 and (image == np.rint(image)).all():
            raise ValueError(
                f"ToFloat divides uint8 by 255 and leaves floats as they are, but {source} floats that are whole numbers, {low:.4g} to "
                f"{high:.4g}: use image.astype(numpy.uint8) there, or image / 255"
            )

    def out_info(self, info: Info, params: Any) -> Info:
        return info.with_dtype(np.float32)

    def joined(self, following: Transform) -> Transform | None:
        """Return this and a following ToCHW as one transform, in the cheaper order."""
        return _ToFloatCHW() if (type(self), type(following)) == (ToFloat, ToCHW) else None

    def apply_image(self, image: Array, params: Any, out: Array | None = None) -> Array:
        return to_float(image, out)

    def _apply_many(self, images: Array, params: Any, out: Array | None) -> Array:
        return to_float(images, out)


@primitive(exact=EVERYWHERE, fills=True)
class ToCHW(InPass):
    """Put the channels first, as PyTorch expects. It belongs at the end of a pipeline.

    Raises:
        ValueError: when applied, the image is not (H, W) or (H, W, C).

    Example:
        >>> ToCHW()(np.zeros((4, 5, 3), np.uint8), key=SampleKey(42, 0, 0)).shape
        (3, 4, 5)
    """

    channels: ClassVar[Literal["any", "last", "to first"]] = "to first"
    ends_pass: ClassVar[bool] = True

    def add_to_pass(self, work: Any, params: Any) -> Any:
        """Return the work of a pass with the channels first."""
        return work._replace(planar=True)

    def out_info(self, info: Info, params: Any) -> Info:
        height, width = info.image_size()
        return info.reshaped(info.shape[2] if len(info.shape) == 3 else 1, height, width)

    def apply_image(self, image: Array, params: Any, out: Array | None = None) -> Array:
        return to_chw(image, out)

    def _apply_many(self, images: Array, params: Any, out: Array | None) -> Array:
        return to_chw_each(_with_channels(images), out)


@primitive(fills=True)
class _NormalizeCHW(Normalize):
    """Normalize and ToCHW."""

    _planar: ClassVar[bool] = True

    def out_info(self, info: Info, params: Any) -> Info:
        return ToCHW().out_info(Normalize.out_info(self, info, params), params)

    def apply_image(self, image: Array, params: Any, out: Array | None = None) -> Array:
        refuse_volume(image)
        return normalize_chw(image, self.mean, self.std, out)  # type: ignore[arg-type]  # mypy takes inherited options for the constructor's types

    def _apply_many(self, images: Array, params: Any, out: Array | None) -> Array:
        return normalize_chw(_with_channels(images), self.mean, self.std, out)  # type: ignore[arg-type]  # see above


@primitive(fills=True)
class _ToFloatCHW(ToFloat):
    """ToFloat and ToCHW."""

    ends_pass: ClassVar[bool] = True
    _planar: ClassVar[bool] = True

    def out_info(self, info: Info, params: Any) -> Info:
        return ToCHW().out_info(ToFloat.out_info(self, info, params), params)

    def apply_image(self, image: Array, params: Any, out: Array | None = None) -> Array:
        return to_float(to_chw(image), out)

    def _apply_many(self, images: Array, params: Any, out: Array | None) -> Array:
        return to_float(to_chw_each(_with_channels(images)), out)


def _with_channels(images: Array) -> Array:
    """Return images (N, H, W) or (N, H, W, C) with an axis for their channels."""
    return images if images.ndim == 4 else images[..., np.newaxis]
