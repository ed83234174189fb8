"""Photographs for the benchmarks of loaders.

They are windows of four real ones, in memory as arrays or as JPEG.
"""

from __future__ import annotations

import os

import cv2
import numpy as np
from skimage import data

__all__ = ["IMAGES", "Photographs"]

IMAGES = 256
"""The number of different images, which are read again and again."""
_WINDOW = 256


class Photographs:
    """A dataset of images (size, size, 3), uint8.

    Args:
        size: of an image, in pixels.
        jpeg: whether each read decodes a JPEG, of quality 95.
        length: of the dataset.
    """

    def __init__(self, size: int, jpeg: bool, length: int) -> None:
        rng = np.random.default_rng(0)
        sources = [data.astronaut(), data.chelsea(), data.coffee(), data.rocket()]
        images = []
        for number in range(IMAGES):
            source = sources[number % len(sources)]
            top, left = (int(rng.integers(0, extent - _WINDOW + 1)) for extent in source.shape[:2])
            window = source[top : top + _WINDOW, left : left + _WINDOW]
            images.append(cv2.resize(window, (size, size), interpolation=cv2.INTER_AREA))
        self.images = [encode(one) for one in images] if jpeg else images
        self.size, self.jpeg, self.length, self._process = size, jpeg, length, os.getpid()

    def __len__(self) -> int:  # the reader changes it for each pass, which workers do not see
        return self.length if os.getpid() == self._process else 2**20

    def __getitem__(self, index: int) -> np.ndarray:
        image = self.images[index % IMAGES]
        return cv2.cvtColor(cv2.imdecode(image, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB) if self.jpeg else image


def encode(image: np.ndarray) -> np.ndarray:
    """Return an RGB image as the bytes of a JPEG."""
    return cv2.imencode(".jpg", cv2.cvtColor(image, cv2.COLOR_RGB2BGR))[1]
