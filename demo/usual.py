"""The usual code.

Datasets as people write them, each with its generator where people put it.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from torch.utils.data import Dataset, get_worker_info

__all__ = [
    "GlobalCrops",
    "Plain",
    "SegmentsStored",
    "SequenceGlobal",
    "SequenceStored",
    "StoredCrops",
    "UnseededCrops",
    "crop_flip_noise",
    "old_recipe",
    "segment_and_gain",
    "worker_number",
]


def crop_flip_noise(image: np.ndarray, rng: Any, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a random crop, perhaps flipped, with noise, and its parameters: top, left, flip, std."""
    top = int(rng.random() * (image.shape[0] - size + 1))
    left = int(rng.random() * (image.shape[1] - size + 1))
    flip = rng.random() < 0.5
    std = rng.uniform(0, 12)
    window = image[top : top + size, left : left + size]
    if flip:
        window = window[:, ::-1]
    noisy = window + rng.normal(0, std, window.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8), np.array([top, left, flip, std])


def segment_and_gain(audio: np.ndarray, rng: Any, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a random segment with a random amplitude, as in MelGAN, and its parameters: start, gain."""
    start = int(rng.random() * (len(audio) - length + 1))
    gain = rng.uniform(0.3, 1.0)
    return audio[start : start + length] * np.float32(gain), np.array([start, gain])


class Plain(Dataset):
    """Samples with their index, for the keyed runs and the loader without augmentation."""

    def __init__(self, samples: np.ndarray) -> None:
        self.samples = samples

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> Any:
        return self.samples[index], index, worker_number()


class _Crops(Dataset):
    rng: Any

    def __init__(self, images: np.ndarray, size: int) -> None:
        self.images, self.size = images, size

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> Any:
        image, drawn = crop_flip_noise(self.images[index], self.rng, self.size)
        return image, index, worker_number(), drawn


class GlobalCrops(_Crops):
    """Draws from NumPy's global generator."""

    rng = np.random


class StoredCrops(_Crops):
    """Keeps a seeded generator in an attribute, as NumPy's documentation and ruff's NPY002 advise."""

    def __init__(self, images: np.ndarray, size: int) -> None:
        super().__init__(images, size)
        self.rng = np.random.default_rng(0)


class UnseededCrops(_Crops):
    """Keeps an unseeded generator in an attribute."""

    def __init__(self, images: np.ndarray, size: int) -> None:
        super().__init__(images, size)
        self.rng = np.random.default_rng()


class SegmentsStored(Dataset):
    """Random segments of audio from a stored generator."""

    def __init__(self, clips: np.ndarray, length: int) -> None:
        self.clips, self.length = clips, length
        self.rng = np.random.default_rng(0)

    def __len__(self) -> int:
        return len(self.clips)

    def __getitem__(self, index: int) -> Any:
        audio, drawn = segment_and_gain(self.clips[index], self.rng, self.length)
        return audio, index, worker_number(), drawn


class _Sequence(keras.utils.PyDataset):
    rng: Any

    def __init__(self, images: np.ndarray, size: int, batch_size: int, **options: Any) -> None:
        super().__init__(**options)
        self.images, self.size, self.batch_size = images, size, batch_size

    def __len__(self) -> int:
        return (len(self.images) + self.batch_size - 1) // self.batch_size

    def __getitem__(self, batch: int) -> Any:
        indices = range(batch * self.batch_size, min((batch + 1) * self.batch_size, len(self.images)))
        pairs = [crop_flip_noise(self.images[index], self.rng, self.size) for index in indices]
        return np.stack([image for image, _ in pairs]), np.stack([drawn for _, drawn in pairs])


class SequenceGlobal(_Sequence):
    """A Keras Sequence that draws from NumPy's global generator."""

    rng = np.random


class SequenceStored(_Sequence):
    """A Keras Sequence that keeps a seeded generator."""

    def __init__(self, images: np.ndarray, size: int, batch_size: int, **options: Any) -> None:
        super().__init__(images, size, batch_size, **options)
        self.rng = np.random.default_rng(0)


def worker_number() -> int:
    """Return the number of this worker, or -1 in the training process."""
    info = get_worker_info()
    return -1 if info is None else info.id


def old_recipe(worker: int) -> None:
    """Seed NumPy as the widely copied ``worker_init_fn`` of 2019 does. In today's workers that word of its state is constant."""
    np.random.seed((int(np.random.get_state()[1][0]) + worker) % 2**32)
