"""audiomentations on 4 s of mono audio."""

from __future__ import annotations

from math import log10

import audiomentations as a

from benchmarks.scene import GAIN, NOISE, SEGMENT, Scene
from benchmarks.timing import Call

__all__ = ["DTYPE", "NAME", "calls"]

DTYPE = "float32"
NAME = "audiomentations"


def calls(scene: Scene) -> dict[str, Call]:
    """Return the call of each case that this peer has."""
    decibels = [20 * log10(gain) for gain in GAIN]
    low, high = NOISE["audio"]

    def call(transform: a.core.transforms_interface.BaseWaveformTransform) -> Call:
        return lambda: transform(scene.audio, sample_rate=16_000)

    return {
        "Amplitude": call(a.Gain(*decibels, p=1)),
        "PolarityInversion": call(a.PolarityInversion(p=1)),
        "RandomSegment": call(a.AdjustDuration(duration_samples=SEGMENT, p=1)),
        "GaussianNoise audio": call(a.AddGaussianNoise(low, high, p=1)),
    }
