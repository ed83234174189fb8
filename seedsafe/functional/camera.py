"""Camera noise: shot noise and ISO noise."""

from __future__ import annotations

import math
from functools import cache
from typing import Final

import numpy as np

from seedsafe.functional.carrier import opencv
from seedsafe.functional.kinds import check_image, in_uint8, need_rgb, new
from seedsafe.functional.scratch import noise_parts, part_of, parts
from seedsafe.functional.tables import look_up_into
from seedsafe.ground.exactness import EVERYWHERE, OPENCV, exact
from seedsafe.ground.info import Array
from seedsafe.keys.decisions import exponential, logarithm
from seedsafe.keys.key import Address
from seedsafe.keys.words import normal_quantiles, sixteenths

__all__ = ["iso_noise", "shot_noise"]


@exact(EVERYWHERE)
def shot_noise(image: Array, scale: float, noise: Address) -> Array:
    """Return an image with shot noise: Poisson counts of photons, in linear light.

    Follows albumentations' ``ShotNoise``: a share v of the range is a mean of ``v ** 2.2 / scale`` photons. float32 is converted
    to uint8 and back.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        scale: the light of one photon, in [0.002, 1000].
        noise: the address of the noise: the k-th 16-bit piece is the quantile of value k's count.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> shot_noise(np.full((1, 4), 128, np.uint8), 0.1, address(SampleKey(0, 0, 0))).tolist()
        [[168, 0, 148, 0]]
    """
    return in_uint8(image, lambda values: _shot(values, scale, noise))


def _shot(image: Array, scale: float, noise: Address) -> Array:
    certain, limits, light = _photons(scale)
    result, cv2 = new(image), opencv()
    source, values = image.reshape(1, -1), result.reshape(-1)
    size = min(part_of(image, 8), image.size)
    bound_buffer, above_buffer = np.empty((1, size), np.uint16), np.empty((1, size), np.bool_)
    for first, last, pieces in noise_parts(noise, image.size, size):
        part = source[:, first:last]
        counts = cv2.LUT(part, certain)
        bounds, above = bound_buffer[:, : last - first], above_buffer[:, : last - first]
        for limit in limits:
            cv2.LUT(part, limit, bounds)
            np.greater(pieces, bounds, out=above)
            counts += above.view(np.uint8)  # NumPy would convert booleans
        if counts.dtype == np.uint8:
            look_up_into(counts[0], light[:256], values[first:last])
        else:
            values[first:last] = light[counts[0]]
    return result


@cache
def _lights() -> Array:
    """Return the light of the 256 values, as shares of the range."""
    return np.array([0.0, *(exponential(2.2 * logarithm(v / 255.0)) for v in range(1, 256))])


@cache
def _values(most: int) -> Array:
    """Return the values of the counts 0 to `most` if one photon is the whole range."""
    return np.array([0.0, *(255.0 * exponential(logarithm(n) / 2.2) for n in range(1, most + 1))])


# The power series of 2 to an exponent in ±½, highest power first. What it leaves out is below 2**-57 of the
# sum.
_LN2: Final = 0.6931471805599453
_SERIES: Final = tuple(_LN2**k / math.factorial(k) for k in range(13, -1, -1))


def _power_of_2(exponents: Array) -> Array:
    """Return powers of 2, rounded after every step, so that they are the same on every machine."""
    whole = np.rint(exponents)
    rest = exponents - whole
    powers = np.full(rest.shape, _SERIES[0])
    for coefficient in _SERIES[1:]:
        powers *= rest
        powers += coefficient
    np.ldexp(powers, whole.astype(np.intc), out=powers)
    return powers


def _photons(scale: float) -> tuple[Array, tuple[Array, ...], Array]:
    """Return the least count for each of the 256 values, the pieces above which it grows by one, and the light of counts."""
    means = _lights() / scale
    greatest = float(means[-1])
    bound = math.ceil(greatest + 6.0 * math.sqrt(greatest)) + 12  # no 16-bit piece gives more
    chances = np.empty((bound, 256))
    chances[0] = _power_of_2(means * (-1.0 / _LN2))
    for count in range(1, bound):
        np.multiply(chances[count - 1], means, out=chances[count])
        chances[count] /= count
    first = np.add.accumulate(chances, axis=0, out=chances)
    first *= 65536.0
    first -= 0.5
    np.ceil(first, out=first)  # the first piece with one more count
    certain, most = ((first <= last).sum(axis=0) for last in (0.0, 65535.0))
    columns = np.arange(256)
    limits: list[Array] = []
    growths = int((most - certain).max())
    for more in range(0, growths, 16):
        rows = np.minimum(certain + np.arange(more, more + 16)[:, None], bound - 1)
        ends = first[rows, columns]
        ends -= 1.0
        limits.extend(np.minimum(ends, 65535.0, out=ends).astype(np.uint16))
    counts = int(most.max())
    root = exponential(logarithm(scale) / 2.2)
    values = np.minimum(_values(1 << max(8, counts.bit_length())) * root, 255.0)
    kind = np.uint8 if counts < 256 else np.uint16
    return certain.astype(kind), tuple(limits[:growths]), np.rint(values).astype(np.uint8)


@exact(OPENCV)
def iso_noise(image: Array, color_shift: float, intensity: float, noise: Address) -> Array:
    """Return an RGB image with a camera's ISO noise in hue and lightness.

    Follows the documentation of albumentations' ``ISONoise``: the hue shifts by normal noise with a standard deviation of
    ``color_shift * intensity`` of the circle, and pixels are lightened by Poisson counts of mean
    ``intensity * deviation of the lightness``, each count by ``intensity`` of the distance to white. float32 is converted to
    uint8 and back.

    Args:
        image: uint8 or float32, (H, W, 3), RGB.
        color_shift: a share of the hue circle.
        intensity: the strength of the noise.
        noise: the address of the noise: a 16-bit piece for each pixel's lightness, then one for each pixel's hue.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the image has the wrong number of channels.

    Example:
        >>> from seedsafe.keys.key import SampleKey, address
        >>> iso_noise(np.full((1, 2, 3), 90, np.uint8), 0.1, 0.5, address(SampleKey(0, 0, 0))).tolist()
        [[[90, 90, 90], [90, 90, 90]]]
    """
    need_rgb(image, "ISONoise")
    image = check_image(image)
    height, width = image.shape[:2]
    # Whole rows, because OpenCV rounds the last pixels of a row differently.
    rows = max(part_of(image, 48) // width, 1)
    result, quantiles = new(image), normal_quantiles()
    mean = intensity * _lightness_deviation(image, rows)
    for first, last in parts(height, rows):
        count, piece = (last - first) * width, first * width
        lighter = _counts(sixteenths(noise, count, piece), mean) * intensity
        turn = quantiles[sixteenths(noise, count, height * width + piece)]
        turn *= 360.0 * color_shift * intensity
        _add_grain(image[first:last], result[first:last], lighter.reshape(-1, width), turn.reshape(-1, width))
    return result


def _colours(image: Array) -> Array:
    """Return RGB as shares of the range, float32, C-contiguous."""
    if image.dtype == np.uint8:
        return np.divide(image, np.float32(255), order="C")
    colours = np.maximum(image, 0, order="C")
    return np.minimum(colours, 1, out=colours)


def _lightness_deviation(image: Array, rows: int) -> float:
    """Return the standard deviation of an RGB image's lightness, computed `rows` rows at a time."""
    cv2 = opencv()
    total = squares = 0.0
    for first, last in parts(image.shape[0], rows):
        red, green, blue = cv2.split(_colours(image[first:last]))
        # The maximum comes first: the minimum is then written into the memory of red.
        lightness = cv2.max(cv2.max(red, green), blue)
        lightness += cv2.min(cv2.min(red, green, red), blue, red)
        lightness *= np.float32(0.5)
        total += cv2.sumElems(lightness)[0]
        squares += cv2.norm(lightness, cv2.NORM_L2SQR)
    count = image.shape[0] * image.shape[1]
    mean = total / count
    return math.sqrt(max(squares / count - mean * mean, 0.0))


def _add_grain(image: Array, out: Array, lighter: Array, turn: Array) -> None:
    """Write an RGB image into `out` with each pixel's hue turned, in degrees, and brought nearer to white by its share."""
    cv2 = opencv()
    hls = cv2.cvtColor(_colours(image), cv2.COLOR_RGB2HLS)
    hue, lightness = hls[..., 0], hls[..., 1]
    turn += hue
    around = turn.astype(np.float32)
    np.mod(around, 360, out=around, where=(around < 0) | (around >= 360))
    hue[...] = around
    np.minimum(lighter, 1.0, out=lighter)
    lighter *= 1.0 - lightness
    lightness += lighter
    back = cv2.cvtColor(hls, cv2.COLOR_HLS2RGB)
    np.minimum(np.maximum(back, 0, out=back), 1, out=back)
    if out.dtype == np.uint8:
        back *= np.float32(255)
        np.rint(back, out=back)
    out[...] = back


def _counts(pieces: Array, mean: float) -> Array:
    """Return Poisson counts, the quantiles of 16-bit pieces."""
    counts = np.zeros(pieces.shape, np.uint16)
    # `exponential` begins at -700, and the limit of counts ends the loop for absurd means.
    chance = below = exponential(-min(mean, 700.0))
    count = 0
    while below * 65536.0 - 0.5 < 65535.0 and count < 1000:
        counts += pieces >= below * 65536.0 - 0.5
        count += 1
        chance = chance * mean / count
        below += chance
    return counts
