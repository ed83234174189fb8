"""Audio."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import seedsafe as ss
from cases.case import NOTHING, Case, Drawn, Golden, Memory
from cases.laws import AUDIO, SPECTROGRAM, Law, below, log_uniform, one_of, part, uniform, uniforms

__all__ = ["CASES", "TITLE"]

TITLE = "Audio"

SOUNDS = str(Path(__file__).parents[1] / "sounds")
"""Made for the tests: 0.25 s of rain, 0.25 s of a fan, and 0.1 s of a horn with two channels at 22050 Hz."""
HUM = (np.arange(20000, dtype=np.int64) * 2654435761 % 251).astype(np.float32) / np.float32(251) - np.float32(
    0.5
)
HERTZ = {"sample_rate": 16000}
WHOLE = Memory(more=2**20, why="a filter's result in binary64, before it is rounded")


def bands(whole: int) -> list[Law]:
    """The first of some bands of 5 to 30, anywhere."""
    return [
        one_of(lambda b: b[0][0][1] - b[0][0][0], range(5, 31)),
        below(part(0, 0, 0), lambda b: whole - (b[0][0][1] - b[0][0][0]) + 1),
    ]


CASES = [
    Case(
        ss.Amplitude,
        drawn=[Drawn(ss.Amplitude((0.5, 2.0)), AUDIO, uniforms((0.5, 2.0)))],
        golden={"Amplitude": Golden(ss.Amplitude(), (2, 16001))},
    ),
    Case(
        ss.PolarityInversion,
        tried=[ss.PolarityInversion(p=1)],
        drawn=NOTHING,
        golden={"PolarityInversion": Golden(ss.PolarityInversion(), (2, 16001))},
        picture="p=0.5",
    ),
    Case(
        ss.RandomSegment,
        arguments={"length": 50},
        tried=[ss.RandomSegment(50), ss.RandomSegment(500, pad_if_needed=True)],
        drawn=[Drawn(ss.RandomSegment(100), AUDIO, [one_of(part(0), range(201))])],
        golden={"RandomSegment": Golden(ss.RandomSegment(8192), (2, 16001))},
        picture="12000",
    ),
    Case(
        ss.Gain,
        drawn=[Drawn(ss.Gain((-9, 3)), AUDIO, uniforms((-9, 3)))],
        golden={"Gain": Golden(ss.Gain(), (2, 16001))},
    ),
    Case(
        ss.GainTransition,
        also={"of few samples": ss.GainTransition(duration=(1, 9))},
        drawn=[
            Drawn(
                ss.GainTransition(duration=(20, 60)),
                AUDIO,
                [
                    *uniforms((-24, 6), (-24, 6)),
                    one_of(part(3), range(20, 61)),
                    lambda drawn, spare: (drawn[2] + drawn[3] - 1 + spare) / (300 + drawn[3] - 1),
                ],
            ),
            Drawn(
                ss.GainTransition(duration=(0.0, 1.0)),
                AUDIO,
                [one_of(lambda t: max(t[3], 1) // 3, range(100))],
            ),
        ],
        golden={
            "GainTransition": Golden(ss.GainTransition(), (2, 16001)),
            "GainTransition samples": Golden(ss.GainTransition((-9, 9), duration=(50, 4000)), (2, 16001)),
        },
    ),
    Case(
        ss.PeakNormalize, drawn=NOTHING, golden={"PeakNormalize": Golden(ss.PeakNormalize(0.9), (2, 16001))}
    ),
    Case(
        ss.Clipping,
        drawn=[Drawn(ss.Clipping((0.1, 0.3)), AUDIO, uniforms((0.1, 0.3)))],
        golden={"Clipping": Golden(ss.Clipping(), (2, 16001))},
    ),
    Case(
        ss.TimeShift,
        also={"with zeros": ss.TimeShift((-70000, 70000), rollover=False)},
        tried=[ss.TimeShift(), ss.TimeShift((-400, 400)), ss.TimeShift(-0.3, rollover=False)],
        drawn=[
            Drawn(ss.TimeShift((-20, 30)), AUDIO, [one_of(part(0), range(-20, 31))]),
            Drawn(ss.TimeShift(), AUDIO, [one_of(part(0), range(-150, 150))]),
        ],
        golden={
            "TimeShift": Golden(ss.TimeShift(), (2, 16001)),
            "TimeShift samples": Golden(ss.TimeShift((-9000, 99), rollover=False, p=0.7), (2, 16001)),
        },
    ),
    Case(
        ss.Reverse,
        tried=[ss.Reverse(p=1)],
        drawn=NOTHING,
        golden={"Reverse": Golden(ss.Reverse(), (2, 16001))},
    ),
    Case(
        ss.AddNoise,
        also={color: ss.AddNoise(color=color) for color in ("pink", "brown")},
        tried=[ss.AddNoise(), ss.AddNoise(color=("pink", "brown"))],
        drawn=[
            Drawn(
                ss.AddNoise((3, 9), color=("white", "pink", "brown")),
                AUDIO,
                [one_of(part(0), ("white", "pink", "brown")), uniform(part(1), 3, 9)],
            )
        ],
        golden={
            "AddNoise": Golden(ss.AddNoise(), (2, 16001)),
            "AddNoise colors": Golden(ss.AddNoise((0, 9), color=("white", "pink", "brown")), (2, 16001)),
        },
        picture='(0, 15), color=("white", "pink", "brown")',
        memory={
            color: Memory(more=2**19, why="the spectrum of a channel, and what it is transformed to")
            for color in ("pink", "brown")
        },
    ),
    Case(
        ss.AddBackground,
        arguments={"sounds": SOUNDS, **HERTZ},
        also={"of arrays": ss.AddBackground([HUM, HUM[:900]])},
        tried=[ss.AddBackground([HUM, HUM[:50]]), ss.AddBackground(SOUNDS, snr=0, sample_rate=8000)],
        drawn=[
            Drawn(
                ss.AddBackground([HUM] * 7, snr=(0, 9)),
                AUDIO,
                [one_of(part(0), range(7)), uniform(part(1), 0, 1), uniform(part(2), 0, 9)],
            )
        ],
        golden={
            "AddBackground": Golden(ss.AddBackground([HUM, HUM[:900]]), (2, 16001)),
            "AddBackground files": Golden(ss.AddBackground([HUM] * 3, snr=0, p=0.6), (2, 16001)),
        },
        picture="[voice], snr=(0, 12)",
        memory={"": Memory(more=2**17, why="the part that is added, and what SciPy resamples it with")},
    ),
    Case(
        ss.TimeStretch,
        arguments=HERTZ,
        also={"of another length": ss.TimeStretch((0.6, 1.9), keep_length=False, **HERTZ)},
        tried=[ss.TimeStretch(**HERTZ), ss.TimeStretch((0.5, 2), keep_length=False, **HERTZ)],
        drawn=[Drawn(ss.TimeStretch((0.7, 1.6), **HERTZ), AUDIO, uniforms((0.7, 1.6)))],
        golden={"TimeStretch": Golden(ss.TimeStretch(**HERTZ), (2, 16001))},
        picture="(0.6, 1.6), sample_rate=24000",
        memory={"": Memory(more=2**20, why="what the library returns, before it is as long as it shall be")},
    ),
    Case(
        ss.PitchShift,
        arguments=HERTZ,
        drawn=[Drawn(ss.PitchShift((-3, 6), **HERTZ), AUDIO, uniforms((-3, 6)))],
        golden={"PitchShift": Golden(ss.PitchShift(**HERTZ), (2, 16001))},
        picture="(-9, 9), sample_rate=24000",
        memory={"": Memory(more=2**20, why="what the library returns")},
    ),
    Case(
        ss.SpeedPerturb,
        also={"of the same length": ss.SpeedPerturb((0.6, 1.7), keep_length=True)},
        tried=[ss.SpeedPerturb(), ss.SpeedPerturb((0.5, 1.3, 2.0)), ss.SpeedPerturb(0.7, keep_length=True)],
        drawn=[Drawn(ss.SpeedPerturb((0.9, 1.0, 1.1)), AUDIO, [one_of(part(0), (0.9, 1.0, 1.1))])],
        golden={
            "SpeedPerturb": Golden(ss.SpeedPerturb(), (2, 16001)),
            "SpeedPerturb lengths": Golden(ss.SpeedPerturb((0.8, 1.25), keep_length=True, p=0.7), (2, 16001)),
        },
        picture="(0.6, 1.5)",
        memory={"": Memory(more=2**20, why="what SciPy resamples it to")},
    ),
    Case(
        ss.DropChunk,
        also={"of shares": ss.DropChunk((0.0, 0.2), count=3)},
        drawn=[
            Drawn(
                ss.DropChunk((5, 30), count=(1, 3)),
                AUDIO,
                [one_of(lambda b: len(b[0]), (1, 2, 3)), *bands(300)],
            )
        ],
        golden={
            "DropChunk": Golden(ss.DropChunk(), (2, 16001)),
            "DropChunk shares": Golden(ss.DropChunk((0.01, 0.2), count=1, p=0.5), (2, 16001)),
        },
        picture="(1000, 4000)",
    ),
    Case(
        ss.DropFreq,
        drawn=[
            Drawn(
                ss.DropFreq((0.1, 0.7), count=(1, 3)),
                AUDIO,
                [one_of(lambda n: len(n[0]), (1, 2, 3)), uniform(part(0, 0), 0.1, 0.7)],
            )
        ],
        golden={
            "DropFreq": Golden(ss.DropFreq(), (2, 16001)),
            "DropFreq two": Golden(ss.DropFreq((0.2, 0.4), count=2, width=0.02), (2, 16001)),
        },
        picture="(0, 0.3), count=3",
        memory={"": WHOLE},
    ),
    Case(
        ss.LowPass,
        arguments=HERTZ,
        drawn=[
            Drawn(
                ss.LowPass((100, 900), rolloff=(6, 24), **HERTZ),
                AUDIO,
                [log_uniform(part(1), 100, 900), one_of(part(2), range(1, 5))],
            )
        ],
        golden={"LowPass": Golden(ss.LowPass(**HERTZ), (2, 16001))},
        picture="(400, 2000), sample_rate=24000",
        memory={"": WHOLE},
    ),
    Case(
        ss.HighPass,
        arguments=HERTZ,
        drawn=[
            Drawn(
                ss.HighPass((100, 900), rolloff=(12, 24), **HERTZ),
                AUDIO,
                [log_uniform(part(0), 100, 900), one_of(part(2), range(2, 5))],
            )
        ],
        golden={"HighPass": Golden(ss.HighPass(**HERTZ), (2, 16001))},
        picture="(500, 3000), sample_rate=24000",
        memory={"": WHOLE},
    ),
    Case(
        ss.BandPass,
        arguments=HERTZ,
        drawn=[
            Drawn(
                ss.BandPass((100, 900), bandwidth=(0.4, 1.2), **HERTZ),
                AUDIO,
                [
                    log_uniform(lambda b: (b[0] + b[1]) / 2, 100, 900),
                    uniform(lambda b: (b[1] - b[0]) * 2 / (b[0] + b[1]), 0.4, 1.2),
                    one_of(part(2), range(2, 5)),
                ],
            )
        ],
        golden={"BandPass": Golden(ss.BandPass(**HERTZ), (2, 16001))},
        picture="(500, 3000), bandwidth=(0.5, 1), sample_rate=24000",
        memory={"": WHOLE},
    ),
    Case(
        ss.TimeMask,
        also={"of shares": ss.TimeMask((0.0, 0.2), count=3, fill="mean")},
        drawn=[
            Drawn(
                ss.TimeMask((5, 30), count=(1, 3)),
                SPECTROGRAM,
                [one_of(lambda b: len(b[0]), (1, 2, 3)), *bands(300)],
            ),
            Drawn(
                ss.TimeMask((0, 100), max_share=0.2),
                SPECTROGRAM,
                [one_of(lambda b: b[0][0][1] - b[0][0][0], range(61))],
            ),
        ],
        golden={
            "TimeMask": Golden(ss.TimeMask(), ss.Info((80, 301), "float32")),
            "TimeMask mean": Golden(
                ss.TimeMask((0.0, 0.2), count=(1, 3), fill="mean", p=0.8), ss.Info((2, 80, 301), "float32")
            ),
            "TimeMask share": Golden(ss.TimeMask(max_share=0.2, fill=-1), ss.Info((80, 301), "float32")),
        },
        picture="(10, 60), count=2",
    ),
    Case(
        ss.FrequencyMask,
        also={"of shares": ss.FrequencyMask((0.0, 0.2), count=3, fill="mean")},
        drawn=[
            Drawn(
                ss.FrequencyMask((5, 30), count=(1, 3)),
                SPECTROGRAM,
                [one_of(lambda b: len(b[0]), (1, 2, 3)), *bands(80)],
            )
        ],
        golden={
            "FrequencyMask": Golden(ss.FrequencyMask(), ss.Info((80, 301), "float32")),
            "FrequencyMask mean": Golden(
                ss.FrequencyMask((0.0, 0.2), count=2, fill="mean"), ss.Info((2, 80, 301), "float32")
            ),
        },
        picture="(5, 14), count=2",
    ),
]
