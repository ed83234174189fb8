"""AddBackground."""

from __future__ import annotations

from dataclasses import field
from os import PathLike
from typing import Any, Final, NamedTuple

from seedsafe.audio.options import RATE, SNR, need
from seedsafe.audio.recordings import Recording, Sound, check_sounds, excerpt, recordings
from seedsafe.functional.loudness import mix_at_snr
from seedsafe.functional.sound import float32_audio
from seedsafe.ground.checks import checked_int, probability, span
from seedsafe.ground.exactness import Exactness, When
from seedsafe.ground.info import Array, Info
from seedsafe.keys.draws import Draws
from seedsafe.pipeline.naming import Namer
from seedsafe.pipeline.node import Node
from seedsafe.pipeline.option import Option, Range, option, store
from seedsafe.pipeline.primitive import check_options, primitive
from seedsafe.pipeline.transform import AudioTransform

__all__ = ["AddBackground", "Background"]

Sounds = Option[
    str | PathLike[str] | list[Any] | tuple[Any, ...],
    str | tuple[Recording, ...],
]


class Background(NamedTuple):
    """The recording's number, the start of its part as a share of all possible starts, and the ratio in decibels."""

    recording: int
    offset: float
    snr: float


_ARRAYS: Final = When(
    "with arrays, and with lossless files (WAV, FLAC) of the audio's sample rate",
    lambda transform, _: not any(isinstance(one, str) for one in transform.sounds),
)


@primitive(exact=Exactness((_ARRAYS,), build="soundfile, or of SciPy"), opencv=False)
class AddBackground(AudioTransform):
    """Add part of a recording from a folder or a list, a drawn number of decibels softer than the audio.

    Follows audiomentations' ``AddBackgroundNoise``. Loudness, of the audio over all channels and of the added part, is the
    root of the mean square. Silent audio stays silent, and a silent part adds nothing. A recording's channels are averaged
    and added to each channel; a recording shorter than the audio is repeated. Draws the recording (word 1), the start of
    the part (word 2) and the ratio (word 3), without opening a file. The transform's ``recordings`` lists them by number.

    soundfile reads files when they are needed: files of up to 2**20 frames whole, longer ones only the part. Each thread
    caches the last 32 MiB of whole files. ``scipy.signal.resample_poly`` resamples files of a different sample rate. Files are
    listed when the transform is created, and workers get this list. A folder is searched with all its subfolders, and its
    files are sorted by path, which gives the same order on every machine.

    Args:
        sounds: a folder's path, or a list of file paths and of float arrays, (samples,) or (channels, samples), of the
            audio's sample rate.
        snr: the ratio of signal to noise in decibels, in [-120, 120], one number or a range (low, high).
        sample_rate: the sample rate of the audio, in hertz; not needed if all sounds are arrays.

    Raises:
        FileNotFoundError: the folder or a file does not exist.
        ImportError: there are files, and soundfile is not installed when a pipeline is created.
        TypeError: when applied, the audio is not float32.
        ValueError: when applied, the audio holds NaN or infinity, or a file cannot be read as audio.

    Example:
        >>> hum = np.array([0.5, -0.5] * 8, np.float32)
        >>> AddBackground([hum], snr=20)(np.ones(2, np.float32), key=SampleKey(42, 0, 0)).astype(float).round(3).tolist()
        [0.9, 1.1]
    """

    sounds: Sounds = option(check_sounds)
    snr: Range = option(span, -120.0, 120.0, SNR, default=(3.0, 30.0), kw_only=True)
    sample_rate: int | None = option(checked_int, 1, 2**31, RATE, default=None, kw_only=True)
    p: float = option(probability, default=1.0, kw_only=True)

    recordings: tuple[Recording, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_options(self)
        store(self, recordings=recordings(self.sounds))
        if self.sample_rate is None and self._has_files():
            raise ValueError(
                "sample_rate must be set for files, got None: pass the audio's samples per second, so that files can be "
                "resampled to it"
            )

    def _has_files(self) -> bool:
        return not all(isinstance(one, Sound) for one in self.recordings)

    def bind(self, namer: Namer) -> Node:
        if self._has_files():
            need("soundfile", "AddBackground needs soundfile for files")
        return AudioTransform.bind(self, namer)

    def draw(self, rng: Draws, info: Info) -> Background:
        return Background(rng.integer(len(self.recordings)), rng.unit(), rng.uniform(*self.snr))

    def apply_audio(self, audio: Array, params: Any) -> Array:
        number, offset, snr = params
        length = float32_audio(audio).shape[-1]
        part = excerpt(self.recordings[number], offset, length, self.sample_rate)
        return mix_at_snr(audio, part, snr)
