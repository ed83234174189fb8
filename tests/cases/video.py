"""Video."""

from __future__ import annotations

import seedsafe as ss
from cases.case import Case, Drawn, Golden
from cases.laws import below, one_of

__all__ = ["CASES", "TITLE"]

TITLE = "Video"
SHAPE = (60, 6, 5, 3)
VIDEO = ss.Info((300, 8, 8, 3), "uint8")

CASES = [
    Case(
        ss.TemporalSample,
        arguments={"n_frames": 6},
        drawn=[
            Drawn(
                ss.TemporalSample(16, stride=(2, 5)),
                VIDEO,
                [
                    one_of(lambda drawn: drawn[0][1] - drawn[0][0], (2, 3, 4, 5)),
                    below(lambda drawn: drawn[0][0], lambda drawn: 300 - 15 * (drawn[0][1] - drawn[0][0])),
                ],
            ),
            Drawn(
                ss.TemporalSample(7, segments=7),
                VIDEO,
                [
                    below(
                        lambda drawn, k=k: drawn[0][k] - k * 300 // 7,
                        lambda drawn, k=k: (k + 1) * 300 // 7 - k * 300 // 7,
                    )
                    for k in range(7)
                ],
            ),
        ],
        golden={
            "TemporalSample": Golden(ss.TemporalSample(8, stride=4), SHAPE),
            "TemporalSample segments": Golden(ss.TemporalSample(8, segments=8), SHAPE),
            "TemporalSample strides": Golden(ss.TemporalSample(9, stride=(2, 5), segments=3), SHAPE),
            "TemporalSample clips": Golden(ss.TemporalSample(4, stride=2, clips=3), SHAPE),
            "TemporalSample short": Golden(ss.TemporalSample(6, stride=(1, 4), short="repeat"), (9, 6, 5, 3)),
        },
        picture="9, stride=3",
    )
]
