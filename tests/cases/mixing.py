"""What mixes samples: with partners of their dataset, or those of a batch with one another."""

from __future__ import annotations

import seedsafe as ss
from cases.case import Case, Golden

__all__ = ["CASES", "TITLE"]

TITLE = None

MANY = ss.Info((19, 23, 3), "uint8", length=1000, position=7)
FEW = ss.Info((19, 23, 3), "uint8", length=4, position=3)

CASES = [
    Case(
        ss.MixUp,
        drawn="partners and shares: test_partners.py",
        golden={
            "MixUp": Golden(ss.MixUp(classes=10), MANY),
            "MixUp of few": Golden(ss.MixUp(0.2, p=0.7), FEW),
        },
        picture="classes=4",
        needs="dataset",
        holds=True,
    ),
    Case(
        ss.CutMix,
        drawn="partners, shares and rectangles: test_partners.py",
        golden={
            "CutMix": Golden(ss.CutMix(classes=10), MANY),
            "CutMix of few": Golden(ss.CutMix(2.5, p=0.7), FEW),
        },
        picture="classes=4",
        needs="dataset",
        holds=True,
    ),
    Case(
        ss.Mosaic,
        arguments={"size": 24},
        drawn="partners and where they meet: test_partners.py",
        golden={
            "Mosaic": Golden(ss.Mosaic(40), MANY),
            "Mosaic of few": Golden(ss.Mosaic((30, 50), (0.1, 0.6), p=0.7), FEW),
        },
        picture="192",
        needs="dataset",
        holds=True,
    ),
    Case(
        ss.CopyPaste,
        drawn="partners and objects: test_partners.py",
        golden={
            "CopyPaste": Golden(ss.CopyPaste(), MANY),
            "CopyPaste of few": Golden(ss.CopyPaste(0.9, p=0.7), FEW),
        },
        picture="object_p=1.0",
        needs="dataset",
        holds=True,
    ),
    Case(
        ss.BatchMix,
        drawn="how it mixes: test_mixing.py",
        golden={
            "BatchMix": Golden(ss.BatchMix(10), (7, 19, 23, 3)),
            "BatchMix, MixUp": Golden(ss.BatchMix(10, 0.2, 0, 0.7), (7, 19, 23, 3)),
            "BatchMix, CutMix": Golden(ss.BatchMix(10, 0, 2.5), (7, 19, 23, 3)),
        },
        holds=True,
    ),
]
