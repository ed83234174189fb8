"""Pixel values and their layout."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from seedsafe.functional.carrier import MAX_CHANNELS, as_carrier, in_memory, need_image, opencv
from seedsafe.functional.scratch import scratch_planes
from seedsafe.ground.exactness import EVERYWHERE, exact
from seedsafe.ground.info import FLOAT32, UINT8, Array, arithmetic

__all__ = [
    "memory_for",
    "normalize",
    "normalize_chw",
    "of_bytes",
    "to_chw",
    "to_chw_each",
    "to_float",
]

_SMALL: Final = 8192
"""Below this number of values, NumPy's single call is cheaper than OpenCV's two (python -m benchmarks --only ToFloat)."""

_TILE: Final = 4096
"""Pixels whose coefficients follow each other in one row: long rows are several times cheaper than short ones
(python -m benchmarks --only Normalize)."""


@exact(EVERYWHERE)
def to_float(image: Array, out: Array | None = None) -> Array:
    """Return an image as float32; uint8 is divided by 255, float32 stays as it is.

    Args:
        image: uint8 or float32, any shape.
        out: an array to fill and return, if it has the result's shape and dtype; not used for float32.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> to_float(np.array([0, 255], np.uint8)).tolist()
        [0.0, 1.0]
    """
    if image.dtype != np.uint8:
        _need_float32(image)
        return image
    if image.size < _SMALL:
        return np.divide(image, np.float32(255), dtype=np.float32, order="C")
    result = memory_for(image.shape, np.float32, out)
    rows = result.reshape(image.shape[0], -1)
    _scale(image.reshape(rows.shape), 3.0, rows)
    rows *= np.float32(1 / 765)  # equals x / 255, rounded once, for each of the 256 values
    return result


@exact(EVERYWHERE)
def normalize(image: Array, mean: Sequence[float], std: Sequence[float], out: Array | None = None) -> Array:
    """Return ``(x - mean) / std`` of an image in [0, 1], as float32; uint8 is divided by 255 first.

    The result is ``x * float32(scale) + float32(offset)``, rounded once after each operation. Its error is at most 2
    units in the last place of the formula's quotients of ``x`` and of ``mean``.

    Args:
        image: uint8, or float32 with values about [0, 1]; (H, W), (H, W, C), or images of one shape, (N, H, W, C).
        mean: one for each channel, or one for all, in [0, 1].
        std: one for each channel, or one for all, in [0, 1].
        out: an array to fill and return, if it has the result's shape and dtype.

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: mean and std do not have one value for each channel.

    Example:
        >>> normalize(np.array([[0, 255]], np.uint8), [0.5], [0.25]).tolist()
        [[-2.0, 2.0]]
    """
    check_channels(image, mean, std)
    scale, offset = _tiles(tuple(mean), tuple(std), _top(image))
    result = memory_for(image.shape, np.float32, out)
    result[...] = image
    flat = result.reshape(-1)
    whole = flat.size - flat.size % scale.size
    for part in (flat[:whole].reshape(-1, scale.size), flat[whole:]):
        part *= scale[: part.shape[-1]]
        part += offset[: part.shape[-1]]
    return result


def normalize_chw(
    image: Array, mean: Sequence[float], std: Sequence[float], out: Array | None = None
) -> Array:
    """Return ``to_chw(normalize(image, mean, std))``, the same bytes in about half the time.

    Args:
        image: see `normalize`.
        mean: see `normalize`.
        std: see `normalize`.
        out: see `normalize`.

    Returns:
        float32, (C, H, W) or (N, C, H, W); (1, H, W) for an image without channels.

    Raises:
        TypeError: see `normalize`.
        ValueError: see `normalize` and `to_chw`.

    Example:
        >>> normalize_chw(np.array([[[0, 255]]], np.uint8), [0.5, 0.5], [0.25, 0.5]).tolist()
        [[[-2.0]], [[1.0]]]
    """
    check_channels(image, mean, std)
    if image.size < _SMALL and image.ndim < 4:
        need_image(image)
        scale, offset = _tiles(tuple(mean), tuple(std), _top(image))
        last = image.astype(FLOAT32, "C")
        flat = last.reshape(-1)
        values = 1 if len(mean) == 1 else flat.size
        flat *= scale[:values]
        flat += offset[:values]
        first = last.transpose(2, 0, 1) if image.ndim == 3 else last[np.newaxis]
        result = memory_for(first.shape, FLOAT32, out)
        result[...] = first
        return result
    scale, offset = affine(tuple(mean), tuple(std), _top(image))
    planes, targets, result = _planes(image, FLOAT32, out)
    times = 1 if len(scale) == len(planes) else len(planes)
    factors, shifts = scale.tolist() * times, [*offset] * times
    for plane, target, factor, shift in zip(planes, targets, factors, shifts, strict=True):
        if plane.dtype == np.uint8:
            _scale(plane, factor, target)
        else:
            np.multiply(plane, factor, out=target)
        if image.ndim < 4:
            target += shift  # here, while the plane is in the processor's cache
    if image.ndim == 4:
        rows = result.reshape(len(result), -1)
        # Long rows, as with _TILE: each channel by itself would be a fourth slower for images of 32 by 32 pixels.
        rows += np.repeat(offset, rows.shape[1] // len(offset))
    return result


def _channels(image: Array) -> list[Array]:
    """Return the channels of an image as planes, in this thread's buffer if they are interleaved."""
    if image.ndim != 3 or not 1 < image.shape[2] <= MAX_CHANNELS or 0 in image.strides:
        return list(to_chw(image))
    planes = scratch_planes(image.shape[2], image)
    opencv().split(image, planes)
    return planes


def memory_for(shape: tuple[int, ...], dtype: npt.DTypeLike, out: Array | None) -> Array:
    """Return the memory for a result: `out` if it fits, else a new array."""
    if out is not None and out.shape == shape and out.dtype == dtype and out.flags.carray:
        return out
    return np.empty(shape, dtype)


def _scale(values: Array, factor: float, out: Array) -> None:
    """Write ``float32(x) * float32(factor)``, rounded once, for uint8 values (H, W) into `out`.

    Of OpenCV's Python functions, only ``normalize`` converts and scales in one pass. It divides its argument by the
    greatest value; the error of that division vanishes when it rounds the factor to float32.
    """
    cv2 = opencv()
    cv2.normalize(values, out, factor * cv2.norm(values, cv2.NORM_INF), 0, cv2.NORM_INF, cv2.CV_32F)


def _top(image: Array) -> float:
    return 255.0 if image.dtype == UINT8 else 1.0


def check_channels(image: Array, mean: Sequence[float], std: Sequence[float]) -> None:
    """Raise an error unless an image is uint8 or float32, with a mean and std for each channel or one for all, of [0, 1] for uint8."""
    if image.dtype != UINT8:
        _need_float32(image)
    elif fault := of_bytes("uint8 is divided by 255 first", mean, std):
        raise ValueError(fault)
    channels = image.shape[-1] if image.ndim > 2 else 1
    if len(mean) not in (1, channels) or len(std) != len(mean):
        raise ValueError(
            f"mean and std must have one value for each channel, got {len(mean)} and {len(std)} for an image of shape "
            f"{image.shape}: pass {channels}, or one for all channels"
        )


def of_bytes(reason: str, mean: Sequence[float], std: Sequence[float]) -> str:
    """Return the text of an error if a mean and std cannot be those of values in [0, 1], and nothing if they can."""
    if max(mean) <= 1 and max(std) <= 10:
        return ""
    one, other = (tuple(round(number / 255, 4) for number in numbers) for numbers in (mean, std))
    return f"mean and std must be of values in [0, 1], since {reason}, got {mean} and {std}: if they are of 0 to 255, write Normalize({one}, {other})"


@lru_cache(maxsize=64)
def affine(mean: tuple[float, ...], std: tuple[float, ...], top: float) -> tuple[Array, Array]:
    """Return the scale and the offset of a normalisation, float32, for each value of mean and std."""
    deviations = np.asarray(std, np.float64)
    scale = 1.0 / (deviations * top)
    offset = -np.asarray(mean, np.float64) / deviations
    return _constant(scale.astype(np.float32)), _constant(offset.astype(np.float32))


@lru_cache(maxsize=64)
def _tiles(mean: tuple[float, ...], std: tuple[float, ...], top: float) -> tuple[Array, Array]:
    scale, offset = affine(mean, std, top)
    return _constant(np.tile(scale, _TILE)), _constant(np.tile(offset, _TILE))


def _constant(values: Array) -> Array:
    values.flags.writeable = False  # all callers share it
    return values


@exact(EVERYWHERE)
def to_chw(image: Array, out: Array | None = None) -> Array:
    """Return an image with its channels first, as a new array unless `out` fits.

    Args:
        image: (H, W) or (H, W, C), any dtype.
        out: an array to fill and return, if it has the result's shape and dtype.

    Returns:
        (C, H, W); (1, H, W) for an image without channels.

    Raises:
        ValueError: the image has the wrong number of dimensions.

    Example:
        >>> to_chw(np.zeros((4, 5, 3), np.uint8)).shape
        (3, 4, 5)
    """
    image = in_memory(image)
    need_image(image)
    channels = image.shape[2] if image.ndim == 3 else 1
    planes = memory_for((channels, *image.shape[:2]), image.dtype, out)
    first = image.transpose(2, 0, 1) if image.ndim == 3 else image[np.newaxis]
    if _splits(image, channels) and not first.flags.c_contiguous:
        # A window of a wider image would take up to fifty times as long: see scratch_planes.
        opencv().split(as_carrier(np.ascontiguousarray(image)), list(as_carrier(planes)))
    else:
        planes[...] = first
    return planes


def _splits(image: Array, channels: int) -> bool:
    """Return whether OpenCV separates the channels of an image faster than NumPy does: only if the values are many and small.

    float32 of 224 by 224 pixels takes half the time.
    """
    return image.itemsize <= 4 and image.size >= _SMALL and 1 < channels <= MAX_CHANNELS


def to_chw_each(images: Array, out: Array | None = None) -> Array:
    """Return the results of `to_chw` for each image: (N, C, H, W).

    Example:
        >>> to_chw_each(np.array([[[[1, 2]]]], np.uint8)).tolist()
        [[[[1]], [[2]]]]
    """
    planes, targets, result = _planes(images, images.dtype, out)
    for plane, target in zip(planes, targets, strict=True):
        target[...] = plane
    return result


def _planes(
    images: Array, dtype: npt.DTypeLike, out: Array | None
) -> tuple[Sequence[Array], Sequence[Array], Array]:
    """Return the channels of an image, or of images (N, H, W, C), and the result's memory: for each channel, and as a whole."""
    if images.ndim < 4:
        planes = _channels(images)
        result = memory_for((len(planes), *images.shape[:2]), dtype, out)
        return planes, list(result), result
    count, height, width, channels = images.shape
    result = memory_for((count, channels, height, width), dtype, out)
    tall = np.ascontiguousarray(images).reshape(count, height * width, channels)  # as one image
    planes = [tall[:, :, 0]] if channels == 1 else _channels(tall)
    return planes, list(result.reshape(count, channels, -1).swapaxes(0, 1)), result


def _need_float32(image: Array) -> None:
    if image.dtype != FLOAT32:
        dtype = image.dtype
        raise TypeError(f"an image must be uint8 or float32, got dtype {dtype}: {arithmetic('image', dtype)}")
