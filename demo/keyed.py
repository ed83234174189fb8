"""The same loaders, keyed by seedsafe."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch.utils.data import DataLoader

import seedsafe as ss
from demo.usual import Plain
from seedsafe_keras import AugmentedSequence
from seedsafe_torch import AugmentedDataset, loader

__all__ = ["SEED", "audio_augmentation", "image_augmentation", "keras_sequence", "torch_loader"]

SEED = 42


def image_augmentation(size: int) -> ss.Compose:
    """Return crop, flip and noise, as in the usual code."""
    return ss.Compose([ss.RandomCrop(size), ss.HorizontalFlip(p=0.5), ss.GaussianNoise(std=(0, 12))])


def audio_augmentation(length: int) -> ss.Compose:
    """Return MelGAN's random segment and amplitude."""
    return ss.Compose([ss.RandomSegment(length), ss.Amplitude(gain=(0.3, 1.0))])


def torch_loader(samples: np.ndarray, augment: Any, **options: Any) -> DataLoader:
    """Return torch's DataLoader over keyed samples."""
    return loader(AugmentedDataset(Plain(samples), augment, seed=SEED), **options)


def keras_sequence(samples: np.ndarray, augment: Any, **options: Any) -> AugmentedSequence:
    """Return a Keras Sequence over the same samples."""
    return AugmentedSequence(Plain(samples), augment, seed=SEED, **options)
