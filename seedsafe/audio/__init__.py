"""Audio transforms: float32, (samples,) or (channels, samples)."""

from seedsafe.audio.gain import Amplitude, PolarityInversion
from seedsafe.audio.segment import RandomSegment

__all__ = ["Amplitude", "PolarityInversion", "RandomSegment"]
