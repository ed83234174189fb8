"""Windows of JPEGs, decoded alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from seedsafe.kernels import Windowing, address, library, other_bytes

__all__ = ["Windows"]

Window = tuple[int, int, int, int]


class Windows:
    """Decodes windows of JPEGs to the pixels that a decoder of whole files gives them.

    The two may hold different versions of libjpeg-turbo. So at first some files are decoded by both, and if one byte differs,
    windows are decoded no more.

    Args:
        whole: decodes a whole file to RGB, uint8 (H, W, 3).
        name: what it is called.
        samples: returns files to compare.
        turns: whether it turns images as their Exif data say.
    """

    def __init__(
        self,
        whole: Callable[[bytes], Any],
        name: str,
        samples: Callable[[], Iterable[bytes]],
        *,
        turns: bool,
    ) -> None:
        self._whole, self._name, self._samples, self._turns = whole, name, samples, turns

    def decode(self, data: bytes, size: tuple[int, int], window: Window) -> Any:
        """Return an image of a size, uint8 (H, W, 3), with the pixels of the window (top, left, height, width) and any others.

        None is returned for what is not a usual JPEG, has a fault above the window's end, or is to be turned.
        """
        return self._decode(data, size, window) if self._agrees else None

    @cached_property
    def _agrees(self) -> bool:
        if library() is None:
            return False
        for data in self._samples():
            expected = self._whole(data)
            rows, columns = expected.shape[:2]
            for window in ((0, 0, rows, columns), (rows // 2, columns // 3, rows // 4, columns // 2)):
                image = self._decode(data, (rows, columns), window)
                place = tuple(
                    slice(first, first + side) for first, side in zip(window[:2], window[2:], strict=True)
                )
                if image is None or not np.array_equal(image[place], expected[place]):
                    other_bytes.append(self._name)
                    return False
        return True

    def _decode(self, data: bytes, size: tuple[int, int], window: Window) -> Any:
        opened: Any = library()
        image = np.empty((*size, 3), np.uint8)
        job = Windowing(data, len(data), *size, *window, self._turns, address(image))
        return None if opened.seedsafe_jpeg(job) else image
