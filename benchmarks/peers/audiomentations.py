"""audiomentations on 4 s of mono audio."""

from __future__ import annotations

from math import log10

import audiomentations as a

from benchmarks.scene import GAIN, NOISE, RATE, SEGMENT, SOUNDS, Scene
from benchmarks.timing import Call

__all__ = ["DTYPE", "NAME", "calls"]

DTYPE = "float32"
NAME = "audiomentations"


def calls(scene: Scene) -> dict[str, Call]:
    decibels = [20 * log10(gain) for gain in GAIN]
    low, high = NOISE["audio"]

    def call(transform: a.core.transforms_interface.BaseWaveformTransform) -> Call:
        return lambda: transform(scene.audio, sample_rate=RATE)

    return {
        "Amplitude": call(a.Gain(*decibels, p=1)),
        "PolarityInversion": call(a.PolarityInversion(p=1)),
        "RandomSegment": call(a.AdjustDuration(duration_samples=SEGMENT, p=1)),
        "GaussianNoise audio": call(a.AddGaussianNoise(low, high, p=1)),
        "Gain": call(a.Gain(p=1)),
        "GainTransition": call(
            a.GainTransition(p=1, duration_unit="fraction", min_duration=0.1, max_duration=1.0)
        ),
        "PeakNormalize": call(a.Normalize(p=1)),
        "Clipping": call(a.ClippingDistortion(p=1)),
        "TimeShift": call(a.Shift(p=1, fade_duration=0.0)),
        "Reverse": call(a.Reverse(p=1)),
        "AddNoise white": call(a.AddGaussianSNR(p=1)),
        "AddNoise pink": call(a.AddColorNoise(p=1, min_f_decay=-3.01, max_f_decay=-3.01)),
        "AddBackground": call(a.AddBackgroundNoise(SOUNDS, p=1)),
        "LowPass": call(a.LowPassFilter(p=1)),
        "HighPass": call(a.HighPassFilter(p=1)),
        "BandPass": call(a.BandPassFilter(p=1)),
    }
