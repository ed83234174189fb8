"""TimeShift and Reverse."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from seedsafe.audio.options import Length, length, length_of
from seedsafe.functional.sound import reverse, shift_time
from seedsafe.ground.checks import flag, probability
from seedsafe.ground.exactness import EVERYWHERE
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.option import option
from seedsafe.pipeline.primitive import primitive
from seedsafe.pipeline.transform import AudioTransform

__all__ = ["Reverse", "Shift", "TimeShift"]


class Shift(NamedTuple):
    """The shift in samples; positive is later."""

    samples: int


@primitive(exact=EVERYWHERE, opencv=False)
class TimeShift(AudioTransform):
    """Shift audio in time by a drawn length. Any dtype.

    Follows audiomentations' ``Shift``, without its fades. Draws ``samples`` (word 1).

    Args:
        shift: integers for samples, or floats for shares of the audio's length; positive is later. One number or a range
            (low, high).
        rollover: wrap samples around to the other end; otherwise zeros fill the gap.

    Example:
        >>> TimeShift(1)(np.array([1, 2, 3, 4]), key=SampleKey(42, 0, 0)).tolist()
        [4, 1, 2, 3]
    """

    shifts: ClassVar[bool] = True

    shift: Length = option(length, -1, "samples", default=(-0.5, 0.5))
    rollover: bool = option(flag, default=True, kw_only=True)
    p: float = option(probability, default=1.0, kw_only=True)

    def draw(self, rng: Draws, info: Info) -> Shift:
        return Shift(length_of(rng, self.shift, info.audio_length()))

    def apply_audio(self, audio: Array, params: Any) -> Array:
        return shift_time(audio, params[0], rollover=self.rollover)


@primitive(exact=EVERYWHERE, opencv=False)
class Reverse(AudioTransform):
    """Play audio backwards with probability p. Any dtype. Draws only whether it fires.

    Follows audiomentations' ``Reverse``.

    Example:
        >>> Reverse(p=1)(np.array([1, 2, 3]), key=SampleKey(42, 0, 0)).tolist()
        [3, 2, 1]
    """

    shifts: ClassVar[bool] = True

    p: float = option(probability, default=0.5)

    def apply_audio(self, audio: Array, params: Any) -> Array:
        return reverse(audio)
