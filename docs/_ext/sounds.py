"""A picture for each audio transform: a spoken word, and what three keys make of it, as waveforms and spectrograms."""

from __future__ import annotations

import sys
import wave
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

import seedsafe as ss

sys.path.append(str(Path(__file__).parents[2] / "tests"))

from cases import CASES

__all__ = [
    "HEIGHT",
    "LABEL",
    "NAMES",
    "RATE",
    "SOUND",
    "SPECTRUM",
    "TRANSFORMS",
    "WIDTH",
    "call",
    "given",
    "levels",
    "seen",
    "spectrogram",
    "waveform",
    "waveforms",
]

TRANSFORMS = sorted(
    name for name, case in CASES.items() if case.takes in (("audio",), ("spectrogram",)) and not case.holds
)
"""Names of the transforms that have a picture of sound."""

WIDTH, HEIGHT = 360, 110
SPECTRUM = 70  # the height of a spectrogram
REACH = 0.6  # what is as high as a picture
LABEL = 22


def _spoken(name: str) -> tuple[np.ndarray, int]:
    with wave.open(str(Path(__file__).parents[2] / "demo" / "data" / name)) as file:
        frames = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, file.getnchannels())
        rate = file.getframerate()
    loud = np.flatnonzero(np.abs(frames[:, 0]) > 500)
    return (frames[loud[0] : loud[-1] : 2, 0] / np.float32(32768)).astype(np.float32), rate // 2


SOUND, RATE = _spoken("Front_Center.wav")
"""The words "front, center", of the ALSA project, in every second sample; and how many samples a second has."""

NAMES = {"ss": ss, "np": np, "voice": _spoken("Rear_Right.wav")[0]}
"""What the calls of pictures mention: the voice says "rear, right"."""


def call(name: str) -> str:
    """Return the constructor call of the transform of a picture."""
    return f"ss.{name}({CASES[name].picture})"


def waveform(audio: np.ndarray, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """Return a waveform: in each column, from the least to the greatest of its samples."""
    made = np.full((height, width, 3), 255, np.uint8)
    middle, half = height // 2, height // 2 - 4
    cv2.line(made, (0, middle), (width, middle), (205, 205, 205), 1)
    ends = np.linspace(0, len(SOUND), width + 1).astype(int)
    for column, (first, last) in enumerate(pairwise(ends)):
        samples = audio[first:last]
        if len(samples):
            low, high = (
                middle - round(float(np.clip(v / REACH, -1, 1)) * half)
                for v in (samples.min(), samples.max())
            )
            cv2.line(made, (column, low), (column, high), (30, 90, 160), 1)
    return made


def spectrogram(audio: np.ndarray, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """Return a spectrogram: time to the right, frequency upwards, 70 dB from dark to bright; white where nothing is."""
    return _shown(levels(audio, width), width, height)


def levels(audio: np.ndarray, width: int = WIDTH) -> np.ndarray:
    """Return how loud each frequency is at each time, the lowest frequency first: 70 dB from 0 to 1, float32."""
    window, step = np.hanning(512), len(SOUND) / width
    padded = np.pad(audio, 256)
    starts = [round(column * step) for column in range(width) if column * step < len(audio)]
    power = np.abs(np.fft.rfft([padded[start : start + 512] * window for start in starts])) ** 2
    return np.clip((10 * np.log10(power.T + 1e-9) + 40) / 70, 0, 1).astype(np.float32)


def _shown(levels: np.ndarray, width: int, height: int) -> np.ndarray:
    made = np.full((height, width, 3), 255, np.uint8)
    frames = levels.shape[1]
    seen = cv2.resize((levels[::-1] * 255).astype(np.uint8), (frames, height), interpolation=cv2.INTER_AREA)
    made[:, :frames] = cv2.applyColorMap(seen, cv2.COLORMAP_MAGMA)[..., ::-1]
    return made


def given(name: str) -> np.ndarray:
    """Return what a transform is shown with: the words, or how loud their frequencies are."""
    return SOUND if CASES[name].takes == ("audio",) else levels(SOUND)


def seen(part: np.ndarray, width: int, high: int, low: int) -> np.ndarray:
    """Return a waveform so high with a spectrogram below it, or a spectrogram as high as both."""
    if part.ndim == 2:
        return _shown(part, width, high + low)
    return np.vstack([waveform(part, width, high), spectrogram(part, width, low)])


def _cell(part: np.ndarray, title: str) -> np.ndarray:
    """Return what is seen of audio or a spectrogram, and a title."""
    label = np.full((LABEL, WIDTH, 3), 255, np.uint8)
    cv2.putText(label, title, (2, 15), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (60, 60, 60), 1, cv2.LINE_AA)
    return np.vstack([seen(part, WIDTH, HEIGHT, SPECTRUM), label])


def waveforms(name: str) -> np.ndarray:
    """Return the picture of a transform: the words, and what they become for three keys, RGB, each after the other."""
    augment, part = ss.Compose([eval(call(name), NAMES)]), given(name)
    cells = [_cell(part, "original")]
    cells += [_cell(augment(part, key=ss.SampleKey(0, 0, k)), f"SampleKey(0, 0, {k})") for k in range(3)]
    gap_across, gap_down = (
        np.full((cells[0].shape[0], 8, 3), 255, np.uint8),
        np.full((8, 2 * WIDTH + 8, 3), 255, np.uint8),
    )
    rows = [np.hstack([cells[k], gap_across, cells[k + 1]]) for k in (0, 2)]
    return np.vstack([rows[0], gap_down, rows[1]])
