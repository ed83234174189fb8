"""Resizing of images, points and boxes."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from seedsafe.functional.antialias import resize_smoothly
from seedsafe.functional.carrier import MAX_CHANNELS, as_carrier, in_memory, opencv, require_size, restore
from seedsafe.functional.coordinates import put
from seedsafe.ground.exactness import EVERYWHERE, RESIZED, exact
from seedsafe.ground.info import Array, arithmetic

__all__ = ["INTERPOLATIONS", "need_interpolated", "resize", "resize_boxes", "resize_points"]

INTERPOLATIONS: Final = ("nearest", "bilinear", "bilinear exact", "bicubic", "area", "lanczos")
"""Ways to compute values between pixels; with "area", each pixel is the mean of the pixels that it covers."""

_CODES: Final = {"nearest": 6, "bilinear": 1, "bilinear exact": 5, "bicubic": 2, "area": 3, "lanczos": 4}
"""OpenCV's numbers; 6 is INTER_NEAREST_EXACT."""

_MANY: Final = 2**13
"""Above this many pixels, copying whole rows is faster (python -m benchmarks --only Downscale)."""

_INTERPOLATED: Final = "BhHfd"
_IN_INTEGERS: Final = "BhH"


@exact(RESIZED)
def resize(
    image: Array, height: int, width: int, *, interpolation: str = "bilinear", antialias: bool = False
) -> Array:
    """Return an image resized so that its edges stay aligned.

    Nothing is smoothed first without antialias.

    Args:
        image: (H, W) or (H, W, C), any dtype for "nearest", else uint8, int16, uint16, float32 or float64.
        height: the height of the result, in pixels.
        width: the width of the result, in pixels.
        interpolation: one of INTERPOLATIONS. "nearest" takes the pixel under the new one's centre, found by adding up old
            side / new side in binary64, which decides where it is on an edge. "bilinear exact", for uint8, int16 and
            uint16, computes in integers: it takes two to three times as long as "bilinear", and differs from it by 1 in
            about every ninth value. It suits images that grow or hardly shrink and must have the same bits on every
            machine. antialias has them too, takes about twice as long (seven to 15 times without the compiled kernels), and
            is better where they shrink to two thirds or less.
        antialias: resize each channel separately as ``Image.resize`` of Pillow 13 does, whether the image shrinks or grows:
            uint8 bit for bit; float32 in its mode F; float64 in mode F, with the precision of float32; int16 and uint16 in
            mode F, rounded half to even and cut off at the ends of the range. "area" is Pillow's box, the mean of the
            pixels whose centre is covered. With Pillow 11 and 12 the bytes are the same, though their own ``Image.resize``
            takes the two axes in the opposite order if the height shrinks much more than the width, which changes some values.
            No effect on "nearest".

    Returns:
        (height, width) or (height, width, C); the image itself if it already has that size.

    Raises:
        ImportError: antialias needs Pillow, which is not installed, and the compiled kernels are missing.
        TypeError: the image's dtype cannot be interpolated, or not in integers.
        ValueError: interpolation is unknown.

    Example:
        >>> resize(np.array([[0, 100]], np.uint8), 1, 4).tolist()
        [[0, 25, 75, 100]]
        >>> line = np.array([[0, 0, 0, 0, 200, 0, 0, 0]], np.uint8)
        >>> resize(line, 1, 2).tolist(), resize(line, 1, 2, antialias=True).tolist()
        ([[0, 0]], [[21, 36]])
    """
    image = in_memory(image)
    if interpolation not in _CODES:
        raise ValueError(f"interpolation must be one of {', '.join(INTERPOLATIONS)}, got {interpolation!r}")
    shape = image.shape
    if shape[0] == height and shape[1] == width:
        return image
    # Up to here, the limit of values is out of reach for fewer than 512 channels.
    if height * width > 2**24:
        require_size((height, width, *shape[2:]))
    if interpolation == "nearest":
        return restore(_nearest(as_carrier(image), height, width), image)
    need_interpolated(image)
    if antialias:
        return resize_smoothly(image, height, width, interpolation)
    if interpolation == "bilinear exact" and image.dtype.char not in _IN_INTEGERS:
        raise TypeError(
            f'"bilinear exact" resizes integers, got an image of dtype {image.dtype}: resize it before it becomes a float, or '
            'pass interpolation="bilinear"'
        )
    # OpenCV takes means over areas of up to four channels.
    limit = 4 if interpolation == "area" else MAX_CHANNELS
    code, cv2_resize = _CODES[interpolation], opencv().resize
    if len(shape) == 3 and shape[2] > limit:
        result: Array = np.empty((height, width, shape[2]), image.dtype)
        for first in range(0, shape[2], limit):
            part = cv2_resize(image[..., first : first + limit], (width, height), interpolation=code)
            result[..., first : first + limit] = part if part.ndim == 3 else part[..., None]
    else:
        result = cv2_resize(image, (width, height), interpolation=code)
    return restore(result, image)


def _nearest(image: Array, height: int, width: int) -> Array:
    """Return the pixels under the centres of the new ones, by OpenCV where its build takes these."""
    old_height, old_width = image.shape[:2]
    grows = height > old_height and height * width > _MANY
    few = image.ndim == 2 or image.shape[2] <= MAX_CHANNELS
    columns_by_opencv = few and _opencv_takes_them(old_width, width)
    code, cv2_resize = _CODES["nearest"], opencv().resize
    if columns_by_opencv and not grows and _opencv_takes_them(old_height, height):
        return cv2_resize(image, (width, height), interpolation=code)  # type: ignore[no-any-return]
    if height < old_height:
        image = image.take(_under(old_height, height), axis=0)
    if width != old_width:
        if columns_by_opencv:
            image = cv2_resize(image, (width, len(image)), interpolation=code)
        else:
            image = _columns(image, _under(old_width, width))
    return image if height <= old_height else image.take(_under(old_height, height), axis=0)


@lru_cache(64)
def _under(source: int, size: int) -> Array:
    """Return the places under the centres of `size` pixels in a line of `source`, as OpenCV 5 finds them: step by step."""
    steps = np.full(size, source / size)
    steps[0] /= 2
    return np.minimum(np.cumsum(steps).astype(np.intp), source - 1)


@lru_cache(2**14)
def _opencv_takes_them(source: int, size: int) -> bool:
    """Return whether this OpenCV takes the same pixels: version 4 rounds centres on or near an edge differently."""
    line = np.arange(source, dtype=np.int32)[None]
    found = opencv().resize(line, (size, 1), interpolation=_CODES["nearest"])
    return np.array_equal(found[0], _under(source, size))


def _columns(image: Array, sources: Array) -> Array:
    """Return the columns of an image at these sources."""
    if image.ndim == 3:
        channels = np.arange(image.shape[2])
        sources = (sources[:, None] * len(channels) + channels).ravel()
    return image.reshape(len(image), -1).take(sources, axis=1).reshape(len(image), -1, *image.shape[2:])


def need_interpolated(image: Array) -> None:
    """Raise TypeError if an image's dtype cannot be interpolated."""
    if image.dtype.char not in _INTERPOLATED:
        raise TypeError(
            f"an image of dtype {image.dtype} cannot be interpolated: {arithmetic('image', image.dtype)}, "
            'or pass it as mask, or pass interpolation="nearest"'
        )


@exact(EVERYWHERE)
def resize_points(points: Array, given: tuple[int, int], size: tuple[int, int]) -> Array:
    """Return points (N, 2 or more), x and y of pixel centres first, in a resized image.

    Args:
        points: floats, or integers, which are rounded.
        given: the height and width of the original image.
        size: the height and width of the resized image.

    Example:
        >>> resize_points(np.array([[0.0, 1.0]]), (10, 10), (20, 10)).tolist()
        [[0.0, 2.5]]
    """
    result = points.copy()
    put(result[:, :2], (points[:, :2] + 0.5) * np.array(size[::-1], np.float64) / np.array(given[::-1]) - 0.5)
    return result


def resize_boxes(boxes: Array, given: tuple[int, int], size: tuple[int, int]) -> Array:
    """Return boxes (N, 4 or more), x0, y0, x1, y1 of pixel edges first, in a resized image; see `resize_points`.

    Args:
        boxes: in pixels.
        given: the height and width of the original image.
        size: the height and width of the resized image.

    Example:
        >>> resize_boxes(np.array([[0, 1, 2, 3]]), (10, 10), (20, 10)).tolist()
        [[0, 2, 2, 6]]
    """
    result = boxes.copy()
    put(result[:, :4], boxes[:, :4] * np.array(size[::-1] * 2, np.float64) / np.array(given[::-1] * 2))
    return result
