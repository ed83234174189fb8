"""Windows of JPEGs, decoded alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from seedsafe.kernels import Windowing, address, library, other_bytes

__all__ = ["Place", "Windows"]

Window = tuple[int, int, int, int]
"""Top, left, height and width."""

Place = Callable[[tuple[int, int]], Window | None]
"""Returns the window that is needed of an image of a size, or None for all of it."""


class Windows:
    """Decodes windows of JPEGs to the pixels that a decoder of whole files gives them.

    The two may hold different versions of libjpeg-turbo. So at first some files are decoded by both, and if one byte differs,
    windows are decoded no more.

    Args:
        name: what the decoder of whole files is called.
        samples: returns files, each with its pixels by that decoder.
        turns: whether that decoder turns images as their Exif data say.
    """

    def __init__(self, name: str, samples: Callable[[], Iterable[tuple[bytes, Any]]], *, turns: bool) -> None:
        self._name, self._samples, self._turns = name, samples, turns

    def decode(self, data: bytes, size: tuple[int, int], place: Place) -> Any:
        """Return an image of a size, uint8 (H, W, 3), that holds its pixels in the window of its place, and any others around it.

        None is returned if there is no window, and for what is not a usual JPEG, ends too early, has a fault above the window's
        end, or is to be turned.
        """
        if data[:2] + data[-2:] != b"\xff\xd8\xff\xd9" or not self._agrees:
            return None
        window = place(size)
        return None if window is None else self._decode(data, size, window)

    @cached_property
    def _agrees(self) -> bool:
        if library() is None:
            return False
        for data, expected in self._samples():
            rows, columns = expected.shape[:2]
            for top, height in ((0, rows), (rows // 2, rows // 4)):
                image = self._decode(data, (rows, columns), (top, top, height, height))
                place = slice(top, top + height), slice(top, top + height)
                if image is None or not np.array_equal(image[place], expected[place]):
                    other_bytes.append(self._name)
                    return False
        return True

    def _decode(self, data: bytes, size: tuple[int, int], window: Window) -> Any:
        opened: Any = library()
        image = np.empty((*size, 3), np.uint8)
        job = Windowing(data, len(data), *size, *window, self._turns, address(image))
        return None if opened.seedsafe_jpeg(job) else image
