"""Audio transforms: float32, (samples,) or (channels, samples)."""

from seedsafe.audio.background import AddBackground
from seedsafe.audio.bands import BandPass, HighPass, LowPass
from seedsafe.audio.drop import DropChunk, DropFreq
from seedsafe.audio.gain import Amplitude, PolarityInversion
from seedsafe.audio.loudness import Clipping, Gain, GainTransition, PeakNormalize
from seedsafe.audio.masks import FrequencyMask, TimeMask
from seedsafe.audio.noise import AddNoise
from seedsafe.audio.order import Reverse, TimeShift
from seedsafe.audio.segment import RandomSegment
from seedsafe.audio.speed import SpeedPerturb
from seedsafe.audio.stretch import PitchShift, TimeStretch

__all__ = [
    "AddBackground",
    "AddNoise",
    "Amplitude",
    "BandPass",
    "Clipping",
    "DropChunk",
    "DropFreq",
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
    "SpeedPerturb",
    "TimeMask",
    "TimeShift",
    "TimeStretch",
]
