"""Images whose pixels come from other coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from seedsafe.functional.carrier import as_carrier, in_memory, need_image, opencv, restore
from seedsafe.functional.resize import need_interpolated
from seedsafe.functional.scratch import scratch
from seedsafe.functional.window import BORDERS, check_fill
from seedsafe.ground.exactness import NEAREST, exact
from seedsafe.ground.info import Array

__all__ = ["MAX_SIDE", "Coordinates", "border_code", "in_parts", "interpolation_code", "remap"]

MAX_SIDE: Final = 32766
"""The longest side that OpenCV can warp."""

_CODES: Final = {"nearest": 0, "bilinear": 1, "bicubic": 2, "lanczos": 4}

_IN_CACHE: Final = 2**13
"""The number of pixels computed at once, which a processor's cache holds."""

Coordinates = Callable[[int, int], tuple[Array, Array]]
"""Takes the first row and the one after the last. Returns the x and y that these rows come from, float64, of shapes that
broadcast to (rows, width)."""

_WORTH_FOUR: Final = 2**12
"""From this many pixels on, it pays to warp RGB images as RGBA."""


@exact(NEAREST)
def remap(
    image: Array,
    places: Coordinates,
    height: int,
    width: int,
    *,
    interpolation: str = "bilinear",
    mode: str = "constant",
    fill: float | Sequence[float] = 0,
) -> Array:
    """Return an image whose pixels come from other coordinates.

    Args:
        image: (H, W) or (H, W, C), any dtype for "nearest", else uint8, int16, uint16, float32 or float64.
        places: see Coordinates; 0 is the middle of the first column and row.
        height: the height of the result, in pixels.
        width: the width of the result, in pixels.
        interpolation: "nearest", "bilinear", "bicubic" or "lanczos".
        mode: how pixels outside the image are filled, one of ``seedsafe.functional.window.MODES``.
        fill: the value outside in the mode "constant", one for all channels or one for each.

    Returns:
        (height, width) or (height, width, C), a new array. Buffers take up to 0.6 MB, whatever the image's size.

    Raises:
        TypeError: the image's dtype cannot be interpolated.
        ValueError: an option is unknown, fill does not fit, the image is empty, or a side is longer than 32766.

    Example:
        >>> def source(first, last):
        ...     return np.array([[2.0, 0.5]]), np.array([[0.0, 0.0]])
        >>> remap(np.array([[10, 20, 30]], np.uint8), source, 1, 2).tolist()
        [[30, 15]]
    """
    image = in_memory(image)
    border, code, cv2 = border_code(mode), interpolation_code(interpolation), opencv()
    rows = max(_IN_CACHE // width, 1)
    maps = np.empty((2, min(rows, height), width), np.float32)

    def move(part: Array, value: Any, dst: Array | None) -> Array:
        result = np.empty((height, width, *part.shape[2:]), part.dtype) if dst is None else dst
        for first in range(0, height, rows):
            last = min(first + rows, height)
            band = maps[:, : last - first]
            for one, values in zip(band, places(first, last), strict=True):
                if not code:  # OpenCV rounds fractions differently for each dtype: pass whole numbers
                    values = np.rint(values)
                    np.minimum(np.maximum(values, -32768.0, out=values), 32767.0, out=values)
                one[...] = values
            cv2.remap(
                part, band[0], band[1], code, dst=result[first:last], borderMode=border, borderValue=value
            )
        return result

    return in_parts(image, move, height, width, interpolation, mode, fill)


def interpolation_code(interpolation: str) -> int:
    """Return OpenCV's number for an interpolation of a warp, or raise ValueError."""
    if interpolation not in _CODES:
        raise ValueError(f"interpolation must be one of {', '.join(_CODES)}, got {interpolation!r}")
    return _CODES[interpolation]


def border_code(mode: str) -> int:
    """Return OpenCV's number for a mode, or raise ValueError."""
    if mode not in BORDERS:
        raise ValueError(f"mode must be one of {', '.join(BORDERS)}, got {mode!r}")
    return BORDERS[mode]


def in_parts(
    image: Array,
    move: Any,
    height: int,
    width: int,
    interpolation: str,
    mode: str,
    fill: float | Sequence[float],
) -> Array:
    """Apply `move` to an image in parts that OpenCV supports: up to four channels, in a dtype it can move.

    `move` gets the part, the values outside it, and a buffer for the result or None. "nearest" supports any dtype, other
    interpolations only dtypes that can be interpolated.
    """
    image = in_memory(image)
    need_image(image)
    if not image.size:  # OpenCV would not write the result
        raise ValueError(f"an image must not be empty, got the shape {image.shape}: leave it out")
    if max(*image.shape[:2], height, width) > MAX_SIDE:
        raise ValueError(
            f"an image can be warped up to {MAX_SIDE} pixels a side, got {image.shape[:2]} to {(height, width)}: "
            "crop or resize it first"
        )
    if interpolation == "bicubic" and mode == "reflect" and 1 in image.shape[:2]:
        for axis in (0, 1):  # OpenCV would never end; two equal lines are reflected to the same values
            image = np.repeat(image, 2, axis) if image.shape[axis] == 1 else image
    channels = image.shape[2] if image.ndim == 3 else 1
    if interpolation == "nearest":
        source = as_carrier(image)
    else:
        need_interpolated(image)
        source = image
    if isinstance(fill, int | float) and fill == 0:
        values = [0.0] * channels
    else:
        check_fill(fill, image)
        values = (
            np.broadcast_to(np.ravel(fill).astype(image.dtype), channels).copy().view(source.dtype).tolist()
        )
    large = channels == 3 and image.ndim == 3 and height * width >= _WORTH_FOUR
    # The dtypes whose channels OpenCV's cvtColor converts.
    if large and interpolation != "nearest" and image.dtype.char in "BHf":
        return _in_four(source, move, height, width, values)
    if channels == 1 and source.ndim == 3:
        source = source[..., 0]
    if channels <= 4:
        result: Array = move(source, values, None)
    else:
        result = np.empty((height, width, channels), source.dtype)
        for first in range(0, channels, 4):
            last = min(first + 4, channels)
            part = source[..., first:last] if last - first > 1 else source[..., first]
            part = move(part, values[first:last], None)
            result[..., first:last] = part if part.ndim == 3 else part[..., None]
    return restore(result, image)


def _in_four(image: Array, move: Any, height: int, width: int, values: list[float]) -> Array:
    """Move an RGB image as RGBA: OpenCV's loops over four channels are twice as fast, and the bytes are the same.

    See ``python -m benchmarks --only Rotate``.
    """
    rows, columns = image.shape[:2]
    cv2 = opencv()
    buffer = scratch((4 * (rows * columns + height * width),), image.dtype)
    four = buffer[: 4 * rows * columns].reshape(rows, columns, 4)
    target = buffer[4 * rows * columns :].reshape(height, width, 4)
    cv2.cvtColor(image, cv2.COLOR_RGB2RGBA, four)
    move(four, values, target)
    result: Array = cv2.cvtColor(target, cv2.COLOR_RGBA2RGB)
    return result
