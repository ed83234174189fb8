"""RandomSegment."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from seedsafe.functional.sound import segment
from seedsafe.ground.checks import checked_int, flag
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import AudioTransform

__all__ = ["RandomSegment", "Segment"]


class Segment(NamedTuple):
    """Where the segment begins: the number of its first sample, from 0."""

    start: int


@primitive(exact=EVERYWHERE, opencv=False)
class RandomSegment(AudioTransform):
    """Cut out a segment of fixed length with a uniformly drawn start. Draws ``start`` (word 1).

    Args:
        length: the length in samples.
        pad_if_needed: append zeros to shorter audio, as MelGAN does, instead of raising an error.

    Raises:
        ValueError: when applied, the audio is shorter than the segment.

    Follows the segments of MelGAN's training data (Kumar et al., 2019), but can also draw the last possible segment.

    Example:
        >>> RandomSegment(8192)(np.zeros((2, 16000), np.float32), key=SampleKey(42, 0, 0)).shape
        (2, 8192)
    """

    shifts: ClassVar[bool] = True

    length: int = option(checked_int, 1, 2**31, "pass the segment's length in samples")
    pad_if_needed: bool = option(flag, default=False, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Segment:
        free = info.audio_length() - self.length
        if free < 0 and not self.pad_if_needed:
            raise ValueError(
                f"cannot cut {self.length} samples out of audio of shape {info.shape}: "
                "pass pad_if_needed=True or a smaller length"
            )
        return Segment(rng.integer(max(free, 0) + 1))

    def out_info(self, info: Info, params: Any) -> Info:
        return info.reshaped(*info.shape[:-1], self.length)

    def apply_audio(self, audio: Array, params: Any) -> Array:
        return segment(audio, params[0], self.length)
