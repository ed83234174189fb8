"""Real photographs and speech.

The photographs come with scikit-image and scikit-learn.
"""

from __future__ import annotations

import wave
from pathlib import Path
from typing import Any

import numpy as np
from skimage import data as skimage_data
from skimage.io import imread
from sklearn.datasets import load_sample_images

__all__ = ["photographs", "portraits", "speech", "speech_windows", "square", "tiles"]

_DATA = Path(__file__).parent / "data"
_SHIPPED = ("astronaut.png", "chelsea.png", "coffee.png", "rocket.jpg", "retina.jpg", "motorcycle_left.png")


def photographs() -> dict[str, np.ndarray]:
    """Return RGB photographs, uint8 (height, width, 3), by name."""
    folder = Path(skimage_data.__file__).parent
    images = {name.partition(".")[0]: imread(folder / name)[..., :3] for name in _SHIPPED}
    bunch = load_sample_images()
    for name, image in zip(bunch.filenames, bunch.images, strict=True):
        images[Path(name).stem] = image
    return {name: np.ascontiguousarray(image, np.uint8) for name, image in images.items()}


def portraits() -> np.ndarray:
    """Return the 100 faces of scikit-image's Labeled Faces in the Wild subset, uint8 (100, 25, 25)."""
    faces = skimage_data.lfw_subset()[:100]
    return np.round(faces * 255).astype(np.uint8)


def tiles(count: int, size: int = 80) -> np.ndarray:
    """Return square tiles on a grid over all photographs, uint8 (count, size, size, 3)."""
    all_tiles: list[Any] = []
    for image in photographs().values():
        height, width = image.shape[:2]
        all_tiles += [
            image[top : top + size, left : left + size]
            for top in range(0, height - size + 1, size // 2)
            for left in range(0, width - size + 1, size // 2)
        ]
    if len(all_tiles) < count:
        raise ValueError(
            f"count must be at most {len(all_tiles)}, the number of tiles, got {count}: pass less"
        )
    positions = np.linspace(0, len(all_tiles) - 1, count).round().astype(int)
    return np.stack([all_tiles[one] for one in positions])


def speech() -> tuple[np.ndarray, int]:
    """Return the speech in ``demo/data`` as one float32 array in [-1, 1), and its rate in samples a second."""
    parts, rates = [], set()
    for path in sorted(_DATA.glob("*.wav")):
        with wave.open(str(path)) as file:
            rates.add(file.getframerate())
            parts.append(np.frombuffer(file.readframes(file.getnframes()), "<i2"))
    (rate,) = rates
    return (np.concatenate(parts) / 32768).astype(np.float32), rate


def speech_windows(count: int, length: int = 16384) -> np.ndarray:
    """Return overlapping windows of the speech, float32 (count, length)."""
    signal, _ = speech()
    starts = np.linspace(0, len(signal) - length, count).round().astype(int)
    return np.stack([signal[start : start + length] for start in starts])


def square(image: np.ndarray, size: int) -> np.ndarray:
    """Return the central square of an image, resized to (size, size, 3)."""
    import cv2

    side = min(image.shape[:2])
    top, left = (image.shape[0] - side) // 2, (image.shape[1] - side) // 2
    return cv2.resize(image[top : top + side, left : left + side], (size, size), interpolation=cv2.INTER_AREA)
