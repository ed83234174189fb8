"""Noise whose size depends on the values, and values that are lost: each value or pixel with its own piece of the noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np

from seedsafe.decisions import exponential, logarithm
from seedsafe.draws import normal_quantiles, sixteenths
from seedsafe.functional.carrier import in_memory, opencv
from seedsafe.functional.kinds import fitting, in_uint8, is_rgb, is_uint8
from seedsafe.functional.tables import look_up
from seedsafe.info import Array
from seedsafe.key import Address

__all__ = ["drop_pixels", "iso_noise", "multiplicative_noise", "salt_and_pepper", "shot_noise"]


def multiplicative_noise(
    image: Array, low: float, high: float, noise: Address, *, per_channel: bool
) -> Array:
    """Return an image with each pixel, or value, times a factor of its own. Exact on every machine.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        low: the least factor.
        high: the greatest factor.
        noise: the address of the factors, which are uniform: factor k is made of the k-th 16-bit piece.
        per_channel: whether each value has its own factor, or each pixel.

    Returns:
        The image, cut off at the ends of its range.

    Raises:
        TypeError: the dtype is another.

    Example:
        >>> from seedsafe.key import SampleKey, address
        >>> grey = np.full((1, 3), 100, np.uint8)
        >>> multiplicative_noise(grey, 0.5, 1.5, address(SampleKey(0, 0, 0)), per_channel=True).tolist()
        [[135, 53, 123]]
    """
    whole = is_uint8(image)
    shape = image.shape if per_channel else (*image.shape[:2], *(1 for _ in image.shape[2:]))
    factors = sixteenths(noise, math.prod(shape)).reshape(shape).astype(np.float32)
    factors *= np.float32((high - low) / 65536.0)
    factors += np.float32(low + (high - low) / 131072.0)
    made: Array = np.multiply(image, factors, dtype=np.float32, order="C")
    if whole:
        return np.minimum(np.rint(made, out=made), 255, out=made).astype(np.uint8)
    return np.minimum(np.maximum(made, 0, out=made), 1, out=made)


def salt_and_pepper(image: Array, salt: float, pepper: float, noise: Address) -> Array:
    """Return an image with some of its pixels white and some black. Exact on every machine.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        salt: the share of white pixels.
        pepper: the share of black pixels.
        noise: the address of the noise: the k-th 16-bit piece is pixel k's.

    Raises:
        TypeError: the dtype is another.

    Example:
        >>> from seedsafe.key import SampleKey, address
        >>> salt_and_pepper(np.full((1, 8), 100, np.uint8), 0.3, 0.3, address(SampleKey(0, 0, 0))).tolist()
        [[100, 255, 100, 255, 100, 100, 255, 255]]
    """
    top = 255 if is_uint8(image) else 1
    made = image.copy()
    pixels = made.reshape(image.shape[0] * image.shape[1], -1)
    pieces = sixteenths(noise, len(pixels))
    lost = _chosen(pieces, salt + pepper)
    white = pieces[lost] < round(65536 * salt)
    pixels[lost[white]] = top
    pixels[lost[~white]] = 0
    return made


def drop_pixels(
    image: Array, share: float, fill: float | Sequence[float], noise: Address, *, per_channel: bool
) -> Array:
    """Return an image with a share of its pixels, or values, filled. Exact on every machine.

    Args:
        image: (H, W) or (H, W, C), any dtype.
        share: of what is filled.
        fill: in the image's own units, one for all channels or one for each.
        noise: the address of the noise: the k-th 16-bit piece is pixel k's, or value k's.
        per_channel: whether each value is filled or not, or each pixel.

    Raises:
        ValueError: fill does not fit the image's channels or dtype.

    Example:
        >>> from seedsafe.key import SampleKey, address
        >>> drop_pixels(np.full((1, 8), 9), 0.5, 0, address(SampleKey(0, 0, 0)), per_channel=False).tolist()
        [[9, 0, 9, 0, 9, 9, 0, 0]]
    """
    value = fitting(fill, image)
    made = image.copy()
    pixels = made.reshape(image.shape[0] * image.shape[1], -1)
    if not per_channel:
        pixels[_chosen(sixteenths(noise, len(pixels)), share)] = value
        return made
    values = pixels.reshape(-1)
    lost = _chosen(sixteenths(noise, values.size), share)
    values[lost] = np.resize(np.asarray(value, made.dtype), pixels.shape[1])[lost % pixels.shape[1]]
    return made


def _chosen(pieces: Array, share: float) -> Array:
    """Return the places of a share of 16-bit pieces."""
    limit = round(65536 * share)
    return np.flatnonzero(pieces < limit) if limit < 65536 else np.arange(pieces.size)


def shot_noise(image: Array, scale: float, noise: Address) -> Array:
    """Return an image as few photons make it: counts of a Poisson distribution, in linear light. Exact on every machine.

    Follows albumentations' ``ShotNoise``: a share v of the range is a mean of ``v ** 2.2 / scale`` photons. float32 goes
    through uint8.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        scale: what one photon adds to the light, in [0.002, 1000].
        noise: the address of the noise: the k-th 16-bit piece is value k's, whose count is its quantile.

    Raises:
        TypeError: the dtype is another.

    Example:
        >>> from seedsafe.key import SampleKey, address
        >>> shot_noise(np.full((1, 4), 128, np.uint8), 0.1, address(SampleKey(0, 0, 0))).tolist()
        [[168, 0, 148, 0]]
    """
    return in_uint8(image, lambda values: _shot(values, scale, noise))


def _shot(image: Array, scale: float, noise: Address) -> Array:
    if 0 in image.strides:
        image = in_memory(image)
    certain, limits, light = _photons(scale)
    pieces = sixteenths(noise, image.size).reshape(image.shape[0], -1)
    values = np.ascontiguousarray(image).reshape(pieces.shape)
    cv2 = opencv()
    counts = cv2.LUT(values, certain)
    above = np.empty(pieces.shape, np.bool_)
    for limit in limits:
        np.greater(pieces, cv2.LUT(values, limit), out=above)
        counts += above
    counts = counts.reshape(image.shape)
    return look_up(counts, light[:256].copy()) if counts.dtype == np.uint8 else light[counts]


@cache
def _lights() -> Array:
    """Return the light of the 256 values, as shares of the range."""
    return np.array([0.0, *(exponential(2.2 * logarithm(v / 255.0)) for v in range(1, 256))])


@cache
def _values(most: int) -> Array:
    """Return the values that counts up to one have where a photon is all of the range."""
    return np.array([0.0, *(255.0 * exponential(logarithm(n) / 2.2) for n in range(1, most + 1))])


_LN2: Final = 0.6931471805599453
_SERIES: Final = tuple(_LN2**k / math.factorial(k) for k in range(13, -1, -1))


def _power_of_2(exponents: Array) -> Array:
    """Return powers of 2, each rounded after every step, so that they are the same on every machine."""
    whole = np.rint(exponents)
    rest = exponents - whole
    powers = np.full(rest.shape, _SERIES[0])
    for coefficient in _SERIES[1:]:
        powers *= rest
        powers += coefficient
    np.ldexp(powers, whole.astype(np.intc), out=powers)
    return powers


def _photons(scale: float) -> tuple[Array, tuple[Array, ...], Array]:
    """Return the least count of each of the 256 values, above which pieces it grows by one, and the light of counts."""
    means = _lights() / scale
    greatest = float(means[-1])
    bound = math.ceil(greatest + 6.0 * math.sqrt(greatest)) + 12  # no 16-bit piece reaches further
    chances = np.empty((bound, 256))
    chances[0] = _power_of_2(means * (-1.0 / _LN2))
    for count in range(1, bound):
        np.multiply(chances[count - 1], means, out=chances[count])
        chances[count] /= count
    below = np.add.accumulate(chances, axis=0, out=chances)
    first = np.ceil(below * 65536.0 - 0.5)  # the first piece that counts one more
    first = first[(first <= 65535.0).any(axis=1)]
    certain = (first <= 0.0).sum(axis=0)
    varying = first[((first > 0.0) & (first <= 65535.0)).any(axis=1)]
    limits = np.where(varying <= 0.0, 65535.0, np.minimum(varying - 1.0, 65535.0)).astype(np.uint16)
    most = len(first)
    root = exponential(logarithm(scale) / 2.2)
    values = np.minimum(_values(1 << max(8, most.bit_length())) * root, 255.0)
    kind = np.uint8 if most < 256 else np.uint16
    return certain.astype(kind), tuple(limits), np.rint(values).astype(np.uint8)


def iso_noise(image: Array, color_shift: float, intensity: float, noise: Address) -> Array:
    """Return an RGB image with the noise of a sensitive camera in hue and lightness; for one build of OpenCV.

    Follows albumentations' ``ISONoise`` as it is documented: the hue is shifted by a normal noise of standard deviation
    ``color_shift * intensity`` of the circle, and pixels are lightened by Poisson counts of mean
    ``intensity * deviation of the lightness``, each by ``intensity`` of what they lack to white. float32 goes through
    uint8.

    Args:
        image: uint8 or float32, (H, W, 3), RGB.
        color_shift: a share of the hue circle.
        intensity: of the noise.
        noise: the address of the noise: a 16-bit piece for each pixel's lightness, then one for each hue.

    Raises:
        TypeError: the dtype is another.
        ValueError: the image has another number of channels.

    Example:
        >>> from seedsafe.key import SampleKey, address
        >>> iso_noise(np.full((1, 2, 3), 90, np.uint8), 0.1, 0.5, address(SampleKey(0, 0, 0))).tolist()
        [[[90, 90, 90], [90, 90, 90]]]
    """
    if 0 in image.strides:
        image = in_memory(image)
    if not is_rgb(image, "ISONoise"):
        raise ValueError(
            f"ISONoise needs an image of 3 channels (RGB), got the shape {image.shape}: repeat the grey channel"
        )
    whole = is_uint8(image)
    cv2 = opencv()
    height, width = image.shape[:2]
    pieces = sixteenths(noise, 2 * height * width).reshape(2, height, width)
    colours: Array = image / np.float32(255) if whole else np.minimum(np.maximum(image, 0), 1)
    hls = cv2.cvtColor(colours, cv2.COLOR_RGB2HLS)
    hue, lightness = hls[..., 0], hls[..., 1]
    mean = intensity * float(cv2.meanStdDev(hls)[1][1, 0])
    hue += normal_quantiles()[pieces[1]] * (360.0 * color_shift * intensity)
    np.mod(hue, 360, out=hue)
    lightness += (1.0 - lightness) * np.minimum(_counts(pieces[0], mean) * intensity, 1.0)
    made: Array = cv2.cvtColor(hls, cv2.COLOR_HLS2RGB)
    np.minimum(np.maximum(made, 0, out=made), 1, out=made)
    return np.rint(made * np.float32(255)).astype(np.uint8) if whole else made


def _counts(pieces: Array, mean: float) -> Array:
    """Return counts of a Poisson distribution as the quantiles of 16-bit pieces."""
    counts = np.zeros(pieces.shape)
    chance = below = exponential(-min(mean, 700.0))
    count = 0
    while below * 65536.0 - 0.5 < 65535.0 and count < 1000:
        counts += pieces >= below * 65536.0 - 0.5
        count += 1
        chance = chance * mean / count
        below += chance
    return counts
