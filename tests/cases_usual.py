"""The code of the original post and of its examples, as it is usually written, in our own words."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch.utils.data import Dataset


class ThreeNumbers(Dataset):
    """The post's RandomDataset: three random numbers a sample, from NumPy's global generator or a stored one."""

    def __init__(self, rng: Any, count: int = 16) -> None:
        self.rng, self.count = rng, count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> np.ndarray:
        source = np.random if self.rng is None else self.rng
        return np.array([int(source.random() * 1000) for _ in range(3)])


class Landmarks(Dataset):
    """The landmarks tutorial's RandomCrop: one window for the image and for its points."""

    def __init__(self, base: list[dict[str, np.ndarray]], size: int) -> None:
        self.base, self.size = base, size
        self.rng = np.random.default_rng(0)

    def __len__(self) -> int:
        return len(self.base)

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        image, points = self.base[index]["image"], self.base[index]["keypoints"]
        top, left = (int(self.rng.integers(0, side - self.size + 1)) for side in image.shape[:2])
        window = image[top : top + self.size, left : left + self.size]
        return {"image": window, "keypoints": points - (left, top), "drawn": np.array([top, left])}


class Corrupted(Dataset):
    """An energy-based model's data: images with Gaussian noise of a fixed strength, clipped."""

    def __init__(self, images: np.ndarray, rng: Any) -> None:
        self.images, self.rng = images, rng

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        source = np.random if self.rng is None else self.rng
        noise = source.normal(0, 0.3, self.images.shape[1:])
        return np.clip(self.images[index] + noise, 0, 1), noise


class Segments(Dataset):
    """MelGAN's data: a random segment of each clip, at a random amplitude."""

    def __init__(self, clips: np.ndarray, length: int) -> None:
        self.clips, self.length = clips, length
        self.rng = np.random.RandomState(0)

    def __len__(self) -> int:
        return len(self.clips)

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        start = self.rng.randint(0, self.clips.shape[1] - self.length)
        gain = self.rng.uniform(0.3, 1.0)
        audio = self.clips[index, start : start + self.length] * np.float32(gain)
        return audio, np.array([start, gain])


class Numbered:
    """A base of (image, index): what it returns tells which sample a keyed loader asked for."""

    def __init__(self, samples: Any) -> None:
        self.samples = samples

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> Any:
        sample = self.samples[index]
        return {**sample, "index": index} if isinstance(sample, dict) else (sample, index)
