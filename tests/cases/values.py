"""Values and layout."""

from __future__ import annotations

import seedsafe as ss
from cases.case import NOTHING, Case, Golden

__all__ = ["CASES", "TITLE"]

TITLE = "Values and layout"

CASES = [
    Case(
        ss.Normalize,
        arguments={"mean": 0.5, "std": 0.25},
        tried=[ss.Normalize(0.5, 0.25)],
        in_range=False,
        becomes="float32",
        drawn=NOTHING,
        golden={
            "Normalize, ToFloat, ToCHW": Golden(
                ss.Compose([ss.ToFloat(), ss.Normalize(0.5, 0.25), ss.ToCHW()]), (37, 53, 3)
            )
        },
        picture="mean=0.5, std=0.25",
        shown=False,
    ),
    Case(ss.ToCHW, any_dtype=True, drawn=NOTHING, shown=False),
    Case(ss.ToFloat, becomes="float32", drawn=NOTHING, shown=False),
]
