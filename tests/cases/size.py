"""Size and padding."""

from __future__ import annotations

import seedsafe as ss
from cases.case import EXACT, NOTHING, Case, Drawn, Golden, Memory, Moves
from cases.laws import IMAGE, LARGE, one_of, part, uniform

__all__ = ["CASES", "TITLE"]

TITLE = "Size and padding"
SHAPE = (37, 53, 3)
UINT8 = ss.Info(SHAPE, "uint8")
CASES = [
    Case(
        ss.Resize,
        arguments={"size": 20},
        also={"antialias": ss.Resize(20, antialias=True)},
        moves=[
            Moves(ss.Resize((77, 31)), EXACT),
            Moves(ss.Resize((40, 31), antialias=True), EXACT),
            Moves(ss.Resize(50, max_size=60), EXACT),
            Moves(ss.Resize((90, 60), keep_ratio=True), EXACT),
        ],
        drawn=NOTHING,
        golden={
            "Resize": Golden(ss.Resize((20, 31)), UINT8),
            "Resize shorter side": Golden(ss.Resize(30, max_size=40), UINT8),
            "Resize keep_ratio": Golden(ss.Resize((90, 61), keep_ratio=True), UINT8),
            "Resize exact": Golden(ss.Resize((20, 31), interpolation="bilinear exact"), UINT8),
            "Resize exact larger": Golden(ss.Resize((90, 61), interpolation="bilinear exact"), UINT8),
            "Resize antialias": Golden(ss.Resize((20, 31), antialias=True), UINT8),
            "Resize antialias bicubic": Golden(
                ss.Resize((9, 60), interpolation="bicubic", antialias=True), UINT8
            ),
            "Resize antialias area": Golden(ss.Resize((9, 21), interpolation="area", antialias=True), UINT8),
            "Resize antialias lanczos": Golden(
                ss.Resize((20, 31), interpolation="lanczos", antialias=True), UINT8
            ),
        },
        picture="(96, 160)",
        called=["Resize"],
    ),
    Case(
        ss.SmallestMaxSize,
        arguments={"size": 20},
        moves=[Moves(ss.SmallestMaxSize([30, 60]), EXACT)],
        drawn=[Drawn(ss.SmallestMaxSize([20, 30, 40]), IMAGE, [one_of(part(0), (20, 30, 40))])],
        golden={"SmallestMaxSize": Golden(ss.SmallestMaxSize([20, 30, 40]), UINT8)},
        picture="96",
        called=["SmallestMaxSize"],
    ),
    Case(
        ss.LongestMaxSize,
        arguments={"size": 20},
        moves=[Moves(ss.LongestMaxSize(64), EXACT)],
        drawn=[Drawn(ss.LongestMaxSize([20, 30, 40]), IMAGE, [one_of(part(1), (20, 30, 40))])],
        golden={"LongestMaxSize": Golden(ss.LongestMaxSize(41, p=0.5), UINT8)},
        picture="96",
        called=["LongestMaxSize"],
    ),
    Case(
        ss.RandomScale,
        also={"more": ss.RandomScale((0.5, 2), p=1)},
        moves=[
            Moves(ss.RandomScale((0.5, 2.0)), EXACT),
            Moves(ss.RandomScale(sizes=[(90, 60), (80, 40)], between=True), EXACT),
        ],
        drawn=[
            Drawn(ss.RandomScale((0.5, 2)), LARGE, [uniform(lambda drawn: drawn[0] / 30000, 0.5, 2)]),
            Drawn(ss.RandomScale(sizes=[20, 30, 40]), IMAGE, [one_of(part(0), (20, 30, 40))]),
        ],
        golden={
            "RandomScale": Golden(ss.RandomScale(0.3), UINT8),
            "RandomScale sizes": Golden(ss.RandomScale(sizes=[20, 30, 40], max_size=50), UINT8),
            "RandomScale between": Golden(ss.RandomScale(sizes=[(80, 40), (80, 60)], between=True), UINT8),
            "RandomScale of a size": Golden(ss.RandomScale((0.5, 2), size=(40, 30), keep_ratio=False), UINT8),
        },
        picture="scale=0.4",
        called=["RandomScale"],
    ),
    Case(
        ss.PadIfNeeded,
        arguments={"divisor": 32},
        moves=[
            Moves(ss.PadIfNeeded(80, position="random", mask_fill=0), EXACT),
            Moves(ss.PadIfNeeded(divisor=32, fill=7), EXACT),
        ],
        drawn=[
            Drawn(
                ss.PadIfNeeded((230, 340), position="random"),
                IMAGE,
                [one_of(part(0), range(-30, 1)), one_of(part(1), range(-40, 1))],
            )
        ],
        golden={
            "PadIfNeeded": Golden(ss.PadIfNeeded(60, divisor=8, position="random", fill=114), SHAPE),
            "PadIfNeeded reflect": Golden(ss.PadIfNeeded((50, 60), mode="reflect"), SHAPE),
        },
        picture="size=(224, 256)",
        called=["PadIfNeeded"],
    ),
    Case(
        ss.LetterBox,
        arguments={"size": 24},
        also={
            "of 640 pixels": ss.LetterBox(),
            "wide": ss.LetterBox((480, 640)),
            "antialias": ss.LetterBox(24, antialias=True),
        },
        moves=[Moves(ss.LetterBox((64, 80)), EXACT)],
        drawn=NOTHING,
        golden={"LetterBox": Golden(ss.LetterBox(48), UINT8)},
        picture="size=(160, 192)",
        memory={
            "wide": Memory(again=True, why="the image is made as large as the box before it is put there")
        },
    ),
    Case(
        ss.CropAndPad,
        arguments={"px": (-3, 3)},
        also={"percent": ss.CropAndPad(percent=(-0.2, 0.2), p=1)},
        moves=[
            Moves(ss.CropAndPad((-6, 9), fill=9), EXACT),
            Moves(ss.CropAndPad(percent=(-0.1, 0.2), keep_size=False), EXACT),
        ],
        drawn=[
            Drawn(
                ss.CropAndPad((-9, 12), keep_size=False),
                IMAGE,
                [
                    one_of(part(0, 0), range(-12, 10)),
                    one_of(part(0, 1), range(-12, 10)),
                    one_of(lambda drawn: drawn[0][2] + drawn[0][0] - 200, range(-9, 13)),
                    one_of(lambda drawn: drawn[0][3] + drawn[0][1] - 300, range(-9, 13)),
                ],
            )
        ],
        golden={
            "CropAndPad": Golden(ss.CropAndPad((-9, 9), keep_size=False), SHAPE),
            "CropAndPad percent": Golden(
                ss.CropAndPad(percent=(-0.2, 0.2), sample_independently=False), UINT8
            ),
        },
        picture="percent=(-0.2, 0.2)",
        called=["CropAndPad", "IAACropAndPad"],
    ),
    Case(
        ss.RandomZoomOut,
        also={"more": ss.RandomZoomOut(fill=100, p=1)},
        moves=[Moves(ss.RandomZoomOut((1, 2), fill=0), EXACT)],
        drawn=[
            Drawn(
                ss.RandomZoomOut((2, 4)),
                LARGE,
                [
                    uniform(lambda w: w[2] / 30000, 2, 4),
                    uniform(lambda w: -w[0] / (w[2] - 30000), 0, 1),
                    uniform(lambda w: -w[1] / (w[3] - 40000), 0, 1),
                ],
            )
        ],
        golden={"RandomZoomOut": Golden(ss.RandomZoomOut(fill=100, p=0.8), SHAPE)},
        picture="p=1",
    ),
]
