"""Recordings to mix in: arrays, or files."""

from __future__ import annotations

import math
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from seedsafe.audio.options import need
from seedsafe.functional.sound import shaped_audio
from seedsafe.ground.info import Array

__all__ = ["EXTENSIONS", "Recording", "Sound", "check_sounds", "excerpt", "recordings"]

EXTENSIONS: Final = (".aif", ".aiff", ".flac", ".mp3", ".oga", ".ogg", ".opus", ".wav")
"""File extensions that a folder is searched for, in lower or upper case."""

_SMALL: Final = 2**20
"""Frames up to which a file is read whole and cached; of longer files, only the needed part is read."""

_CACHE_BYTES: Final = 2**25
"""Bytes of files that each thread caches."""


class Sound:
    """A copy of an array of audio with its channels averaged."""

    __slots__ = ("values",)

    def __init__(self, values: Array) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sound) and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash(self.values.shape)

    def __repr__(self) -> str:
        return f"Sound({self.values.size})"


Recording = str | Sound


def recordings(sounds: str | tuple[Recording, ...]) -> tuple[Recording, ...]:
    """Return the recordings of a list, or of a folder in the order of their paths.

    Paths are absolute, so that they stay valid after a change of directory. Hidden files and folders are left out.

    Raises:
        FileNotFoundError: a file or the folder does not exist.
        ValueError: the folder holds no audio file.
    """
    if isinstance(sounds, tuple):
        missing = [one for one in sounds if isinstance(one, str) and not os.path.isfile(one)]
        if missing:
            raise FileNotFoundError(
                f"sounds must be existing files, but {len(missing)} of {len(sounds)} are missing, the first is "
                f"{missing[0]!r}: correct the path, or leave it out"
            )
        return tuple(os.path.abspath(one) if isinstance(one, str) else one for one in sounds)
    root = Path(os.path.abspath(sounds))
    if not root.is_dir():
        raise FileNotFoundError(
            f"sounds must be a folder, or a list of files or arrays, got {sounds!r}, which is not a folder: correct the path"
        )
    names = sorted(_files(root))
    if not names:
        raise ValueError(
            f"sounds must be a folder with audio files ({', '.join(EXTENSIONS)}), got {sounds!r}, which has none: pass another folder"
        )
    return tuple(str(root / one) for one in names)


def _files(root: Path) -> Iterator[str]:
    """Yield the paths of a folder's audio files, relative to the folder.

    Raises:
        OSError: a folder cannot be listed.
        FileNotFoundError: a file is a broken link.
        ValueError: a link leads back to a folder above it.
    """

    def fail(error: OSError) -> None:
        raise error

    for folder, folders, files in os.walk(root, followlinks=True, onerror=fail):
        folders[:] = [one for one in folders if not one.startswith(".")]
        if os.path.islink(folder):
            here = os.path.join(os.path.realpath(folder), "")
            if any(os.path.join(os.path.realpath(one), "").startswith(here) for one in Path(folder).parents):
                raise ValueError(
                    f"sounds must be a folder without circular links, got {folder!r}, a link to a folder above it: remove it"
                )
        for file in files:
            if file.lower().endswith(EXTENSIONS) and not file.startswith("."):
                path = Path(folder, file)
                if not path.is_file():
                    raise FileNotFoundError(
                        f"sounds must be existing files, got {str(path)!r}, a broken link: remove it"
                    )
                yield path.relative_to(root).as_posix()


def check_sounds(name: str, value: Any) -> str | tuple[Recording, ...]:
    """Return a folder's path as a string, or a list as a tuple of paths and sounds."""
    path = _path(value)
    if path is not None:
        return path
    if not isinstance(value, list | tuple) or not value:
        found = f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)
        raise TypeError(
            f"{name} must be a folder's path, or a list with at least one file's path or array, got {found}: pass one of these"
        )
    return tuple(_recording(name, one) for one in value)


def _path(value: Any) -> str | None:
    path: Any = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    return path if isinstance(path, str) else None


def _recording(name: str, one: Any) -> Recording:
    if isinstance(one, Sound):
        return one
    path = _path(one)
    if path is not None:
        return path
    if not isinstance(one, np.ndarray):
        raise TypeError(
            f"{name} must be paths or arrays, got {one!r} of type {type(one).__name__}: pass one of these"
        )
    if one.dtype.kind != "f":
        raise TypeError(
            f"{name} must hold arrays of floats in [-1, 1], got dtype {one.dtype}: "
            "convert it, int16 for instance with (audio / 32768).astype(numpy.float32)"
        )
    values = _mono(shaped_audio(one).astype(np.float32))
    if not values.size or not np.isfinite(values).all():
        raise ValueError(
            f"{name} must hold arrays of at least one sample without NaN or infinity, got one of shape {one.shape}: leave it out"
        )
    return Sound(values)


def _mono(audio: Array) -> Array:
    """Return the mean of the channels, (samples,), float32, added in the same order on every machine."""
    if audio.ndim == 1:
        return audio
    if not len(audio):
        return np.zeros(0, np.float32)
    total: Array = audio[0].copy()
    for channel in audio[1:]:
        total += channel
    if len(audio) > 1:
        total *= np.float32(1.0 / len(audio))
    return total


def excerpt(recording: Recording, offset: float, length: int, sample_rate: int | None) -> Array:
    """Return a part of a recording, float32, (length,); a shorter recording is repeated from the offset on.

    Args:
        recording: an array, or a file's path.
        offset: the offset of the part's start, as a share of all possible starts, in [0, 1).
        length: the length in samples.
        sample_rate: the sample rate of the result; files are resampled to it.

    Raises:
        FileNotFoundError: the file no longer exists.
        ValueError: the file cannot be read as audio, is empty, or holds NaN or infinity.
    """
    if isinstance(recording, Sound):
        return _cut(recording.values, offset, length)
    assert sample_rate is not None
    whole = _load_if_small(recording, sample_rate)
    return (
        _read_part(recording, offset, length, sample_rate) if whole is None else _cut(whole, offset, length)
    )


def _start(offset: float, positions: int) -> int:
    # Rounding can give the number of positions itself.
    return min(math.floor(offset * positions), positions - 1)


def _cut(whole: Array, offset: float, length: int) -> Array:
    if whole.size >= length:
        first = _start(offset, whole.size - length + 1)
        return whole[first : first + length]
    first = _start(offset, whole.size)
    return np.resize(np.roll(whole, -first), length)


class _Cache(threading.local):
    def __init__(self) -> None:
        self.whole: OrderedDict[tuple[str | int, ...], Array | None] = OrderedDict()
        self.nbytes = 0


_cache = _Cache()


def _load_if_small(path: str, sample_rate: int) -> Array | None:
    """Return a small file whole, from the cache if it is there, or None if the file is large."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise FileNotFoundError(
            f"{path} cannot be read ({error.strerror}), though it existed when the transform was created: put it back, or "
            "create the transform again"
        ) from error
    # Copying tools restore a file's size and modification time, but cannot set its change time (ctime).
    name = path, status.st_ino, status.st_ctime_ns, status.st_mtime_ns, status.st_size, sample_rate
    cache = _cache.whole
    if name in cache:
        cache.move_to_end(name)
        return cache[name]
    with _open(path) as file:
        whole = (
            None if file.frames > _SMALL else _resample(_values(path, file, -1), file.samplerate, sample_rate)
        )
    cache[name] = whole
    _cache.nbytes += 0 if whole is None else whole.nbytes
    # Large files are remembered as None, which takes no bytes: their number has a limit of its own.
    while _cache.nbytes > _CACHE_BYTES or len(cache) > 4096:
        _, old = cache.popitem(last=False)
        _cache.nbytes -= 0 if old is None else old.nbytes
    return whole


def _read_part(path: str, offset: float, length: int, sample_rate: int) -> Array:
    with _open(path) as file:
        rate = file.samplerate
        total = -(-file.frames * sample_rate // rate)
        if length >= total:
            return _cut(_resample(_values(path, file, -1), rate, sample_rate), offset, length)
        first = _start(offset, total - length + 1) * rate // sample_rate
        file.seek(min(first, file.frames))
        # Two frames more, for what the divisions round off.
        part = _resample(_values(path, file, length * rate // sample_rate + 2), rate, sample_rate)
    return part[:length] if part.size >= length else np.resize(part, length)


def _open(path: str) -> Any:
    need("soundfile", "files of audio need soundfile")
    soundfile: Any = import_module("soundfile")
    try:
        # As bytes, because names on Linux need not be UTF-8.
        return soundfile.SoundFile(os.fsencode(path) if os.name == "posix" else path)
    except (soundfile.SoundFileError, RuntimeError, TypeError) as error:
        raise ValueError(f"{path} cannot be read as audio ({error}): leave it out of sounds") from error


def _values(path: str, file: Any, frames: int) -> Array:
    try:
        values = file.read(frames, dtype="float32", always_2d=True)
    except RuntimeError as error:
        raise ValueError(f"{path} cannot be read as audio ({error}): leave it out of sounds") from error
    if not len(values) or not np.isfinite(values).all():
        raise ValueError(f"{path} has no samples, or holds NaN or infinity: leave it out of sounds")
    return _mono(values.T)


def _resample(audio: Array, rate: int, new_rate: int) -> Array:
    if rate == new_rate:
        return np.ascontiguousarray(audio)
    need("scipy", "files with a different sample rate need SciPy")
    common = math.gcd(rate, new_rate)
    result: Array = (
        import_module("scipy.signal")
        .resample_poly(audio, new_rate // common, rate // common)
        .astype(np.float32)
    )
    return result
