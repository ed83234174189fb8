"""Windows of JPEGs, decoded alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

import numpy as np

from seedsafe.kernels import FOLDER, Windowing, address, has_jpeg, library, other_bytes

__all__ = ["Place", "Windows"]

Window = tuple[int, int, int, int]
"""Top, left, height and width."""

Place = Callable[[tuple[int, int]], Window | None]
"""Returns the window that is needed of an image of a size, or None for all of it."""

_SIZE: Final = (75, 101)
"""The size of the images in the folder jpegs."""


class Windows:
    """Decodes windows of JPEGs to the pixels that a decoder of whole files gives them.

    The two may hold different versions of libjpeg-turbo. So at first the files in the folder jpegs, one of each kind, are decoded
    by both, and if one byte differs, windows are decoded no more.

    Args:
        name: what the decoder of whole files is called.
        whole: that decoder, which returns uint8 (H, W, 3).
        turns: whether that decoder turns images as their Exif data say.
    """

    def __init__(self, name: str, whole: Callable[[bytes], Any], *, turns: bool) -> None:
        self._name, self._whole, self._turns = name, whole, turns

    def decode(self, data: bytes, size: tuple[int, int], place: Place) -> Any:
        """Return an image of a size, uint8 (H, W, 3), that holds its pixels in the window, and any others around it.

        None is returned if there is no window, and for what is not a usual JPEG, ends too early, has a fault above the window's
        end, or is to be turned.
        """
        if data[:2] + data[-2:] != b"\xff\xd8\xff\xd9" or not self._agrees:
            return None
        window = place(size)
        return None if window is None else self._decode(data, size, window)

    @cached_property
    def _agrees(self) -> bool:
        if not has_jpeg():
            return False
        for path in (FOLDER / "jpegs").iterdir():
            data = path.read_bytes()
            expected = self._whole(data)
            for top, left, height, width in ((0, 0, *_SIZE), (29, 30, 9, 40)):
                image = self._decode(data, _SIZE, (top, left, height, width))
                place = slice(top, top + height), slice(left, left + width)
                if image is None or expected is None or not np.array_equal(image[place], expected[place]):
                    other_bytes.append(self._name)
                    return False
        return True

    def _decode(self, data: bytes, size: tuple[int, int], window: Window) -> Any:
        opened: Any = library()
        image = np.empty((*size, 3), np.uint8)
        job = Windowing(data, len(data), *size, *window, self._turns, address(image))
        return None if opened.seedsafe_jpeg(job) else image
