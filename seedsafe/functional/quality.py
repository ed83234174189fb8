"""Loss of quality: compression and lower resolution."""

from __future__ import annotations

from typing import Final

from seedsafe.functional.carrier import opencv
from seedsafe.functional.kinds import in_uint8, is_rgb, is_uint8, new
from seedsafe.functional.resize import resize
from seedsafe.ground.exactness import OPENCV, RESIZED, exact
from seedsafe.ground.info import Array

__all__ = ["FORMATS", "compress", "downscale"]

FORMATS: Final = {
    "jpeg": (".jpg", "IMWRITE_JPEG_QUALITY", 65500),
    "webp": (".webp", "IMWRITE_WEBP_QUALITY", 16383),
}
"""The suffix, OpenCV's option for the quality, and the longest side that the format's library writes."""


@exact(OPENCV)
def compress(image: Array, quality: int, file_format: str = "jpeg") -> Array:
    """Return an image after lossy compression.

    float32 is converted to uint8 and back.

    Args:
        image: uint8 or float32, (H, W, 3), RGB, or grey.
        quality: the quality, from 1 to 100.
        file_format: "jpeg" or "webp".

    Raises:
        TypeError: the image has the wrong dtype.
        ValueError: the format is unknown, or the image has the wrong number of channels or is too large for the format.

    Example:
        >>> import numpy as np
        >>> bool((compress(np.full((8, 8), 100, np.uint8), 50) == 100).all())
        True
    """
    if file_format not in FORMATS:
        raise ValueError(f"file_format must be one of {', '.join(FORMATS)}, got {file_format!r}")
    suffix, option, limit = FORMATS[file_format]
    colours = is_rgb(image, "ImageCompression")
    is_uint8(image)
    if max(image.shape[:2]) > limit:
        raise ValueError(
            f"{file_format} holds up to {limit} pixels a side, got the shape {image.shape}: crop the image first"
        )
    return in_uint8(image, lambda values: _store(values, quality, suffix, option, colours))


def _store(image: Array, quality: int, suffix: str, option: str, colours: bool) -> Array:
    cv2 = opencv()
    result = new(image)
    bgr = cv2.cvtColor(image, cv2.COLOR_RGB2BGR, result) if colours else image
    _, data = cv2.imencode(suffix, bgr, (getattr(cv2, option), quality))
    values = cv2.imdecode(data, cv2.IMREAD_COLOR if colours else cv2.IMREAD_GRAYSCALE)
    if colours:
        cv2.cvtColor(values, cv2.COLOR_BGR2RGB, result)
        return result
    result[...] = values.reshape(image.shape)
    return result


@exact(RESIZED)
def downscale(image: Array, scale: float, down: str = "nearest", up: str = "nearest") -> Array:
    """Return an image resized to a smaller size and back.

    Args:
        image: uint8 or float32, (H, W) or (H, W, C).
        scale: the sides of the smaller image, as a share of those of the original, in (0, 1].
        down: the interpolation to the smaller size, one of those of `resize`.
        up: the interpolation back, one of those of `resize`.

    Raises:
        TypeError: the image has the wrong dtype.

    Example:
        >>> import numpy as np
        >>> downscale(np.array([[0, 10, 20, 30]], np.uint8), 0.5, "area").tolist()
        [[5, 5, 25, 25]]
    """
    is_uint8(image)
    height, width = image.shape[:2]
    small = resize(image, max(1, round(height * scale)), max(1, round(width * scale)), interpolation=down)
    result = resize(small, height, width, interpolation=up)
    return result.copy() if result is image else result
