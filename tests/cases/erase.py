"""Erasing."""

from __future__ import annotations

from itertools import permutations

import seedsafe as ss
from cases.case import COVERS, NOISE, TEARS, Case, Drawn, Golden, Moves
from cases.laws import IMAGE, LARGE, area, below, hole, log_uniform, one_of, part, slope, uniform

__all__ = ["CASES", "TITLE"]

TITLE = "Erasing"
SHAPE = (29, 33, 3)
CASES = [
    Case(
        ss.CoarseDropout,
        also={"noise": ss.CoarseDropout((1, 8), fill="noise", p=1)},
        tried=[
            ss.CoarseDropout(),
            ss.CoarseDropout((1, 8), height=(1, 40), width=3, fill=7),
            ss.CoarseDropout(2, height=0.5, width=(0.2, 0.9), overhang=True, fill="noise"),
            ss.CoarseDropout(3, fill="color"),
            ss.CoarseDropout(0),
        ],
        any_dtype=True,
        in_range=False,
        moves=[Moves(ss.CoarseDropout(3, height=12, width=15, fill=200, mask_fill=7), COVERS)],
        drawn=[
            Drawn(
                ss.CoarseDropout((1, 3), height=(10, 20), width=(0.1, 0.2)),
                LARGE,
                [
                    one_of(lambda drawn: len(drawn[0]), (1, 2, 3)),
                    one_of(lambda drawn: drawn[0][0][3] - drawn[0][0][1], range(10, 21)),
                    uniform(lambda drawn: drawn[0][0][2] - drawn[0][0][0], 4000, 8000),
                    *hole(30000, 40000),
                ],
            )
        ],
        golden={
            "CoarseDropout": Golden(ss.CoarseDropout(), SHAPE),
            "CoarseDropout pixels": Golden(
                ss.CoarseDropout((1, 8), height=(2, 9), width=7, fill="noise", p=0.7), SHAPE
            ),
            "CoarseDropout overhang": Golden(
                ss.CoarseDropout(1, height=0.5, width=0.4, overhang=True, fill="color"), SHAPE
            ),
        },
        picture="count=(2, 5)",
        called=["CoarseDropout", "Cutout"],
    ),
    Case(
        ss.RandomErasing,
        also={"noise": ss.RandomErasing((0.5, 1.0), fill="noise", p=1)},
        tried=[
            ss.RandomErasing(p=1),
            ss.RandomErasing((0.1, 0.5), fill="noise", p=1),
            ss.RandomErasing(fitting=True, p=1),
        ],
        any_dtype=True,
        in_range=False,
        moves=[Moves(ss.RandomErasing(fill=200, mask_fill=7, p=1), COVERS)],
        drawn=[
            Drawn(
                ss.RandomErasing((0.02, 0.1), (0.3, 3.3)),
                LARGE,
                [
                    uniform(lambda drawn: area(drawn[0][0]) / 1.2e9, 0.02, 0.1),
                    log_uniform(lambda drawn: slope(drawn[0][0]), 0.3, 3.3),
                    *hole(30000, 40000),
                ],
            )
        ],
        golden={
            "RandomErasing": Golden(ss.RandomErasing(), SHAPE),
            "RandomErasing extreme": Golden(
                ss.RandomErasing((0.5, 1.0), (0.1, 10.0), fill="noise", p=1), SHAPE
            ),
            "RandomErasing fitting": Golden(ss.RandomErasing(fitting=True, p=1), SHAPE),
        },
        picture="p=1",
        called=["Erasing"],
    ),
    Case(
        ss.XYMasking,
        tried=[ss.XYMasking(), ss.XYMasking((1, 3), (0, 2), width=(1, 5), height=(0.1, 0.5), fill=0.5)],
        any_dtype=True,
        in_range=False,
        moves=[Moves(ss.XYMasking(width=(3, 12), fill=200, mask_fill=7), COVERS)],
        drawn=[
            Drawn(
                ss.XYMasking((1, 3), 1, width=(10, 20), height=(0.1, 0.2)),
                LARGE,
                [
                    one_of(lambda drawn: len(drawn[0]), (2, 3, 4)),
                    one_of(lambda drawn: drawn[0][0][2] - drawn[0][0][0], range(10, 21)),
                    uniform(lambda drawn: drawn[0][-1][3] - drawn[0][-1][1], 3000, 6000),
                    below(part(0, 0, 0), lambda drawn: 40000 - (drawn[0][0][2] - drawn[0][0][0]) + 1),
                ],
            )
        ],
        golden={"XYMasking": Golden(ss.XYMasking((0, 3), (1, 2), width=(1, 5), height=0.1), SHAPE)},
        picture="columns=2, rows=2, width=(0.05, 0.15), height=(0.05, 0.15)",
        called=["XYMasking"],
    ),
    Case(
        ss.GridDropout,
        also={"noise": ss.GridDropout(0.3, (3, 9), fill="noise", p=1)},
        tried=[ss.GridDropout(), ss.GridDropout(0.3, (2, 9), fill="noise")],
        any_dtype=True,
        in_range=False,
        moves=[Moves(ss.GridDropout(unit=(8, 14), fill=200, mask_fill=7), COVERS)],
        drawn=[
            Drawn(
                ss.GridDropout(0.3, (3, 9)),
                IMAGE,
                [
                    one_of(part(0, 0), range(3, 10)),
                    below(part(2, 0), part(0, 0)),
                    below(part(2, 1), part(0, 1)),
                ],
            )
        ],
        golden={
            "GridDropout": Golden(ss.GridDropout(), SHAPE),
            "GridDropout units": Golden(ss.GridDropout(0.3, (3, 9), fill="noise", p=0.8), SHAPE),
        },
        called=["GridDropout"],
    ),
    Case(
        ss.GridShuffle,
        moves=[Moves(ss.GridShuffle(2), TEARS), Moves(ss.GridShuffle((4, 5), uneven="drawn"), TEARS)],
        drawn=[Drawn(ss.GridShuffle(2), IMAGE, [one_of(part(0), list(permutations(range(4))))])],
        golden={
            "GridShuffle": Golden(ss.GridShuffle(), SHAPE),
            "GridShuffle uneven": Golden(ss.GridShuffle((4, 5), p=0.6), SHAPE),
            "GridShuffle drawn": Golden(ss.GridShuffle((4, 5), uneven="drawn"), SHAPE),
        },
        called=["RandomGridShuffle"],
    ),
    Case(
        ss.PixelDropout,
        also={"per channel": ss.PixelDropout(0.2, per_channel=True, p=1)},
        tried=[ss.PixelDropout(0.3, fill=1), ss.PixelDropout(0.3, per_channel=True)],
        any_dtype=True,
        in_range=False,
        moves=[Moves(ss.PixelDropout(0.3, fill=200, mask_fill=7), COVERS)],
        drawn=NOISE,
        golden={
            "PixelDropout": Golden(ss.PixelDropout(0.1), SHAPE),
            "PixelDropout per channel": Golden(ss.PixelDropout(0.2, per_channel=True, fill=1), SHAPE),
        },
        picture="share=0.1",
        called=["PixelDropout"],
    ),
]
