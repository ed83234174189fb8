"""Pillow's ``ImageEnhance`` and ``Image.transform``, bit for bit.

Policies use them. uint8 is exact on every machine. float32 is converted to uint8 and back, as in Pillow.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from seedsafe.functional.affine import Matrix
from seedsafe.functional.antialias import changed_by_pillow
from seedsafe.functional.carrier import opencv
from seedsafe.functional.kinds import fit_fill, in_uint8, is_rgb, new
from seedsafe.functional.remap import in_parts
from seedsafe.functional.tables import VALUES, look_up
from seedsafe.ground.info import Array
from seedsafe.kernels import Warping, address, library

__all__ = [
    "FILTERS",
    "add_below",
    "enhance_brightness",
    "enhance_color",
    "enhance_contrast",
    "enhance_sharpness",
    "invert_from",
    "transform_affine",
]

FILTERS: Final = ("nearest", "bilinear", "bicubic")
"""Interpolations of `transform_affine`; Pillow's numbers are one higher, but for "nearest"."""

_AFFINE: Final = 0
"""Pillow's number of an affine transform."""

_WEIGHTS: Final = np.array([[19595, 38470, 7471, 32768]], np.float32)
"""Red, green and blue in a grey in parts of 65536, and one half for rounding. Sums stay below 2**24, exact in float32."""
_SMOOTH: Final = np.array(
    [[1, 1, 1], [1, 5, 1], [1, 1, 1]], np.float32
)  # Pillow's filter SMOOTH, in parts of 13

_BAND: Final = 2**14
"""Pixels interpolated at once."""


def enhance_brightness(image: Array, factor: float) -> Array:
    """Return an image blended with black, as ``ImageEnhance.Brightness`` does.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        factor: 0 gives black, 1 the image itself.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> enhance_brightness(np.array([[10, 200]], np.uint8), 1.5).tolist()
        [[15, 255]]
    """
    return in_uint8(image, lambda values: _blend_with(values, 0.0, factor))


def enhance_contrast(image: Array, factor: float) -> Array:
    """Return an image blended with its mean grey, as ``ImageEnhance.Contrast`` does.

    Args:
        image: uint8 or float32, (H, W) or (H, W, 3), RGB.
        factor: 0 gives the mean grey everywhere, 1 the image itself.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the image has the wrong number of channels.

    Example:
        >>> enhance_contrast(np.array([[10, 200]], np.uint8), 0.5).tolist()
        [[57, 152]]
    """
    has_colours = is_rgb(image, "contrast")

    def change(values: Array) -> Array:
        greys = _greys(values) if has_colours else values.reshape(values.shape[:2])
        mean = opencv().sumElems(greys)[0] / greys.size
        return _blend_with(values, float(int(mean + 0.5)), factor)

    return in_uint8(image, change)


def enhance_color(image: Array, factor: float) -> Array:
    """Return an RGB image blended with its greys, as ``ImageEnhance.Color`` does; a grey image is copied.

    Args:
        image: uint8 or float32, (H, W) or (H, W, 3), RGB.
        factor: 0 gives greys, 1 the image itself.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the image has the wrong number of channels.

    Example:
        >>> enhance_color(np.array([[[200, 100, 100]]], np.uint8), 0.5).tolist()
        [[[165, 115, 115]]]
    """
    if not is_rgb(image, "color"):
        return in_uint8(image, lambda values: values.copy(order="C"))
    return in_uint8(image, lambda values: _blend(opencv().merge([_greys(values)] * 3), values, factor))


def enhance_sharpness(image: Array, factor: float) -> Array:
    """Return an image blended with its smoothed version, as ``ImageEnhance.Sharpness`` does.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        factor: 0 gives the smoothed image, 1 the image itself, 2 a sharper image.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> flat = np.full((3, 3), 13, np.uint8)
        >>> flat[1, 1] = 26
        >>> enhance_sharpness(flat, 0.0)[1].tolist()
        [13, 18, 13]
    """
    return in_uint8(image, lambda values: _blend(_smooth(values), values, factor))


def _smooth(image: Array) -> Array:
    """Return an image smoothed by Pillow's filter SMOOTH, float32; pixels at the edge are kept."""
    if min(image.shape[:2]) < 3:
        return image.astype(np.float32)
    sums: Array = opencv().filter2D(image, 5, _SMOOTH)  # whole numbers
    sums = sums.reshape(image.shape)
    sums *= np.float32(1 / 13)
    sums += np.float32(0.5)  # thirteenths are never halves, so no rounding error matters
    np.floor(sums, out=sums)
    for edge in (0, -1):
        sums[edge] = image[edge]
        sums[:, edge] = image[:, edge]
    return sums


def _greys(image: Array) -> Array:
    """Return the greys of an RGB image, uint8, (H, W)."""
    greys: Array = opencv().transform(image.astype(np.float32), _WEIGHTS)
    greys *= np.float32(2.0**-16)
    return greys.astype(np.uint8)


def _blend_with(image: Array, value: float, factor: float) -> Array:
    return look_up(image, _blend(np.full(256, value, np.float32), VALUES, factor))


def _blend(one: Array, other: Array, factor: float) -> Array:
    """Return ``one + factor * (other - one)`` for values of uint8, computed in float32, cut off and rounded down."""
    first = one.astype(np.float32, copy=False)
    result = other.astype(np.float32)
    result -= first
    result *= np.float32(factor)
    result += first
    return np.minimum(np.maximum(result, 0, out=result), 255, out=result).astype(np.uint8)


def add_below(image: Array, amount: int, threshold: int = 128) -> Array:
    """Return an image with an amount added to the values below a threshold, cut off at 255, as timm's ``SolarizeAdd``.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        amount: the amount in units of uint8.
        threshold: the threshold in units of uint8.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> add_below(np.array([[100, 127, 128]], np.uint8), 30).tolist()
        [[130, 157, 128]]
    """
    values = np.where(threshold > VALUES, np.minimum(VALUES + amount, 255.0), VALUES).astype(np.uint8)
    return in_uint8(image, lambda pixels: look_up(pixels, values))


def invert_from(image: Array, threshold: float) -> Array:
    """Return an image with the values from a threshold on inverted, as ``ImageOps.solarize`` does.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        threshold: the threshold in units of uint8; above 255 it inverts nothing.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> invert_from(np.array([[127, 128]], np.uint8), 128).tolist()
        [[127, 127]]
    """
    values = np.where(threshold > VALUES, VALUES, 255.0 - VALUES).astype(np.uint8)
    return in_uint8(image, lambda pixels: look_up(pixels, values))


def transform_affine(
    image: Array, data: Matrix, *, resample: str = "nearest", fill: float | Sequence[float] = 0
) -> Array:
    """Return an image of the same size moved by an affine map, as ``Image.transform(size, AFFINE, data)`` does.

    Args:
        image: (H, W) or (H, W, C), any dtype for "nearest", else uint8, or float32, which is converted to uint8 and back.
        data: six numbers, a, b, c, d, e, f: the point (x, y) of the result comes from (a x + b y + c, d x + e y + f) in the
            image; 0 is the edge of the first pixel, as always in Pillow.
        resample: "nearest", "bilinear" or "bicubic".
        fill: the value outside, one for all channels or one for each.

    Raises:
        TypeError: the image's dtype cannot be interpolated.
        ValueError: an option is unknown, fill does not fit, or a side is longer than 32766.

    Example:
        >>> transform_affine(np.array([[1, 2, 3]], np.uint8), (1, 0, -1, 0, 1, 0)).tolist()
        [[0, 1, 2]]
    """
    if resample not in FILTERS:
        raise ValueError(f"resample must be one of {', '.join(FILTERS)}, got {resample!r}")
    if resample == "nearest":
        moved = _compiled(image, data, resample, fit_fill(fill, image))
        return _nearest(image, data, fill) if moved is None else moved
    if image.dtype == np.float32:
        fill = tuple(255.0 * value for value in fill) if isinstance(fill, Sequence) else 255.0 * fill

    def move(values: Array) -> Array:
        fitting = np.asarray(fit_fill(fill, values), values.dtype)
        moved = _compiled(values, data, resample, fitting)
        if moved is not None:
            return moved
        by_pillow = values.size and np.isfinite(data).all() and _computes_like_us()
        return (_with_pillow if by_pillow else _interpolate)(values, data, resample, fitting)

    return in_uint8(image, move)


@cache
def _computes_like_us() -> bool:
    """Return whether Pillow is installed, and rounds each product and sum by itself.

    On other machines than x86-64 its compiler may join a product and a sum, which are then rounded only once.
    """
    return platform.machine() in ("x86_64", "AMD64") and find_spec("PIL") is not None


def _with_pillow(image: Array, data: Matrix, resample: str, fill: Array) -> Array:
    height, width = image.shape[:2]
    outside = np.broadcast_to(fill, (image.shape[2] if image.ndim == 3 else 1,))

    def change(picture: Any, channels: slice) -> Any:
        colour = tuple(outside[channels].tolist())
        return picture.transform(
            (width, height), _AFFINE, data, FILTERS.index(resample) + 1, fillcolor=colour
        )

    return changed_by_pillow(image, height, width, change)


def _compiled(image: Array, data: Matrix, resample: str, fill: Any) -> Array | None:
    """Return the image moved by the compiled kernels, or None if they cannot do it."""
    opened = library()
    values = np.asarray(fill, image.dtype)
    # Where OpenCV or NumPy has to round the fill or spread it in a way of its own, it stays with them.
    if (
        opened is None
        or image.dtype.hasobject
        or not np.array_equal(values, fill)
        or image.ndim not in (2, 3)
    ):
        return None
    channels = image.shape[2] if image.ndim == 3 else 1
    pixel = np.ascontiguousarray(np.broadcast_to(values, (channels,)))
    size = channels * image.itemsize
    if image.strides[1:] != ((size, image.itemsize) if image.ndim == 3 else (size,)):
        image = np.ascontiguousarray(image)
    result = new(image)
    job = Warping(
        address(image),
        image.strides[0],
        *image.shape[:2],
        size,
        FILTERS.index(resample),
        0,
        tuple(data),
        address(pixel),
        address(result),
    )
    return result if opened.seedsafe_warp(job) == 0 else None


def _nearest(image: Array, data: Matrix, fill: float | Sequence[float]) -> Array:
    height, width = image.shape[:2]
    a, b, c, d, e, f = data
    if (a, b, d, e) == (1.0, 0.0, 0.0, 1.0):
        return _shift(image, math.floor(f + 0.5), math.floor(c + 0.5), fill)
    # Column and row in two halves of 32 bits: read as int16, these are the coordinates that OpenCV's remap
    # takes as they are.
    source = _sources((a, b, c), height, width) >> 16
    source |= _sources((d, e, f), height, width) & 0xFFFF0000
    sources = source.view("<i2").reshape(height, width, 2)

    def move(part: Array, value: Any, dst: Array | None) -> Array:
        target: Array = opencv().remap(part, sources, None, 0, dst=dst, borderMode=0, borderValue=value)
        return target

    return in_parts(image, move, height, width, "nearest", "constant", fill)


def _sources(row: Sequence[float], height: int, width: int) -> Array:
    """Return the rows or columns that pixels come from, "<u4", in Pillow's fixed-point numbers of 16 fractional bits."""
    steps = [
        math.floor(number * 65536.0 + 0.5) for number in (*row[:2], row[2] + row[0] * 0.5 + row[1] * 0.5)
    ]
    across, down = np.arange(width) * steps[0] + steps[2], np.arange(height)[:, None] * steps[1]
    if abs(across[[0, -1]]).max() + abs(down[-1, 0]) < 2**31:
        sources: Array = across.astype("<u4") + down.astype("<u4")
        return sources
    far: Array = np.clip(across + down, -(2**31), 2**31 - 1)
    return far.astype("<u4")


def _shift(image: Array, down: int, across: int, fill: float | Sequence[float]) -> Array:
    """Return an image whose pixels come from `down` rows below and `across` columns to the right."""
    height, width = image.shape[:2]
    result = new(image)
    result[...] = fit_fill(fill, image)
    top, left = max(-down, 0), max(-across, 0)
    bottom, right = min(height - down, height), min(width - across, width)
    if top < bottom and left < right:
        result[top:bottom, left:right] = image[top + down : bottom + down, left + across : right + across]
    return result


def _interpolate(image: Array, data: Matrix, resample: str, fill: Array) -> Array:
    height, width = image.shape[:2]
    result = new(image)
    result[...] = fill
    flat = result.reshape(height * width, -1)
    # The pixels at the edges are repeated twice beyond them.
    stride = width + 4
    around = np.pad(image.reshape(height, width, -1), ((2, 2), (2, 2), (0, 0)), "edge").reshape(
        -1, flat.shape[1]
    )
    weigh = _linear if resample == "bilinear" else _cubic
    a, b, c, d, e, f = data
    x = np.arange(width) + 0.5
    rows = max(_BAND // width, 1)
    for first in range(0, height, rows):
        y = (np.arange(first, min(first + rows, height)) + 0.5)[:, None]
        across, down = a * x + b * y + c, d * x + e * y + f
        inside = ((across >= 0.0) & (across < width) & (down >= 0.0) & (down < height)).nonzero()
        across, down = across[inside] - 0.5, down[inside] - 0.5
        column, row = np.floor(across), np.floor(down)
        right, below = (across - column)[:, None], (down - row)[:, None]
        corner = ((row + 2.0) * stride + column + 2.0).astype(np.intp)

        def along(up: int, corner: Array = corner, right: Array = right) -> Array:
            line = corner + up * stride
            return weigh(lambda left: around.take(line + left, axis=0).astype(np.float64), right)

        values = weigh(along, below)
        np.minimum(np.maximum(values, 0.0, out=values), 255.0, out=values)
        flat[(inside[0] + first) * width + inside[1]] = values.astype(np.uint8)
    return result


def _linear(source: Callable[[int], Array], share: Array) -> Array:
    first = source(0)
    rise = source(1)
    rise -= first
    rise *= share
    rise += first
    return rise


def _cubic(source: Callable[[int], Array], share: Array) -> Array:
    """Return the cubic interpolation of Pillow's transform (a = -1)."""
    one, two, three, four = source(-1), source(0), source(1), source(2)
    result = two - one
    result -= three
    result += four
    result *= share
    result += 2.0 * (one - two) + three - four
    result *= share
    result += three - one
    result *= share
    result += two
    return result
