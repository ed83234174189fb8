"""A small PNG image of a sample."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np

from seedsafe_audit.content import as_array, leaves

__all__ = ["png", "preview"]

_SIDE = 96


def preview(sample: Any) -> str | None:
    """Return the first image in a sample, or a curve of its first numbers, or None."""
    arrays = [
        array
        for _, leaf in leaves(sample)
        if (array := as_array(leaf)) is not None and array.dtype.kind in "biuf"
    ]
    for array in arrays:
        image = _image(array)
        if image is not None:
            return png(image)
    for array in arrays:
        if array.size > 1:
            return png(_curve(array.ravel()[:4096]))
    return None


def png(pixels: np.ndarray[Any, np.dtype[np.uint8]]) -> str:
    """Return a PNG file of an (H, W) or (H, W, 3) uint8 array, in base 64."""
    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + pixels[0].size), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, 0 if pixels.ndim == 2 else 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    )
    return base64.b64encode(data).decode()


def _image(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    while array.ndim > 3 and len(array):
        array = array[0]  # the first of a batch
    if array.ndim == 3 and array.shape[0] in (1, 3, 4) and array.shape[2] not in (1, 3, 4):
        array = np.moveaxis(array, 0, 2)
    if array.ndim == 3:
        if array.shape[2] not in (1, 3, 4):
            return None
        array = array[:, :, 0] if array.shape[2] == 1 else array[:, :, :3]
    if array.ndim != 2 + (array.ndim == 3) or min(array.shape[:2], default=0) < 4:
        return None
    step = -(-max(array.shape[:2]) // _SIDE)
    return _bytes(array[::step, ::step])


def _bytes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.dtype == np.uint8:
        return array
    values = np.nan_to_num(array.astype(np.float64), posinf=0.0, neginf=0.0)
    low, high = float(values.min()), float(values.max())
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    scaled: np.ndarray[Any, Any] = (values - low) * (255 / ((high - low) or 1))
    return scaled.astype(np.uint8)


def _curve(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    grey = _bytes(np.asarray(values, np.float64))
    width = min(len(grey), 2 * _SIDE)
    picture = np.full((48, width), 255, np.uint8)
    for column, chunk in enumerate(np.array_split(grey, width)):
        top, bottom = 47 - int(chunk.max()) * 47 // 255, 47 - int(chunk.min()) * 47 // 255
        picture[top : bottom + 1, column] = 40
    return picture
