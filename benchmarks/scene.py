"""The inputs and numbers that all contenders share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "AUDIO",
    "GAIN",
    "MEAN",
    "NOISE",
    "PADDING",
    "RATE",
    "SEGMENT",
    "SOUNDS",
    "STD",
    "USUAL",
    "Scene",
]

Array = npt.NDArray[Any]

USUAL = "RandomResizedCrop + HorizontalFlip + ColorJitter + Normalize + ToCHW"
AUDIO = (
    "Amplitude",
    "PolarityInversion",
    "RandomSegment",
    "GaussianNoise audio",
    "Gain",
    "GainTransition",
    "PeakNormalize",
    "Clipping",
    "TimeShift",
    "Reverse",
    "AddNoise white",
    "AddNoise pink",
    "AddBackground",
    "LowPass",
    "HighPass",
    "BandPass",
)

PADDING = 4
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
NOISE = {"uint8": (4.0, 12.0), "float32": (0.02, 0.05), "audio": (0.001, 0.015)}
"""The range of the noise's standard deviation. A peer that takes one number gets the upper end."""
GAIN = (0.5, 2.0)
SEGMENT = 32_000
RATE = 16_000
SOUNDS = str(Path(__file__).parents[1] / "tests" / "sounds")


@dataclass(frozen=True)
class Scene:
    """One image of a size in both dtypes, and 4 s of audio at 16 kHz.

    The image's values stay away from both ends of the range, so that noise is not clipped and can be measured.
    """

    size: int
    uint8: Array
    float32: Array
    audio: Array

    @classmethod
    def of(cls, size: int) -> Scene:
        """Return the scene of a size, equal on every machine."""
        rng = np.random.Generator(np.random.PCG64(size))
        uint8 = rng.integers(64, 192, (size, size, 3), np.uint8)
        audio = rng.uniform(-0.5, 0.5, 64_000).astype(np.float32)
        return cls(size, uint8, uint8 / np.float32(255), audio)

    @property
    def crop(self) -> int:
        """The side of crops: 224 of 256."""
        return self.size * 7 // 8

    def image(self, dtype: str) -> Array:
        """Return the image in a dtype."""
        return self.uint8 if dtype == "uint8" else self.float32
