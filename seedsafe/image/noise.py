"""GaussianNoise, for images and audio."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from seedsafe.functional.carrier import refuse_volume
from seedsafe.functional.noise import add_gaussian_noise
from seedsafe.ground.checks import flag, probability, span
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import Address
from seedsafe.keys.many import ManyDraws
from seedsafe.pipeline.option import Option, Range, option
from seedsafe.pipeline.primitive import check_options, primitive
from seedsafe.pipeline.transform import Transform

__all__ = ["GaussianNoise", "Noise"]


class Noise(NamedTuple):
    """The noise's standard deviation and address."""

    std: float
    address: Address


_STD: Final = (0.0, 12.0)  # the default: any other `std` beside a `variance` is an error


@primitive(exact=EVERYWHERE)
class GaussianNoise(Transform):
    """Add Gaussian noise with a random standard deviation or variance.

    Draws ``std`` or the variance, uniformly (word 1). The noise starts at word 4: its k-th 16-bit piece is for value k.
    It comes from a table of 65536 quantiles, so none is beyond ±4.325 std. In a sample with image and audio, only the
    image is changed.

    Args:
        std: the standard deviation in the array's own units (0 to 255 for uint8), one number or a range (low, high).
        variance: the variance instead, on the scale of 0 to 255 for every dtype, one number or a range (low, high), like
            albumentations' old ``var_limit``.
        per_channel: False adds the same noise to all channels of an image, which must be last; the k-th piece is then for pixel k.

    Raises:
        TypeError: when applied, the array is neither uint8 nor float32.

    Example:
        >>> GaussianNoise(std=(0, 12))(np.full((1, 3), 128, np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[137, 131, 141]]
    """

    std: Range = option(
        span,
        0.0,
        1e30,
        "pass the standard deviation in the array's own units, or a range (low, high)",
        default=_STD,
    )
    variance: Option[float | tuple[float, float] | None, tuple[float, float] | None] = option(
        span,
        0.0,
        1e30,
        "pass the variance on the scale of 0 to 255, or a range (low, high)",
        default=None,
        kw_only=True,
    )
    per_channel: bool = option(flag, default=True, kw_only=True)
    p: float = option(probability, default=1.0, kw_only=True)

    primary: ClassVar[tuple[str, ...]] = ("image", "audio")

    def __post_init__(self) -> None:
        check_options(self)
        if self.variance is not None and self.std != _STD:
            raise ValueError(
                f"std and variance cannot be used together, got {self.std} and {self.variance}: leave one out"
            )
        if not self.per_channel:
            object.__setattr__(self, "channels", "last")

    def out_span(
        self, span: tuple[float, float] | None, source: str | None = None
    ) -> tuple[float, float] | None:
        """Return the range of the images before the noise, which adds little to it."""
        largest = self.std[1] if self.variance is None else self.variance[1] ** 0.5 / 255.0
        if span is None or largest <= max(1.0, 0.0 if source else span[1] - span[0]):
            return span
        if source is not None and not -1.01 <= span[0] <= span[1] <= 1.01:
            return span
        before = "ToFloat" if span == (0.0, 1.0) else "Normalize"
        given = f"{source or f'{before} before it returns'} {span[0]:.4g} to {span[1]:.4g}"
        otherwise = f"put it before {before}" if source is None else "for sound AddNoise()"
        raise ValueError(
            f"the deviation of GaussianNoise is in steps of the image's values, and {given}, got a deviation of up to {largest:g}: "
            f"pass std=(0, {largest / 255:.2g}), or {otherwise}"
        )

    def draw(self, rng: Draws, info: Info) -> Noise:
        if self.variance is not None:
            return Noise(math.sqrt(rng.uniform(*self.variance)), rng.noise())
        return Noise(rng.uniform(*self.std), rng.noise())

    def apply_image(self, image: Array, params: Any) -> Array:
        refuse_volume(image)
        return add_gaussian_noise(image, *self._in_units_of(image, params), per_channel=self.per_channel)

    def _draw_many(self, draws: ManyDraws, info: Info) -> Any:
        std = draws.uniform(*self.std) if self.variance is None else np.sqrt(draws.uniform(*self.variance))
        return std.tolist(), draws.noise()

    def _apply_many(self, images: Array, params: Any) -> Array:
        return np.array([self.apply_image(image, one) for image, *one in zip(images, *params, strict=True)])

    def apply_audio(self, audio: Array, params: Any) -> Array:
        return add_gaussian_noise(audio, *self._in_units_of(audio, params))

    def _in_units_of(self, array: Array, params: Any) -> tuple[float, Address]:
        """Return the parameters in the array's own units."""
        std, noise = params
        return std / 255.0 if self.variance is not None and array.dtype == np.float32 else std, noise
