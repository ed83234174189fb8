"""seedsafe, with a new key for every call."""

from __future__ import annotations

from itertools import count

import seedsafe as ss
from benchmarks.peers.ours_all import transforms
from benchmarks.scene import GAIN, MEAN, NOISE, PADDING, RATE, SEGMENT, SOUNDS, STD, Array, Scene
from benchmarks.timing import Call

__all__ = ["DTYPE", "call", "calls", "sounds"]

DTYPE = "uint8"


def calls(scene: Scene, dtype: str) -> dict[str, Call]:
    """Return the call of each case of images. They have `dtype` unless the case names one."""
    size, image = scene.crop, scene.image(dtype)

    return {
        "RandomCrop": call(image, ss.RandomCrop(size)),
        "RandomCrop, padding 4": call(image, ss.RandomCrop(size, padding=PADDING)),
        "CenterCrop": call(image, ss.CenterCrop(size)),
        "Pad 4": call(image, ss.Pad(PADDING)),
        "HorizontalFlip": call(image, ss.HorizontalFlip(p=1)),
        "VerticalFlip": call(image, ss.VerticalFlip(p=1)),
        "GaussianNoise uint8": call(scene.uint8, ss.GaussianNoise(std=NOISE["uint8"])),
        "GaussianNoise float32": call(scene.float32, ss.GaussianNoise(std=NOISE["float32"])),
        "Normalize": call(image, ss.Normalize(MEAN, STD)),
        "ToFloat": call(image, ss.ToFloat()),
        "ToCHW": call(image, ss.ToCHW()),
        "RandomCrop + HorizontalFlip + Normalize + ToCHW": call(
            image, ss.RandomCrop(size), ss.HorizontalFlip(p=1), ss.Normalize(MEAN, STD), ss.ToCHW()
        ),
    } | {name: call(image, *some) for name, some in transforms(scene.size, size).items()}


def sounds(scene: Scene) -> dict[str, Call]:
    """Return the call of each case of AUDIO, for which soundfile must be installed."""
    return {
        "Amplitude": call(scene.audio, ss.Amplitude(gain=GAIN)),
        "PolarityInversion": call(scene.audio, ss.PolarityInversion(p=1)),
        "RandomSegment": call(scene.audio, ss.RandomSegment(SEGMENT)),
        "GaussianNoise audio": call(scene.audio, ss.GaussianNoise(std=NOISE["audio"])),
        "Gain": call(scene.audio, ss.Gain()),
        "GainTransition": call(scene.audio, ss.GainTransition()),
        "PeakNormalize": call(scene.audio, ss.PeakNormalize()),
        "Clipping": call(scene.audio, ss.Clipping()),
        "TimeShift": call(scene.audio, ss.TimeShift()),
        "Reverse": call(scene.audio, ss.Reverse(p=1)),
        "AddNoise white": call(scene.audio, ss.AddNoise()),
        "AddNoise pink": call(scene.audio, ss.AddNoise(color="pink")),
        "AddBackground": call(scene.audio, ss.AddBackground(SOUNDS, sample_rate=RATE)),
        "LowPass": call(scene.audio, ss.LowPass(sample_rate=RATE)),
        "HighPass": call(scene.audio, ss.HighPass(sample_rate=RATE)),
        "BandPass": call(scene.audio, ss.BandPass(sample_rate=RATE)),
    }


def call(sample: Array, *transforms: ss.Transform) -> Call:
    """Return a function that augments a sample, with another key each time."""
    augment, indices = ss.Compose(transforms), count()
    return lambda: augment(sample, key=ss.SampleKey(42, 3, next(indices)))
