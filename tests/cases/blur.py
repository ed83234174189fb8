"""Blur and sharpness."""

from __future__ import annotations

import seedsafe as ss
from cases.case import NOISE, Case, Drawn, Golden, Memory
from cases.laws import IMAGE, ODD, one_of, part, uniform, uniforms

__all__ = ["CASES", "TITLE"]

TITLE = "Blur and sharpness"
SHAPE = (19, 23, 3)
UINT8 = ss.Info(SHAPE, "uint8")
CASES = [
    Case(
        ss.Blur,
        tried=[ss.Blur((3, 7)), ss.Blur(1)],
        drawn=[Drawn(ss.Blur((3, 9)), IMAGE, [one_of(part(0), ODD)])],
        golden={"Blur": Golden(ss.Blur(), UINT8)},
        picture="size=(5, 13)",
        called=["Blur"],
    ),
    Case(
        ss.GaussianBlur,
        tried=[ss.GaussianBlur(), ss.GaussianBlur((3, 7), (0.1, 2.0)), ss.GaussianBlur(5, 0.0)],
        drawn=[
            Drawn(ss.GaussianBlur((3, 9), (0.5, 3)), IMAGE, [one_of(part(0), ODD), uniform(part(1), 0.5, 3)])
        ],
        golden={
            "GaussianBlur": Golden(ss.GaussianBlur(), UINT8),
            "GaussianBlur sizes": Golden(ss.GaussianBlur((3, 9), (0.5, 3.0), p=0.7), UINT8),
        },
        picture="sigma=(0.5, 4)",
        called=["GaussianBlur"],
    ),
    Case(
        ss.GlassBlur,
        also={"swap": ss.GlassBlur(swap=True, p=1)},
        tried=[ss.GlassBlur(), ss.GlassBlur(swap=True)],
        drawn=NOISE,
        golden={
            "GlassBlur": Golden(ss.GlassBlur(), UINT8),
            "GlassBlur swap": Golden(ss.GlassBlur(swap=True), UINT8),
        },
        memory={
            "swap": Memory(
                more=12 * 256 * 256,
                why="which of two comes last is known when all have moved: 12 bytes a pixel",
            )
        },
        called=["GlassBlur"],
    ),
    Case(
        ss.MedianBlur,
        also={"wide": ss.MedianBlur((7, 9), p=1)},
        tried=[ss.MedianBlur(3), ss.MedianBlur(7)],
        drawn=[Drawn(ss.MedianBlur((3, 9)), IMAGE, [one_of(part(0), ODD)])],
        golden={"MedianBlur": Golden(ss.MedianBlur(), UINT8)},
        picture="size=(5, 9)",
        called=["MedianBlur"],
    ),
    Case(
        ss.AdvancedBlur,
        drawn=[
            Drawn(
                ss.AdvancedBlur(
                    size=(3, 9), sigma_x=(0.2, 1.0), sigma_y=(0.5, 2.0), angle=(-90, 90), beta=(0.5, 8.0)
                ),
                IMAGE,
                [
                    one_of(part(0), ODD),
                    uniform(part(1, 0), 0.2, 1.0),
                    uniform(part(1, 1), 0.5, 2.0),
                    uniform(part(2), -90, 90),
                    lambda drawn, spare: (
                        drawn.beta - 0.5 if drawn.beta < 1 else 0.5 + (drawn.beta - 1.0) / 14.0
                    ),
                ],
            )
        ],
        golden={"AdvancedBlur": Golden(ss.AdvancedBlur(), SHAPE)},
        picture="size=(7, 13), sigma_x=(2, 5), sigma_y=(2, 5)",
        called=["AdvancedBlur"],
    ),
    Case(
        ss.Defocus,
        tried=[ss.Defocus((2, 9))],
        drawn=[
            Drawn(
                ss.Defocus((2, 8), blur=(0.1, 0.5)),
                IMAGE,
                [one_of(part(0), range(2, 9)), uniform(part(1), 0.1, 0.5)],
            )
        ],
        golden={"Defocus": Golden(ss.Defocus(), SHAPE)},
        called=["Defocus"],
    ),
    Case(
        ss.MotionBlur,
        tried=[ss.MotionBlur(), ss.MotionBlur(9, angle=30, direction=0.5, shifted=False)],
        drawn=[
            Drawn(
                ss.MotionBlur((3, 9), angle=(10, 50), direction=(-0.5, 1)),
                IMAGE,
                [
                    one_of(part(0), ODD),
                    uniform(part(1), 10, 50),
                    uniform(part(2), -0.5, 1),
                    lambda drawn, spare: drawn.shift[0] / (drawn.size // 2) + 0.5,
                    lambda drawn, spare: drawn.shift[1] / (drawn.size // 2) + 0.5,
                ],
            )
        ],
        golden={
            "MotionBlur": Golden(ss.MotionBlur(), SHAPE),
            "MotionBlur in the middle": Golden(
                ss.MotionBlur((5, 15), angle=(-45, 45), direction=0, shifted=False, p=0.5), SHAPE
            ),
        },
        picture="size=(7, 15)",
        called=["MotionBlur"],
    ),
    Case(
        ss.Emboss,
        drawn=[Drawn(ss.Emboss((0.2, 0.5), (0.2, 0.7)), IMAGE, uniforms((0.2, 0.5), (0.2, 0.7)))],
        golden={"Emboss": Golden(ss.Emboss(), SHAPE)},
        called=["Emboss", "IAAEmboss"],
    ),
    Case(
        ss.Sharpen,
        drawn=[Drawn(ss.Sharpen((0.2, 0.5), (0.5, 1)), IMAGE, uniforms((0.2, 0.5), (0.5, 1)))],
        golden={"Sharpen": Golden(ss.Sharpen(), SHAPE)},
        called=["IAASharpen", "Sharpen"],
    ),
]
