"""Flips and turns."""

from __future__ import annotations

import seedsafe as ss
from cases.case import EXACT, NOTHING, Case, Drawn, Golden, Moves
from cases.laws import IMAGE, one_of, part

__all__ = ["CASES", "TITLE"]

TITLE = "Flips and turns"
SHAPE = (37, 53, 3)
CASES = [
    Case(
        ss.HorizontalFlip,
        moves=[Moves(ss.HorizontalFlip(), EXACT)],
        drawn=NOTHING,
        golden={"HorizontalFlip": Golden(ss.HorizontalFlip(), SHAPE)},
        called=["HorizontalFlip", "IAAFliplr"],
    ),
    Case(
        ss.VerticalFlip,
        moves=[Moves(ss.VerticalFlip(), EXACT)],
        drawn=NOTHING,
        golden={"VerticalFlip": Golden(ss.VerticalFlip(p=0.3), SHAPE)},
        called=["IAAFlipud", "VerticalFlip"],
    ),
    Case(
        ss.D4,
        moves=[Moves(ss.D4(), EXACT)],
        drawn=[
            Drawn(
                ss.D4(),
                IMAGE,
                [one_of(lambda drawn: drawn[:2], [(k, m) for k in range(4) for m in (False, True)])],
            )
        ],
        golden={"D4": Golden(ss.D4(p=0.8), SHAPE)},
        called=["D4", "SquareSymmetry"],
    ),
    Case(
        ss.RandomRotate90,
        moves=[Moves(ss.RandomRotate90(), EXACT)],
        drawn=[Drawn(ss.RandomRotate90(), IMAGE, [one_of(part(0), range(4))])],
        golden={"RandomRotate90": Golden(ss.RandomRotate90(), SHAPE)},
        called=["RandomRotate90"],
    ),
    Case(
        ss.Transpose,
        moves=[Moves(ss.Transpose(), EXACT)],
        drawn=NOTHING,
        golden={"Transpose": Golden(ss.Transpose(), SHAPE)},
        picture="p=1",
        called=["Transpose"],
    ),
]
