"""Audio: each plain function against an independent computation, real speech, files of all kinds, and every error."""

from __future__ import annotations

import math
import os
import pickle
import threading
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st
from image_laws import parameters
from programs import python
from scipy import signal

import seedsafe as ss
import seedsafe.functional as F  # noqa: N812  # as users do
import seedsafe_torch as sst
from seedsafe.audio import recordings
from seedsafe.keys.key import address

ROOT = Path(__file__).parents[1]
SPEECH = ROOT / "demo" / "data"
SOUNDS = Path(__file__).parent / "sounds"
KEY = ss.SampleKey(42, 3, 1234)
KEYS = [ss.SampleKey(0, 0, index) for index in range(20)]
NOISE = address(KEY)
TONE = np.sin(np.arange(16000, dtype=np.float64) * 0.2).astype(np.float32)


def speech(name: str = "Front_Center.wav") -> np.ndarray:
    """Return a spoken word, 48 kHz, float32."""
    audio, _ = soundfile.read(SPEECH / name, dtype="float32")
    return np.asarray(audio)


def level(audio: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(audio, dtype=np.float64))))


def ratio(audio: np.ndarray, made: np.ndarray) -> float:
    """Return the ratio of signal to what was added, in decibels."""
    return 20 * math.log10(level(audio) / level(made.astype(np.float64) - audio))


# Loudness


@pytest.mark.parametrize("count", [1, 2, 3, 8191, 8192, 8193, 50001])
def test_the_mean_square_is_exact(count: int) -> None:
    audio = np.random.default_rng(count).normal(size=count).astype(np.float32)
    wanted = math.sqrt(math.fsum(float(v) * float(v) for v in audio) / count)
    assert F.rms(audio) == pytest.approx(wanted, rel=1e-15)
    assert F.rms(np.stack([audio, audio])) == pytest.approx(wanted, rel=1e-14)
    assert F.rms(np.stack([audio, audio])[:, ::-1]) == pytest.approx(wanted, rel=1e-14)


def test_gain_is_in_decibels() -> None:
    for decibels in (-120, -6.02, 0, 0.1, 20, 120):
        made = F.change_gain(TONE, decibels)
        np.testing.assert_allclose(made, TONE * 10 ** (decibels / 20), rtol=1e-6)
        assert made.dtype == np.float32
    assert F.change_gain(TONE, 0).tobytes() == TONE.tobytes()


@given(st.integers(-40, 40), st.integers(1, 60), st.floats(-60, 60), st.floats(-60, 60))
def test_a_transition_is_even_in_decibels(start: int, length: int, first: float, last: float) -> None:
    audio = np.linspace(0.5, 1, 30, dtype=np.float32)
    decibels = first + (last - first) * np.clip((np.arange(30) - start) / length, 0, 1)
    for given_audio in (audio, np.stack([audio, -audio])):
        made = F.gain_transition(given_audio, first, last, start, length)
        np.testing.assert_allclose(made, given_audio * 10 ** (decibels / 20), rtol=1e-6)
        assert made.dtype == np.float32


@given(st.floats(1e-3, 1e3), st.floats(1e-30, 1e30))
def test_a_peak_is_met(peak: float, size: float) -> None:
    audio = (np.array([0.1, -0.7, 0.3]) * size).astype(np.float32)
    made = F.normalize_peak(audio, peak)
    assert np.abs(made).max() == np.float32(peak)
    np.testing.assert_allclose(made / np.float32(peak), audio / np.abs(audio).max(), rtol=1e-6)


def test_a_share_is_clipped() -> None:
    audio = speech()
    for share in (0.0, 0.1, 0.4, 0.9, 1.0):
        made = F.clip_loudest(audio, share)
        ordered = np.sort(audio)
        cut = min(int(len(audio) * share / 2), (len(audio) - 1) // 2)
        np.testing.assert_array_equal(made, np.clip(audio, ordered[cut], ordered[len(audio) - 1 - cut]))
    np.testing.assert_array_equal(F.clip_loudest(audio, 0.0), audio)


# Order


@given(st.integers(-100, 100))
def test_shifts(samples: int) -> None:
    for audio in (np.arange(1, 30), np.arange(1, 61).reshape(2, 30).astype(np.int16)):
        np.testing.assert_array_equal(F.shift_time(audio, samples), np.roll(audio, samples, axis=-1))
        moved = F.shift_time(audio, samples, rollover=False)
        for place in range(audio.shape[-1]):
            before = place - samples
            wanted = audio[..., before] if 0 <= before < audio.shape[-1] else 0
            np.testing.assert_array_equal(moved[..., place], wanted)
        assert moved.dtype == audio.dtype


# Noise


@pytest.mark.parametrize("color", ["white", "pink", "brown"])
def test_the_ratio_of_noise_is_what_was_drawn(color: str) -> None:
    pipeline = ss.Compose([ss.AddNoise((-10, 40), color=color)])
    for audio in (speech(), np.stack([speech(), 0.1 * speech()]), TONE[:1000]):
        for key in KEYS[:5]:
            drawn = pipeline.params(key, audio)[0].params
            # What float32 cannot hold of a sum is noise as well.
            assert ratio(audio, pipeline(audio, key=key)) == pytest.approx(drawn.snr, abs=0.01)


def test_white_noise_is_that_of_the_table() -> None:
    z = F.gaussian_noise(NOISE, TONE.size).astype(np.float32)
    np.testing.assert_array_equal(F.colored_noise("white", TONE.shape, NOISE), z)
    factor = np.float32(F.rms(TONE) / F.rms(z) * 0.1)
    np.testing.assert_allclose(F.add_noise(TONE, "white", 20, NOISE), z * factor + TONE, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("color", "slope"), [("white", 0), ("pink", -1), ("brown", -2)])
def test_the_power_of_noise_falls_as_its_colour_says(color: str, slope: float) -> None:
    noise = F.colored_noise(color, (2, 2**17), NOISE)
    frequencies, power = signal.welch(noise, nperseg=4096)
    inside = slice(8, 1500)
    found, _ = np.polyfit(np.log(frequencies[inside]), np.log(power[:, inside].mean(0)), 1)
    assert found == pytest.approx(slope, abs=0.06)
    assert abs(np.corrcoef(np.diff(noise))[0, 1]) < 0.05  # channels have noise of their own


def test_silence_stays() -> None:
    silent = np.zeros((2, 1000), np.float32)
    for transform in (
        ss.AddNoise(),
        ss.AddNoise(color="pink"),
        ss.AddBackground(str(SOUNDS), sample_rate=16000),
        ss.PeakNormalize(),
        ss.Clipping(),
        ss.LowPass(sample_rate=16000),
    ):
        np.testing.assert_array_equal(transform(silent, key=KEY), silent)
    still = ss.AddBackground([np.zeros(10, np.float32)])
    np.testing.assert_array_equal(still(TONE, key=KEY), TONE)
    one = np.ones(1, np.float32)  # whose noise has no frequency but the constant one
    assert ss.AddNoise(color="brown")(one, key=KEY).tolist() == [1.0]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    "transform",
    [
        ss.AddNoise(),
        ss.AddBackground([TONE]),
        ss.PeakNormalize(),
        *(kind(sample_rate=16000) for kind in (ss.LowPass, ss.HighPass, ss.BandPass)),
        ss.SpeedPerturb(1.1),
        ss.DropFreq(0.5, count=1),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_is_not_finite_is_an_error(transform: ss.Transform, bad: float) -> None:
    for place in (0, 500, 999):
        audio = TONE[:1000].copy()
        audio[place] = bad
        with pytest.raises(
            ValueError, match=r"audio must be finite, got NaN or infinity .*: leave such samples out"
        ):
            transform(audio, key=KEY)


def test_clipping_nan_is_an_error() -> None:
    with pytest.raises(ValueError, match="audio must be finite, got NaN among its samples: leave"):
        ss.Clipping()(np.append(TONE[:999], np.float32(math.nan)), key=KEY)


# Filters


@pytest.mark.parametrize("order", [1, 2, 4])
def test_filters_are_butterworths(order: int) -> None:
    audio = np.stack([speech(), speech()[::-1]])
    for low, high in ((None, 1000.0), (300.0, None), (300.0, 3000.0)):
        edges: Any = [edge for edge in (low, high) if edge]
        kind = "bandpass" if low and high else "lowpass" if high else "highpass"
        b, a = signal.butter(order, edges if len(edges) > 1 else edges[0], kind, fs=48000)
        made = F.filter_band(audio, low, high, 48000, order=order)
        np.testing.assert_allclose(made, signal.lfilter(b, a, audio), atol=1e-4)
        assert made.dtype == np.float32


def test_a_filter_falls_by_its_rolloff() -> None:
    def loud(transform: ss.Transform, hertz: float) -> float:
        tone = np.sin(np.arange(64000) * (2 * math.pi * hertz / 64000)).astype(np.float32)
        return 20 * math.log10(level(transform(tone, key=KEY)[32000:]) / level(tone[32000:]))

    for rolloff in (6, 12, 24):
        low = ss.LowPass(500, sample_rate=64000, rolloff=rolloff)
        high = ss.HighPass(2000, sample_rate=64000, rolloff=rolloff)
        assert loud(low, 500) == pytest.approx(-3.01, abs=0.05)
        assert loud(low, 2000) - loud(low, 1000) == pytest.approx(-rolloff, abs=1)
        assert loud(high, 250) - loud(high, 500) == pytest.approx(-rolloff, abs=1)
        assert abs(loud(low, 20)) < 0.1
    band = ss.BandPass(1000, bandwidth=0.4, sample_rate=64000)
    assert loud(band, 800) == pytest.approx(-3.01, abs=0.1)
    assert loud(band, 1200) == pytest.approx(-3.01, abs=0.1)


def hertz_of(audio: Any, sample_rate: int) -> float:
    """Return the loudest frequency."""
    return float(np.abs(np.fft.rfft(audio * np.hanning(len(audio)))).argmax() * sample_rate / len(audio))


@pytest.mark.parametrize("factor", [0.5, 0.9, 1.1, 1.37, 2.0])
def test_speed_changes_tempo_and_pitch(factor: float) -> None:
    tone = np.sin(np.arange(16001) * (2 * math.pi * 1000 / 16000)).astype(np.float32)
    both = np.stack([tone, np.zeros_like(tone)])
    made = ss.SpeedPerturb(factor)(both, key=KEY)
    assert made.shape == (2, math.ceil(round(16001 / factor, 6)))
    assert hertz_of(made[0], 16000) == pytest.approx(1000 * factor, abs=2)
    assert not made[1].any()
    kept = ss.SpeedPerturb(factor, keep_length=True)(both, key=KEY)
    assert kept.shape == both.shape
    shared = min(made.shape[1], 16001)
    np.testing.assert_array_equal(kept[:, :shared], made[:, :shared])
    assert not kept[:, shared:].any()


def test_speeds_are_those_that_are_listed() -> None:
    audio = speech()[:900]
    lengths = {len(ss.SpeedPerturb()(audio, key=ss.SampleKey(1, 0, index))) for index in range(60)}
    assert lengths == {819, 900, 1000}
    np.testing.assert_array_equal(ss.SpeedPerturb(1)(audio, key=KEY), audio)
    assert F.change_speed(np.zeros((2, 0), np.float32), 2).shape == (2, 0)


def test_chunks_are_silent_in_all_channels_and_the_rest_stays() -> None:
    audio = np.stack([speech()[:9000], speech()[:9000][::-1]]) + np.float32(2)
    for index in range(20):
        key = ss.SampleKey(1, 0, index)
        pipeline = ss.Compose([ss.DropChunk((50, 400), count=(1, 3))])
        ((_, (chunks,)),) = pipeline.params(key, ss.Info(audio.shape, "float32"))
        made = pipeline(audio, key=key)
        silent = np.zeros(9000, np.bool_)
        for first, last in chunks:
            assert 50 <= last - first <= 400
            silent[first:last] = True
        np.testing.assert_array_equal(made, np.where(silent, np.float32(0), audio))
    assert ss.DropChunk(7, count=1)(np.ones(4, np.int16), key=KEY).tolist() == [0, 0, 0, 0]


def test_a_dropped_frequency_is_gone_and_others_stay() -> None:
    def loud(share: float) -> float:
        tone = np.sin(np.arange(32000) * (math.pi * share)).astype(np.float32)
        return 20 * math.log10(level(ss.DropFreq(0.5, count=1)(tone, key=KEY)[16000:]) / level(tone[16000:]))

    assert loud(0.5) < -60
    assert loud(0.45) == pytest.approx(-3.01, abs=0.1)
    assert loud(0.55) == pytest.approx(-3.01, abs=0.1)
    for share in (0.1, 0.3, 0.7, 0.95):
        assert abs(loud(share)) < 0.5


def test_bands_at_the_ends_of_the_spectrum() -> None:
    audio = speech()[:4000] + np.float32(0.5)
    without_low, without_high = F.stop_bands(audio, [(-0.05, 0.05)]), F.stop_bands(audio, [(0.95, 1.05)])
    assert abs(without_low[3000:].mean()) < 0.05
    assert abs(without_high[3000:].mean() - audio[3000:].mean()) < 0.05
    for nothing in ([], [(-0.2, -0.1)], [(1.1, 1.2)]):
        np.testing.assert_array_equal(F.stop_bands(audio, nothing), audio)
    assert not F.stop_bands(audio, [(-1.0, 2.0)]).any()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ss.SpeedPerturb(()), "factors must have at least one factor"),
        (lambda: ss.SpeedPerturb((0.9, 110)), r"factors must be in \[0.5, 2\], got 110.0: .* such as \(0.9, 1.0, 1.1\)"),
        (lambda: ss.SpeedPerturb("fast"), "factors must be .*'fast'"),
        (lambda: ss.DropFreq((1000, 2000)), r"frequency must be in \[0, 1\].*share of half the sample rate"),
        (lambda: ss.DropChunk(-3), "length must be at least 0"),
        (lambda: ss.LowPass(8000, sample_rate=16000), "cutoff must stay below half the sample_rate 16000"),
        (lambda: ss.LowPass(sample_rate=8000), r"got \(150.0, 7500.0\), which reaches 7500 Hz: pass lower"),
        (lambda: ss.BandPass(sample_rate=15000), "center must stay below half the sample_rate 15000"),
        (lambda: ss.HighPass(rolloff=10, sample_rate=16000), "rolloff must be a multiple of 6 dB an octave, or a pair of these, got 10"),
        (lambda: ss.AddNoise(color="blue"), "color must be one of white, pink, brown, got 'blue'"),
        (lambda: ss.AddNoise(color=[]), "color must be one of white, pink, brown, or a list of these"),
        (lambda: ss.TimeShift((-1.5, 0.5)), r"shift must be in \[-1, 1\]"),
        (lambda: ss.TimeMask(-3), "width must be at least 0"),
        (lambda: ss.FrequencyMask(fill="median"), 'fill must be a number, .*: pass a number, or "mean"'),
        (lambda: F.filter_band(TONE, 500, 400, 16000), "low and high must be frequencies .* low below high"),
        (lambda: F.filter_band(TONE, None, None, 16000), "low and high must be frequencies"),
    ],
)  # fmt: skip
def test_errors_of_arguments(make: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        make()


@pytest.mark.parametrize(
    "transform", [ss.Gain(), ss.AddNoise(), ss.AddBackground([TONE]), ss.Clipping()], ids=repr
)
def test_integers_are_told_how_to_become_floats(transform: ss.Transform) -> None:
    with pytest.raises(TypeError, match=r"audio must be float32 .* got dtype int16: convert it, .* 32768"):
        transform(np.ones(9, np.int16), key=KEY)


# Tempo and pitch


@pytest.mark.parametrize("rate", [0.5, 0.8, 1.3, 2.0])
def test_tempo_keeps_the_pitch_and_moves_what_is_heard(rate: float) -> None:
    tone = np.sin(np.arange(32000) * (2 * math.pi * 440 / 16000)).astype(np.float32)
    made = F.stretch_time(tone, rate, 16000)
    assert made.shape == (round(32000 / rate),)
    assert np.abs(np.fft.rfft(made)).argmax() * 16000 / len(made) == pytest.approx(440, abs=3)
    click = np.zeros((2, 32000), np.float32)
    click[:, 15000:15010] = 1
    assert np.abs(F.stretch_time(click, rate, 16000)[1]).argmax() == pytest.approx(15000 / rate, abs=60)


@pytest.mark.parametrize("semitones", [-12, -3.5, 4, 12])
def test_pitch_keeps_the_tempo(semitones: float) -> None:
    tone = np.sin(np.arange(32000) * (2 * math.pi * 440 / 16000)).astype(np.float32)
    made = F.shift_pitch(tone, semitones, 16000)
    assert made.shape == tone.shape
    assert np.abs(np.fft.rfft(made)).argmax() / 2 == pytest.approx(440 * 2 ** (semitones / 12), rel=0.01)


def test_speech_is_stretched_alike_each_time() -> None:
    for transform in (ss.TimeStretch(0.5, sample_rate=48000), ss.PitchShift((-9, 9), sample_rate=48000)):
        first = [transform(speech(), key=key) for key in KEYS[:2]]
        np.testing.assert_array_equal([transform(speech(), key=key) for key in KEYS[:2]], first)
    assert ss.TimeStretch(2, sample_rate=48000)(speech(), key=KEY)[-9000:].max() == 0
    np.testing.assert_array_equal(ss.PitchShift(0, sample_rate=48000)(TONE, key=KEY), TONE)
    np.testing.assert_array_equal(
        ss.TimeStretch(1, sample_rate=48000, keep_length=False)(TONE, key=KEY), TONE
    )


def test_errors_of_tempo_and_pitch() -> None:
    with pytest.raises(ValueError, match="sample_rate must be at least 8000"):
        ss.PitchShift(sample_rate=100)
    with pytest.raises(ValueError, match=r"sample_rate must be in \[8000, 192000\], got 100: resample"):
        F.shift_pitch(TONE, 3, 100)
    for function in (F.shift_pitch, F.stretch_time):
        with pytest.raises(ValueError, match="audio must be finite"):
            function(np.full(99, math.nan, np.float32), 2, 16000)
        with pytest.raises(TypeError, match="audio must be float32"):
            function(np.zeros(99), 2, 16000)


# Backgrounds


def write(path: Path, audio: np.ndarray, rate: int = 16000) -> str:
    """Write audio as 16-bit WAV, or as what the path ends in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, audio, rate)
    return str(path)


def added(transform: ss.Transform, audio: np.ndarray, key: ss.SampleKey = KEY) -> np.ndarray:
    return transform(audio, key=key).astype(np.float64) - audio


def found_in(whole: np.ndarray, part: np.ndarray) -> float:
    """Return the greatest correlation of a part with any place of a recording."""
    products = np.abs(signal.correlate(whole.astype(np.float64), part, "valid"))
    energy = np.convolve(whole.astype(np.float64) ** 2, np.ones(len(part)), "valid")
    return float((products / np.sqrt(np.maximum(energy, 1e-9) * (part**2).sum())).max())


def test_real_speech_behind_speech() -> None:
    audio = speech()
    augment = ss.Compose([ss.AddBackground(str(SPEECH), snr=(0, 20), sample_rate=48000)])
    (applied,) = ss.Compose.params(augment, KEY, audio)
    transform: Any = augment.transforms[0]
    assert [Path(one).name for one in transform.recordings] == [
        "Front_Center.wav",
        "Front_Left.wav",
        "Rear_Right.wav",
    ]
    made = augment(audio, key=KEY)
    assert ratio(audio, made) == pytest.approx(applied.params.snr, abs=0.01)
    assert made.shape == audio.shape
    other = speech(Path(transform.recordings[applied.params.recording]).name)
    if len(other) >= len(audio):
        assert found_in(other, made.astype(np.float64) - audio) > 0.999
    drawn = {augment.params(key, audio)[0].params.recording for key in KEYS}
    assert drawn == {0, 1, 2}


def test_a_part_of_a_longer_file_and_a_shorter_one_again_and_again(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).uniform(-0.5, 0.5, 4000).astype(np.float32)
    path = write(tmp_path / "noise.wav", noise)
    short = ss.AddBackground([path], snr=0, sample_rate=16000)
    for key in KEYS:
        assert found_in(noise, added(short, TONE[:1000], key)) > 0.999
        assert found_in(np.tile(noise, 4), added(short, TONE[:9000], key)) > 0.999
    starts = {
        int(np.argmax(np.abs(signal.correlate(noise, added(short, TONE[:1000], key), "valid"))))
        for key in KEYS
    }
    assert len(starts) == len(KEYS)


def test_a_file_gives_what_its_array_gives(tmp_path: Path) -> None:
    noise = soundfile.read(SOUNDS / "rain.wav", dtype="float32")[0]
    stereo = np.stack([noise, np.roll(noise, 9)])
    paths = [write(tmp_path / f"noise.{kind}", stereo.T) for kind in ("wav", "flac")]
    exact, _ = soundfile.read(paths[0], dtype="float32")
    for key in KEYS[:5]:
        wanted = ss.AddBackground([exact.T])(TONE[:2000], key=key)
        for path in paths:
            made = ss.AddBackground([path], sample_rate=16000)(TONE[:2000], key=key)
            np.testing.assert_array_equal(made, wanted)
        two = ss.AddBackground([exact.T])(np.stack([TONE[:2000]] * 2), key=key)
        np.testing.assert_allclose(two, [wanted, wanted], rtol=1e-5, atol=1e-6)


def test_another_sample_rate_is_resampled(tmp_path: Path) -> None:
    tone = np.sin(np.arange(48000) * (2 * math.pi * 440 / 48000))
    path = write(tmp_path / "tone.wav", tone, 48000)
    part = added(
        ss.AddBackground([path], snr=0, sample_rate=16000),
        np.random.default_rng(0).normal(size=8000).astype(np.float32),
    )
    loudest = np.abs(np.fft.rfft(part)).argmax() * 16000 / 8000
    assert loudest == pytest.approx(440, abs=2)
    whole = signal.resample_poly(soundfile.read(path, dtype="float32")[0], 1, 3)
    assert found_in(whole, part) > 0.999


def test_large_files_are_read_in_part_and_give_the_same(tmp_path: Path) -> None:
    count = 2**20 + 1000
    noise = np.random.default_rng(0).uniform(-0.5, 0.5, count).astype(np.float32)
    path = write(tmp_path / "long.wav", noise)
    values, _ = soundfile.read(path, dtype="float32")
    for key in KEYS[:5]:
        np.testing.assert_array_equal(
            ss.AddBackground([path], sample_rate=16000)(TONE, key=key),
            ss.AddBackground([values])(TONE, key=key),
        )
    assert recordings._load_if_small(path, 16000) is None  # nothing of it stays
    half = signal.resample_poly(values, 1, 2)
    for key in KEYS[:5]:
        transform = ss.AddBackground([path], snr=0, sample_rate=8000)
        place = ss.Compose([transform]).params(key, TONE[:2000])[0].params.offset * (len(half) - 1999)
        slow = added(transform, TONE[:2000], key)
        assert found_in(half[int(place) - 2 : int(place) + 2002], slow) > 0.99


def test_what_is_kept_changes_nothing_and_is_little(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / f"{k}.wav", np.random.default_rng(k).uniform(-0.5, 0.5, 2**20).astype(np.float32))
        for k in range(10)
    ]
    augment = ss.AddBackground(paths, sample_rate=16000)
    first = [augment(TONE, key=key) for key in KEYS]
    again = [augment(TONE, key=key) for key in reversed(KEYS)][::-1]
    assert 0 < recordings._cache.nbytes <= 2**25
    fresh: list[np.ndarray] = []
    thread = threading.Thread(target=lambda: fresh.extend(augment(TONE, key=key) for key in KEYS[::3]))
    thread.start()
    thread.join()
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first[::3], fresh)


@pytest.mark.parametrize("disguised", [False, True])
def test_a_file_that_was_written_again_is_read_again(disguised: bool, tmp_path: Path) -> None:
    path = tmp_path / "noise.wav"
    write(path, TONE[:3000] * 0.5)
    augment, times = ss.AddBackground([path], snr=0, sample_rate=16000), path.stat()
    before = augment(TONE, key=KEY)
    write(tmp_path / "new.wav", np.random.default_rng(0).uniform(-0.5, 0.5, 3000))
    if disguised:  # another file in its place, of its size and time
        (tmp_path / "new.wav").replace(path)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert path.stat().st_size == times.st_size
    else:
        path.write_bytes((tmp_path / "new.wav").read_bytes())
    assert not np.array_equal(augment(TONE, key=KEY), before)


@pytest.mark.parametrize("sounds", [".", ["noise.wav"]])
def test_paths_mean_the_same_after_a_change_of_directory(
    sounds: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "noise.wav", TONE[:3000] * 0.5)
    monkeypatch.chdir(tmp_path)
    augment = ss.AddBackground(sounds, snr=0, sample_rate=16000)
    before = augment(TONE, key=KEY)
    (tmp_path / "elsewhere").mkdir()
    write(tmp_path / "elsewhere" / "noise.wav", np.random.default_rng(0).uniform(-0.5, 0.5, 3000))
    monkeypatch.chdir(tmp_path / "elsewhere")
    np.testing.assert_array_equal(augment(TONE, key=KEY), before)
    assert augment.recordings == (str(tmp_path / "noise.wav"),)


@pytest.mark.skipif(os.name != "posix", reason="names of files are bytes on POSIX alone")
def test_a_name_that_is_not_utf8_is_read(tmp_path: Path) -> None:
    write(tmp_path / "noise.wav", TONE[:3000] * 0.5)
    before = ss.AddBackground(tmp_path, sample_rate=16000)(TONE, key=KEY)
    os.rename(tmp_path / "noise.wav", os.fsencode(tmp_path) + b"/\xff.wav")
    np.testing.assert_array_equal(ss.AddBackground(tmp_path, sample_rate=16000)(TONE, key=KEY), before)


def test_a_folder_is_listed_in_the_order_of_paths(tmp_path: Path) -> None:
    names = ["b.wav", "B.WAV", "a/z.flac", "a.wav", "a/b/c.ogg", "ä.wav", "10.wav", "9.wav"]
    for name in names:
        soundfile.write(str(tmp_path / "x.wav"), TONE[:100], 16000)
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "x.wav").rename(tmp_path / name)
    for name in ("notes.txt", ".hidden.wav", "a/cover.jpg", ".hidden/a.wav"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"no sound")
    for folder in (tmp_path, str(tmp_path), f"{tmp_path}/"):
        augment = ss.AddBackground(folder, sample_rate=16000)
        listed = [Path(one).relative_to(tmp_path).as_posix() for one in augment.recordings]  # type: ignore[arg-type]
        assert listed == sorted(names)


def test_links_are_followed_and_neither_lead_in_circles_nor_to_nothing(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.wav", TONE[:100])
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "other").symlink_to(tmp_path / "in")
    augment = ss.AddBackground(tmp_path / "all", sample_rate=16000)
    assert augment.recordings == (str(tmp_path / "all" / "other" / "a.wav"),)
    (tmp_path / "in" / "b.wav").symlink_to(tmp_path / "gone.wav")
    with pytest.raises(FileNotFoundError, match=r"b.wav', a broken link: remove it"):
        ss.AddBackground(tmp_path / "all", sample_rate=16000)
    (tmp_path / "in" / "b.wav").unlink()
    (tmp_path / "all" / "round").symlink_to(tmp_path / "all")
    with pytest.raises(ValueError, match=r"round', a link to a folder above it: remove it"):
        ss.AddBackground(tmp_path / "all", sample_rate=16000)
    (tmp_path / "all" / "round").unlink()
    (tmp_path / "in" / "back").symlink_to(tmp_path / "all")
    with pytest.raises(ValueError, match=r"other/back', a link to a folder above it: remove it"):
        ss.AddBackground(tmp_path / "all", sample_rate=16000)


def test_workers_have_the_list_of_the_parent(tmp_path: Path) -> None:
    write(tmp_path / "b.wav", TONE[:100])
    augment = ss.AddBackground(str(tmp_path), sample_rate=16000)
    write(tmp_path / "a.wav", TONE[:100])
    copied = pickle.loads(pickle.dumps(augment))
    assert copied.recordings == augment.recordings == (str(tmp_path / "b.wav"),)
    pipeline = ss.Compose([augment])
    again = ss.Compose.from_json(pipeline.to_json())
    assert again.transforms[0].recordings == (str(tmp_path / "a.wav"), str(tmp_path / "b.wav"))  # type: ignore[union-attr]


def test_arrays_compare_and_are_copied_and_have_no_json() -> None:
    given_array = TONE.astype(np.float64)
    augment = ss.AddBackground([given_array])
    before = augment(TONE, key=KEY)
    given_array[:] = 0
    np.testing.assert_array_equal(augment(TONE, key=KEY), before)
    assert augment == ss.AddBackground([TONE])
    assert augment != ss.AddBackground([TONE * 2])
    assert repr(augment) == "AddBackground(sounds=(Sound(16000),))"
    with pytest.raises(
        TypeError, match=r"Sound\(16000\) is an array, which plain data cannot hold: save it to a file"
    ):
        ss.Compose([augment]).to_json()


def test_nothing_is_read_to_draw(tmp_path: Path) -> None:
    path = write(tmp_path / "noise.wav", TONE[:3000])
    pipeline = ss.Compose([ss.AddBackground([path], sample_rate=16000)])
    before = pipeline.params(KEY, (16000,))
    Path(path).unlink()
    assert pipeline.params(KEY, (16000,)) == before
    with pytest.raises(
        FileNotFoundError, match=r"noise.wav cannot be read .*: put it back, or create the transform again"
    ):
        pipeline(TONE, key=KEY)


def empty_wav(path: Path) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)


BROKEN: list[tuple[str, Any, str]] = [
    ("text.wav", lambda path: path.write_text("no sound"), "text.wav cannot be read as audio"),
    ("nothing.wav", lambda path: path.write_bytes(b""), "nothing.wav cannot be read as audio"),
    ("empty.wav", empty_wav, "empty.wav has no samples"),
    ("nan.wav", lambda path: soundfile.write(path, np.full(99, math.nan), 16000, "FLOAT"), "nan.wav has no samples, or holds NaN"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "make", "words"), BROKEN, ids=lambda one: one if isinstance(one, str) else ""
)
def test_files_that_are_no_audio(name: str, make: Any, words: str, tmp_path: Path) -> None:
    make(tmp_path / name)
    with pytest.raises(ValueError, match=f"{words}.*: leave it out of sounds"):
        ss.AddBackground([tmp_path / name], sample_rate=16000)(TONE, key=KEY)


@pytest.mark.parametrize(
    ("sounds", "error", "words"),
    [
        ("nowhere", FileNotFoundError, "sounds must be a folder, .* got 'nowhere', which is not a folder: correct the path"),
        ([], TypeError, r"sounds must be a folder's path, or a list with at least one .* got \[\]"),
        (["nowhere.wav"], FileNotFoundError, "1 of 1 are missing, the first is 'nowhere.wav'"),
        (str(ROOT / "docs" / "tutorial"), ValueError, "sounds must be a folder with audio files .*, which has none: pass another folder"),
        (str(SOUNDS / "rain.wav"), FileNotFoundError, "which is not a folder: correct the path"),
        (TONE, TypeError, r"got an array of shape \(16000,\)"),
        ([TONE.astype(np.int16)], TypeError, "sounds must hold arrays of floats .* got dtype int16: convert it"),
        ([np.zeros((0,), np.float32)], ValueError, r"at least one sample.* got one of shape \(0,\)"),
        ([np.array([math.nan])], ValueError, "without NaN"),
        ([np.zeros((1, 2, 3))], ValueError, "audio must have the shape"),
        ([3], TypeError, "sounds must be paths or arrays, got 3 of type int"),
    ],
)  # fmt: skip
def test_errors_of_sounds(sounds: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        ss.AddBackground(sounds, sample_rate=16000)


def test_files_need_the_sample_rate() -> None:
    with pytest.raises(ValueError, match="sample_rate must be set for files, got None: pass"):
        ss.AddBackground(str(SOUNDS))


NOT_INSTALLED = {
    "ss.SpeedPerturb()": 'SpeedPerturb needs SciPy: pip install "seedsafe[audio]"',
    "ss.DropFreq()": 'DropFreq needs SciPy: pip install "seedsafe[audio]"',
    "ss.LowPass(sample_rate=16000)": 'LowPass needs SciPy: pip install "seedsafe[audio]"',
    f"ss.AddBackground({str(SOUNDS)!r}, sample_rate=16000)": "AddBackground needs soundfile for files: pip",
}


def test_what_is_not_installed_is_told_when_a_pipeline_is_made() -> None:
    code = f"""
import sys; sys.modules["scipy"] = sys.modules["soundfile"] = None
import seedsafe as ss
for made in {list(NOT_INSTALLED)}:
    try:
        ss.Compose([eval(made)])
    except ImportError as error:
        print(error)
"""
    told = python("-c", code).stdout.splitlines()
    assert all(one.startswith(words) for one, words in zip(told, NOT_INSTALLED.values(), strict=True))
    code = "import sys, seedsafe as ss\nss.Compose([ss.LowPass(sample_rate=9**5)])\nprint('scipy' in sys.modules)"
    assert python("-c", code).stdout == "False\n"


class Clips:
    """Spoken words, whole or in part, as a dataset."""

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {"audio": speech()[index * 1000 : index * 1000 + 24000], "label": index}


@pytest.mark.parametrize("workers", [1, 3])
def test_a_pipeline_of_speech_does_not_depend_on_workers(workers: int) -> None:
    pipeline = ss.Compose(
        [
            ss.RandomSegment(16000),
            ss.AddBackground(str(SOUNDS), sample_rate=48000, p=0.7),
            ss.AddNoise(color=("white", "pink", "brown"), p=0.7),
            ss.BandPass(sample_rate=48000, p=0.5),
            ss.TimeShift(p=0.5),
            ss.Gain(p=0.5),
            ss.GainTransition(p=0.5),
            ss.Clipping(p=0.3),
            ss.Reverse(p=0.3),
            ss.PeakNormalize(0.9),
        ]
    )

    def passes(count: int) -> list[tuple[int, bytes]]:
        dataset = sst.AugmentedDataset(Clips(), pipeline, seed=42)
        return [
            (int(label), audio.numpy().tobytes())
            for batch in sst.loader(dataset, batch_size=4, num_workers=count)
            for label, audio in zip(batch["label"], batch["audio"], strict=True)
        ]

    assert passes(workers) == passes(0)


# Spectrograms


def test_masks_are_where_they_were_drawn() -> None:
    spectrogram = np.random.default_rng(0).normal(1, 1, (2, 80, 300)).astype(np.float32)
    for transform, axis in ((ss.TimeMask((5, 40), count=2), 2), (ss.FrequencyMask((5, 20), count=(1, 3)), 1)):
        pipeline = ss.Compose([transform])
        for key in KEYS:
            ((bands,),) = [one.params for one in pipeline.params(key, {"spectrogram": spectrogram})]
            wanted = np.moveaxis(spectrogram.copy(), axis, 0)
            for first, last in bands:
                wanted[first:last] = 0
            sample = {"spectrogram": spectrogram, "audio": TONE, "label": 3}
            made = pipeline(sample, key=key)
            np.testing.assert_array_equal(made["spectrogram"], np.moveaxis(wanted, 0, axis))
            np.testing.assert_array_equal(made["audio"], TONE)
            assert made["label"] == 3


def test_widths_reach_the_whole_and_no_further() -> None:
    def largest(one: ss.Transform) -> int:
        drawn = parameters(one, ss.Info((3, 10), "float32"), 40)
        return max(last - first for (bands,) in drawn for first, last in bands)

    assert largest(ss.TimeMask()) in range(6, 11)
    assert largest(ss.TimeMask(max_share=0.5)) <= 5
    assert largest(ss.TimeMask((0.0, 1.0), max_share=0.3)) <= 3
    assert not ss.FrequencyMask((1.0, 1.0))(np.ones((3, 10), np.float32), key=KEY).any()


def test_fills() -> None:
    spectrogram = np.random.default_rng(0).normal(3, 1, (80, 301))
    for dtype in ("float32", "float64", "float16"):
        given_array = spectrogram.astype(dtype)
        made = F.mask_bands(given_array, [(10, 20)], "mean", in_time=True)
        assert made[0, 10] == pytest.approx(
            given_array.astype(float).mean(), rel=1e-3 if dtype == "float16" else 1e-6
        )
        assert made.dtype == dtype
    whole = np.full((4, 4), 7, np.uint8)
    assert F.mask_bands(whole, [(0, 1)], "mean", in_time=False).tolist() == whole.tolist()
    for fill in (0.5, -1, 256, 1e30):
        with pytest.raises(ValueError, match="fill must be a value of the spectrogram's dtype uint8, got"):
            F.mask_bands(whole, [(0, 1)], fill, in_time=False)
    with pytest.raises(ValueError, match=r"dtype float16, got 100000.0: pass another"):
        ss.TimeMask(3, fill=1e5)(np.ones((4, 9), np.float16), key=ss.SampleKey(0, 0, 0))
    nan = np.full((2, 4), math.nan, np.float32)  # what is masked is mended
    assert np.isfinite(F.mask_bands(nan, [(0, 4)], 0.0, in_time=True)).all()


@pytest.mark.parametrize(
    ("sample", "error", "words"),
    [
        (np.zeros(9, np.float32), ValueError, r"a spectrogram must have the shape \(frequencies, frames\) or .*got \(9,\)"),
        (np.zeros((2, 2, 2, 2), np.float32), ValueError, "a spectrogram must have the shape"),
        ({"audio": TONE}, ValueError, "TimeMask needs 'spectrogram' in the sample"),
        ({"spectrogram": np.zeros((0, 4), np.float32)}, ValueError, "spectrogram must not be empty"),
        ({"spectrogram": [[1.0]]}, TypeError, "spectrogram must be a NumPy array, got builtins.list"),
    ],
)  # fmt: skip
def test_errors_of_spectrograms(sample: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        ss.TimeMask()(sample, key=KEY)


def test_tensors_keep_their_layout() -> None:
    import torch

    spectrogram = torch.ones(3, 20, 50)
    dataset: Any = [{"spectrogram": spectrogram, "label": 1}, (spectrogram, 1), spectrogram]
    pipeline = ss.Compose([ss.TimeMask(10), ss.FrequencyMask(4)])
    for index in range(3):
        made = sst.AugmentedDataset(dataset, pipeline, seed=42)[index]
        made = made["spectrogram"] if isinstance(made, dict) else made[0] if isinstance(made, tuple) else made
        assert isinstance(made, torch.Tensor)
        wanted = pipeline(spectrogram.numpy(), key=ss.SampleKey(42, 0, index))
        assert torch.equal(made, torch.from_numpy(wanted))
