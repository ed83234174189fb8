"""MultiplicativeNoise, SaltAndPepper, ShotNoise and ISONoise."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from seedsafe.functional import camera, grain
from seedsafe.functional.channels import scale_channels
from seedsafe.ground.checks import flag, span
from seedsafe.ground.exactness import EVERYWHERE, OPENCV
from seedsafe.ground.info import Array, Info
from seedsafe.image.options import Often
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import Address
from seedsafe.pipeline.option import Range, option
from seedsafe.pipeline.primitive import primitive

__all__ = ["Factors", "Grain", "ISONoise", "MultiplicativeNoise", "SaltAndPepper", "Shares", "ShotNoise"]


class Factors(NamedTuple):
    """The factor of all values or one for each channel, none if each pixel has its own; and the noise's address."""

    factors: tuple[float, ...]
    address: Address


class Shares(NamedTuple):
    """The shares of white and black pixels, and the address of the noise that chooses them."""

    salt: float
    pepper: float
    address: Address


class Grain(NamedTuple):
    """Two strengths of the noise, and its address."""

    first: float
    second: float
    address: Address


_SHARES: Final = "pass a share, or a range of shares (low, high)"


@primitive(exact=EVERYWHERE, opencv=False, clips=True)
class MultiplicativeNoise(Often):
    """Multiply all values by one random factor, or each channel, pixel or value by its own.

    Follows albumentations' ``MultiplicativeNoise``. Draws the factor (word 1), or with `per_channel` one for each
    channel (a word each); with `per_pixel` it draws none, and the noise starts at word 4.

    Args:
        factor: a range (low, high) of factors, or one factor.
        per_channel: whether each channel has its own factor.
        per_pixel: whether each pixel has its own factor.

    Example:
        >>> augment = MultiplicativeNoise((0.5, 1.5), per_pixel=True)
        >>> augment(np.array([[100, 100, 100]], np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[136, 93, 85]]
    """

    factor: Range = option(span, 0.0, 1e6, "pass factors about 1, or a range (low, high)", default=(0.9, 1.1))
    per_channel: bool = option(flag, default=False, kw_only=True)
    per_pixel: bool = option(flag, default=False, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Factors:
        channels = info.shape[2] if self.per_channel and len(info.shape) == 3 else 1
        count = 0 if self.per_pixel else channels
        low, high = self.factor
        return Factors(tuple(rng.uniform(low, high) for _ in range(count)), rng.noise())

    def apply_image(self, image: Array, params: Any) -> Array:
        factors, address = params
        if factors:
            return scale_channels(image, factors)
        low, high = self.factor
        return grain.multiplicative_noise(image, low, high, address, per_channel=self.per_channel)


@primitive(exact=EVERYWHERE, clips=True, opencv=False)
class SaltAndPepper(Often):
    """Make some pixels white and some black.

    Follows albumentations' ``SaltAndPepper``, except that each pixel is chosen independently. Draws the share of pixels
    (word 1) and the share of salt among them (word 2). The noise starts at word 4: its k-th 16-bit piece is for pixel
    k.

    Args:
        amount: the share of pixels to change, in [0, 1], or a range (low, high).
        salt: the share of white pixels among these, in [0, 1], or a range (low, high).

    Example:
        >>> augment = SaltAndPepper(0.5)
        >>> augment(np.full((1, 8), 100, np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[100, 0, 0, 0, 0, 100, 100, 0]]
    """

    amount: Range = option(span, 0.0, 1.0, _SHARES, default=(0.01, 0.06))
    salt: Range = option(span, 0.0, 1.0, _SHARES, default=(0.4, 0.6))

    def draw(self, rng: Draws, info: Info) -> Shares:
        amount, salt = rng.uniform(*self.amount), rng.uniform(*self.salt)
        return Shares(amount * salt, amount * (1.0 - salt), rng.noise())

    def apply_image(self, image: Array, params: Any) -> Array:
        return grain.salt_and_pepper(image, *params)


@primitive(exact=EVERYWHERE, clips=True)
class ShotNoise(Often):
    """Add shot noise: Poisson noise of photon counts in linear light, as in short exposures.

    Follows albumentations' ``ShotNoise``. Draws the light of one photon (word 1). The noise starts at word 4: the count
    of value k is the quantile at the k-th 16-bit piece. float32 is converted to uint8 and back.

    Args:
        scale: the light that one photon adds, in [0.002, 1000], or a range (low, high).

    Example:
        >>> ShotNoise()(np.full((1, 4), 128, np.uint8), key=SampleKey(42, 0, 0)).tolist()
        [[214, 130, 130, 178]]
    """

    scale: Range = option(span, 0.002, 1000.0, "pass the light of one photon, about 0.1", default=(0.1, 0.3))

    def draw(self, rng: Draws, info: Info) -> Grain:
        """Return the scale, 0, and the address of the noise."""
        return Grain(rng.uniform(*self.scale), 0.0, rng.noise())

    def apply_image(self, image: Array, params: Any) -> Array:
        scale, _, address = params
        return camera.shot_noise(image, scale, address)


@primitive(exact=OPENCV, clips=True)
class ISONoise(Often):
    """Add the noise of a camera at high sensitivity, in hue and lightness.

    Follows albumentations' ``ISONoise`` as documented; see ``seedsafe.functional.iso_noise``. Draws the two strengths
    (words 1 and 2). The noise starts at word 4: a 16-bit piece for each pixel's lightness, then one for each hue.
    float32 is converted to uint8 and back.

    Args:
        color_shift: the strength in the hue, a share of the circle, or a range (low, high) in [0, 1].
        intensity: the overall strength, or a range (low, high) in [0, 10].

    Raises:
        ValueError: when applied, the image does not have 3 channels.

    Example:
        >>> ISONoise()(np.full((1, 2, 3), 90, np.uint8), key=SampleKey(42, 0, 0)).shape
        (1, 2, 3)
    """

    color_shift: Range = option(span, 0.0, 1.0, "pass a share of the circle", default=(0.01, 0.05))
    intensity: Range = option(span, 0.0, 10.0, "pass a number about 0.3", default=(0.1, 0.5))

    def draw(self, rng: Draws, info: Info) -> Grain:
        return Grain(rng.uniform(*self.color_shift), rng.uniform(*self.intensity), rng.noise())

    def apply_image(self, image: Array, params: Any) -> Array:
        return camera.iso_noise(image, *params)
