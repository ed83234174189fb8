"""What mixes batches."""

from __future__ import annotations

import seedsafe as ss
from cases.case import Case, Golden

__all__ = ["CASES", "TITLE"]

TITLE = None

CASES = [
    Case(
        ss.BatchMix,
        drawn="how it mixes: test_mixing.py",
        golden={
            "BatchMix": Golden(ss.BatchMix(10), (7, 19, 23, 3)),
            "BatchMix, MixUp": Golden(ss.BatchMix(10, 0.2, 0, 0.7), (7, 19, 23, 3)),
            "BatchMix, CutMix": Golden(ss.BatchMix(10, 0, 2.5), (7, 19, 23, 3)),
        },
        holds=True,
    )
]
