"""Audio transforms: float32, (samples,) or (channels, samples)."""

from seedsafe.audio.background import AddBackground
from seedsafe.audio.bands import BandPass, HighPass, LowPass
from seedsafe.audio.gain import Amplitude, PolarityInversion
from seedsafe.audio.loudness import Clipping, Gain, GainTransition, PeakNormalize
from seedsafe.audio.masks import FrequencyMask, TimeMask
from seedsafe.audio.noise import AddNoise
from seedsafe.audio.order import Reverse, TimeShift
from seedsafe.audio.segment import RandomSegment
from seedsafe.audio.stretch import PitchShift, TimeStretch

__all__ = [
    "AddBackground",
    "AddNoise",
    "Amplitude",
    "BandPass",
    "Clipping",
    "FrequencyMask",
    "Gain",
    "GainTransition",
    "HighPass",
    "LowPass",
    "PeakNormalize",
    "PitchShift",
    "PolarityInversion",
    "RandomSegment",
    "Reverse",
    "TimeMask",
    "TimeShift",
    "TimeStretch",
]
