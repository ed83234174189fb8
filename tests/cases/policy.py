"""Policies."""

from __future__ import annotations

import seedsafe as ss
from cases.case import AROUND, GREY_OR_RGB, RECOLOURS, Case, Drawn, Golden, Memory, Moves
from cases.laws import IMAGE, normal, one_of, share, uniform

__all__ = ["CASES", "TITLE"]

TITLE = "Policies"
SHAPE = (37, 53, 3)
MEMORY = {"": Memory(more=6 * 2**20, why="Pillow's steps are worked out in numbers of 4 or 8 bytes")}
COLOURS = ("Brightness", "Color", "Contrast", "Sharpness")
CHAINED = [
    *("AutoContrast", "Equalize", "Posterize", "Solarize"),
    *("Rotate", "ShearX", "ShearY", "TranslateX", "TranslateY"),
]

OPS = (*CHAINED, *COLOURS, "Identity", "Invert", "SolarizeAdd")


CASES = [
    Case(
        ss.AugMix,
        also={
            "nearest": ss.AugMix(interpolation="nearest"),
            "deep": ss.AugMix(10, mixture_width=2, chain_depth=4, alpha=0.3),
        },
        drawn=[
            Drawn(
                ss.AugMix(mixture_width=2, chain_depth=1),
                IMAGE,
                [
                    uniform(lambda drawn: drawn.kept, 0, 1),
                    uniform(lambda drawn: drawn.weights[0] / (1 - drawn.kept), 0, 1),
                    one_of(lambda drawn: drawn.branches[1][0].op, (*CHAINED, *COLOURS)),
                ],
            ),
            Drawn(
                ss.AugMix(mixture_width=2), IMAGE, [one_of(lambda drawn: len(drawn.branches[0]), (1, 2, 3))]
            ),
        ],
        golden={
            "AugMix": Golden(ss.AugMix(), SHAPE),
            "AugMix, options": Golden(
                ss.AugMix(
                    5,
                    mixture_width=2,
                    chain_depth=2,
                    alpha=0.4,
                    all_ops=False,
                    interpolation="bicubic",
                    fill=1,
                    p=0.8,
                ),
                SHAPE,
            ),
        },
        channels=GREY_OR_RGB,
        alone=True,
        picture="severity=8",
        memory=MEMORY,
    ),
    Case(
        ss.AutoAugment,
        also={"svhn": ss.AutoAugment("svhn", interpolation="bilinear")},
        moves=[Moves(ss.AutoAugment("svhn"), RECOLOURS)],
        drawn=[Drawn(ss.AutoAugment("svhn"), IMAGE, [share(lambda drawn: len(drawn) == 2, 0.4104)])],
        golden={
            "AutoAugment": Golden(ss.AutoAugment(), SHAPE),
            "AutoAugment cifar10": Golden(ss.AutoAugment("cifar10", p=0.9), SHAPE),
            "AutoAugment svhn": Golden(ss.AutoAugment("svhn", fill=(1, 0, 1)), SHAPE),
        },
        channels=GREY_OR_RGB,
        picture='"svhn"',
        memory=MEMORY,
    ),
    Case(
        ss.PolicyOp,
        arguments={"op": "Rotate"},
        also={
            "bicubic": ss.PolicyOp("ShearX", interpolation="bicubic"),
            "bilinear": ss.PolicyOp("Rotate", interpolation="bilinear"),
            "normal": ss.PolicyOp(
                "TranslateX", (0, 0.45), level=9, std=0.5, interpolation=("bilinear", "bicubic")
            ),
            **{op: ss.PolicyOp(op) for op in (*COLOURS, "Posterize", "Solarize", "SolarizeAdd", "Equalize")},
        },
        moves=[
            Moves(ss.PolicyOp(op), AROUND)
            for op in ("Rotate", "ShearX", "ShearY", "TranslateX", "TranslateY")
        ],
        drawn=[
            Drawn(
                ss.PolicyOp(op, bins=7),
                IMAGE,
                [one_of(lambda drawn, most=most: round(abs(drawn.amount) / most * 6), range(7))],
            )
            for op, most in {"Rotate": 30.0, "Color": 0.9, "ShearX": 0.3}.items()
        ]
        + [
            Drawn(
                ss.PolicyOp("Rotate", level=10, std=float("inf"), signed=False),
                IMAGE,
                [uniform(lambda drawn: drawn.amount, 0, 30)],
            ),
            Drawn(
                ss.PolicyOp("Rotate", level=500, std=20.0, most=1000, interpolation=("bilinear", "bicubic")),
                IMAGE,
                [
                    normal(lambda drawn: abs(drawn.amount), 1500, 60),
                    one_of(lambda drawn: drawn.amount > 0, (False, True)),
                    one_of(lambda drawn: drawn.interpolation, ("bilinear", "bicubic")),
                ],
            ),
        ],
        golden={
            **{f"PolicyOp {op}": Golden(ss.PolicyOp(op), SHAPE) for op in OPS},
            "PolicyOp bicubic": Golden(ss.PolicyOp("Rotate", interpolation="bicubic", fill=1), SHAPE),
            "PolicyOp normal": Golden(
                ss.PolicyOp("Rotate", level=9, std=0.5, p=0.5, interpolation=("bilinear", "bicubic")), SHAPE
            ),
            "PolicyOp even": Golden(ss.PolicyOp("Color", level=9, std=float("inf")), SHAPE),
        },
        channels=GREY_OR_RGB,
        picture='"Rotate"',
        memory=MEMORY,
    ),
    Case(
        ss.RandAugment,
        drawn="what it chooses: test_image_policy.py",
        golden={
            "RandAugment": Golden(ss.RandAugment(), SHAPE),
            "RandAugment, options": Golden(
                ss.RandAugment(3, 14, bins=20, interpolation="bilinear", fill=(1, 0, 1), p=0.9), SHAPE
            ),
        },
        channels=GREY_OR_RGB,
        holds=True,
        picture="2, 15",
    ),
    Case(
        ss.TrivialAugmentWide,
        drawn="what it chooses: test_image_policy.py",
        golden={"TrivialAugmentWide": Golden(ss.TrivialAugmentWide(), SHAPE)},
        channels=GREY_OR_RGB,
        holds=True,
        picture="31",
    ),
]
