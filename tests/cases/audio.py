"""Audio."""

from __future__ import annotations

import seedsafe as ss
from cases.case import NOTHING, Case, Drawn, Golden
from cases.laws import AUDIO, one_of, part, uniforms

__all__ = ["CASES", "TITLE"]

TITLE = "Audio"

CASES = [
    Case(
        ss.Amplitude,
        drawn=[Drawn(ss.Amplitude((0.5, 2.0)), AUDIO, uniforms((0.5, 2.0)))],
        golden={"Amplitude": Golden(ss.Amplitude(), (2, 16001), exact=True)},
    ),
    Case(
        ss.PolarityInversion,
        tried=[ss.PolarityInversion(p=1)],
        drawn=NOTHING,
        golden={"PolarityInversion": Golden(ss.PolarityInversion(), (2, 16001), exact=True)},
        picture="p=0.5",
    ),
    Case(
        ss.RandomSegment,
        arguments={"length": 50},
        tried=[ss.RandomSegment(50), ss.RandomSegment(500, pad_if_needed=True)],
        drawn=[Drawn(ss.RandomSegment(100), AUDIO, [one_of(part(0), range(201))])],
        golden={"RandomSegment": Golden(ss.RandomSegment(8192), (2, 16001), exact=True)},
        picture="12000",
    ),
]
