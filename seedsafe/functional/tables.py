"""Look-up tables for images of uint8.

Exact on every machine. If StringZilla is installed (``pip install "seedsafe[fast]"``), it does the look-ups several times
faster than OpenCV, with the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final

import numpy as np

from seedsafe.functional.carrier import in_memory, opencv
from seedsafe.functional.scratch import scratch_planes
from seedsafe.ground.info import Array
from seedsafe.ground.process import importing

__all__ = ["VALUES", "look_up", "look_up_channels", "look_up_into", "table"]

VALUES: Final = np.arange(256, dtype=np.float64)
"""The values of uint8, float64, read-only."""
VALUES.flags.writeable = False

_SMALL: Final = 8192
"""Below this number of values, OpenCV's single step for all channels is cheaper than three for each
(python -m benchmarks --only Equalize)."""


def table(values: Array) -> Array:
    """Return numbers as a table of uint8: rounded, half to even, and cut off at 0 and 255.

    Example:
        >>> table(np.array([-3.0, 1.5, 300.0])).tolist()
        [0, 2, 255]
    """
    result = np.rint(values)
    return np.minimum(np.maximum(result, 0.0, out=result), 255.0, out=result).astype(np.uint8)


def look_up(image: Array, values: Array) -> Array:
    """Return ``values[image]`` as a new array; both are uint8.

    `values` has the shape (256,), or (N, 256) with a table for each of N rows of the image.

    Example:
        >>> look_up(np.array([[0, 1]], np.uint8), np.arange(255, -1, -1).astype(np.uint8)).tolist()
        [[255, 254]]
    """
    result = np.empty(image.shape, np.uint8)
    if values.ndim == 1:
        look_up_into(image, values, result)
        return result
    rows = image[:, np.newaxis], np.ascontiguousarray(values), result[:, np.newaxis]
    for row, one, out in zip(*rows, strict=True):
        look_up_into(row, one, out)
    return result


def look_up_channels(image: Array, values: Sequence[Array]) -> Array:
    """Return an image (H, W, C) with each channel looked up in its own table, as a new array.

    Example:
        >>> up = np.arange(256, dtype=np.uint8)
        >>> look_up_channels(np.array([[[1, 2]]], np.uint8), [up, up[::-1].copy()]).tolist()
        [[[1, 253]]]
    """
    image = in_memory(image)
    cv2 = opencv()
    result = np.empty(image.shape, np.uint8)
    if image.size < _SMALL:
        return cv2.LUT(image, np.stack(values, axis=1).reshape(1, 256, -1), result)  # type: ignore[no-any-return]
    planes = scratch_planes(image.shape[2], image)
    cv2.split(image, planes)
    for plane, one in zip(planes, values, strict=True):
        look_up_into(plane, one, plane)
    cv2.merge(planes, result)
    return result


def look_up_into(image: Array, values: Array, out: Array) -> None:
    """Write ``values[image]`` into `out`, which may be the image itself; both are C-contiguous."""
    translate = _translate()
    if translate is not None and image.flags.c_contiguous:
        translate(image.data, values.data, out=out.data)
    else:
        image = in_memory(image)
        opencv().LUT(image.reshape(image.shape[0], -1), values, out.reshape(image.shape[0], -1))


@cache
def _translate() -> Callable[..., Any] | None:
    try:
        with importing:
            translate: Callable[..., Any] = import_module("stringzilla").translate
    except ImportError:
        return None
    probe = np.array([3, 5], np.uint8)
    try:  # releases before 5.3 cannot write into an array
        translate(probe.data, np.arange(256, dtype=np.uint8).data, out=probe.data)
    except TypeError:
        return None
    return translate
