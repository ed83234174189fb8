"""Transforms that mix samples, and BatchMix."""

from __future__ import annotations

from typing import Any

import seedsafe as ss
from cases.case import Case, Golden

__all__ = ["CASES", "TITLE"]

TITLE = None

MANY = ss.Info((19, 23, 3), "uint8", length=1000, position=7)
FEW = ss.Info((19, 23, 3), "uint8", length=4, position=3)
BATCH = (7, 19, 23, 3)


def mixing(kind: Any, many: ss.Transform, few: ss.Transform, drawn: str, picture: str, **more: Any) -> Case:
    """Return the case of a transform whose golden pipelines have a dataset of many samples, and one of just enough."""
    return Case(
        kind,
        drawn=f"{drawn}: test_partners.py; Beta: test_mixing.py",
        golden={kind.__name__: Golden(many, MANY), f"{kind.__name__} of few": Golden(few, FEW)},
        picture=picture,
        needs="dataset",
        holds=True,
        **more,
    )


CASES = [
    mixing(ss.MixUp, ss.MixUp(classes=10), ss.MixUp(0.2, p=0.7), "partners and shares", "classes=4"),
    mixing(
        ss.CutMix,
        ss.CutMix(classes=10),
        ss.CutMix(2.5, p=0.7),
        "partners, shares and rectangles",
        "classes=4",
    ),
    mixing(
        ss.Mosaic,
        ss.Mosaic(40),
        ss.Mosaic((30, 50), (0.1, 0.6), p=0.7),
        "partners and where they meet",
        "192",
        arguments={"size": 24},
    ),
    mixing(ss.CopyPaste, ss.CopyPaste(), ss.CopyPaste(0.9, p=0.7), "partners and objects", "object_p=1.0"),
    Case(
        ss.BatchMix,
        drawn="how it mixes: test_mixing.py",
        golden={
            "BatchMix": Golden(ss.BatchMix(10), BATCH),
            "BatchMix, MixUp": Golden(ss.BatchMix(10, 0.2, 0, 0.7), BATCH),
            "BatchMix, CutMix": Golden(ss.BatchMix(10, 0, 2.5), BATCH),
        },
        holds=True,
    ),
]
