"""Pixels of Pillow's images."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Final

import numpy as np

from seedsafe.functional.carrier import opencv
from seedsafe.ground.info import Array

__all__ = ["pixels"]


class _Arrow(ctypes.Structure):
    """Arrow's C structure of an array, `the C data interface <https://arrow.apache.org/docs/format/CDataInterface.html>`_."""


_Arrow._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Arrow))),
    *((name, ctypes.c_void_p) for name in ("dictionary", "release", "private_data")),
]

_pointer_of: Final[Any] = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def pixels(picture: Any) -> Array:
    """Return the pixels of an image of Pillow as a new array, as ``numpy.array`` does.

    An RGB image is copied straight out of Pillow's memory, in a fifth of the time, if OpenCV is loaded and Pillow exposes that
    memory: from version 11.2 on, for images in one piece.

    Example:
        >>> from PIL import Image
        >>> pixels(Image.new("RGB", (2, 1), (1, 2, 3))).tolist()
        [[[1, 2, 3], [1, 2, 3]]]
    """
    quick = "cv2" in sys.modules and hasattr(picture, "__arrow_c_array__")
    if not quick or picture.mode != "RGB" or 0 in picture.size:
        return np.array(picture)
    try:
        _, capsule = picture.__arrow_c_array__()
    except (ValueError, MemoryError):
        return np.array(picture)
    width, height = picture.size
    # `capsule` keeps the memory alive until it has been copied.
    arrow = _Arrow.from_address(_pointer_of(capsule, b"arrow_array"))
    values = arrow.children[0].contents
    # Any layout but four bytes for each pixel, from the beginning on, is unknown here.
    if (arrow.length, arrow.offset, values.length, values.offset) != (
        height * width,
        0,
        4 * height * width,
        0,
    ):
        return np.array(picture)
    memory = (ctypes.c_uint8 * (4 * height * width)).from_address(values.buffers[1])
    cv2 = opencv()
    result: Array = cv2.cvtColor(
        np.frombuffer(memory, np.uint8).reshape(height, width, 4), cv2.COLOR_RGBA2RGB
    )
    return result
