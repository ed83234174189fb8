"""Geometry."""

from __future__ import annotations

from typing import Any

import seedsafe as ss
from cases.case import AROUND, REPEATS, Case, Drawn, Golden, Memory, Moves
from cases.laws import IMAGE, folded, one_of, part, uniform, uniforms

__all__ = ["CASES", "TITLE"]

TITLE = "Geometry"
SHAPE = (37, 53, 3)
PLACES = 576 * 2**10
WHY = "places are worked out for 8192 pixels at once, in float64, whatever the image's size"


def both(name: str, kind: Any, **options: Any) -> dict[str, Golden]:
    """Return a golden pipeline with and without interpolation: OpenCV interpolates otherwise from build to build."""
    return {
        name: Golden(kind(**options), SHAPE),
        f"{name}, nearest": Golden(kind(**options, interpolation="nearest"), SHAPE),
    }


CASES = [
    Case(
        ss.Affine,
        also={
            "expand": ss.Affine(30, expand=True, p=1),
            "nearest": ss.Affine(30, interpolation="nearest", p=1),
        },
        moves=[
            Moves(ss.Affine(30, translate=0.1, scale=(0.8, 1.3), shear=10), AROUND),
            Moves(ss.Affine(90, expand=True, rotate_method="ellipse"), AROUND),
            Moves(ss.Affine.shift_scale_rotate(), AROUND),
            Moves(
                ss.Affine(
                    mode="reflect", translate=0.2, shear=((-5, 5), (-5, 5)), scale=((1, 1.2), (0.9, 1))
                ),
                REPEATS,
            ),
        ],
        drawn=[
            Drawn(
                ss.Affine(30, translate=(0.1, 0.2), scale=(0.8, 1.2), shear=((-5, 5), (0, 9))),
                IMAGE,
                [
                    uniform(part(2), -30, 30),
                    uniform(part(3, 0), -30, 30),
                    uniform(part(3, 1), -40, 40),
                    uniform(part(4, 0), 0.8, 1.2),
                    uniform(part(4, 1), 0.8, 1.2),
                    uniform(part(5, 0), -5, 5),
                    uniform(part(5, 1), 0, 9),
                ],
            ),
            Drawn(
                ss.Affine(scale=((1, 2), (0.5, 1))),
                IMAGE,
                [uniform(part(4, 0), 1, 2), uniform(part(4, 1), 0.5, 1)],
            ),
        ],
        golden={
            **both("Affine", ss.Affine, degrees=30, translate=0.1, scale=(0.8, 1.2), shear=10),
            **both(
                "Affine each axis",
                ss.Affine,
                translate=(0.1, 0),
                scale=((1, 2), (0.5, 1)),
                shear=((-5, 5), (0, 9)),
                expand=True,
            ),
            **both("Affine reflect", ss.Affine, degrees=180, mode="reflect", p=0.7),
            "Affine.shift_scale_rotate": Golden(ss.Affine.shift_scale_rotate(p=0.7), SHAPE),
        },
        picture="degrees=20, translate=(0.1, 0.1), scale=(0.8, 1.2), shear=10",
        memory={"": Memory(warped=True), "nearest": Memory(more=PLACES, warped=True, why=WHY)},
        called=["Affine", "IAAAffine", "ShiftScaleRotate"],
    ),
    Case(
        ss.Rotate,
        moves=[Moves(ss.Rotate(180), AROUND), Moves(ss.Rotate(20, crop_border=True), AROUND)],
        drawn=[Drawn(ss.Rotate(75), IMAGE, [uniform(part(2), -75, 75)])],
        golden={
            **both("Rotate", ss.Rotate, degrees=180),
            **both("Rotate expand", ss.Rotate, degrees=45, expand=True),
            **both("Rotate crop_border", ss.Rotate, degrees=45, crop_border=True),
        },
        memory={"": Memory(warped=True)},
        called=["Rotate", "SafeRotate"],
    ),
    Case(
        ss.Perspective,
        moves=[
            Moves(ss.Perspective(p=1), AROUND),
            Moves(ss.Perspective((0.05, 0.1), fit_output=True, keep_size=False, p=1), AROUND),
            Moves(ss.Perspective(distortion_scale=0.4, p=1), AROUND),
        ],
        drawn=[
            Drawn(
                ss.Perspective((0.05, 0.05)),
                IMAGE,
                [
                    lambda drawn, spare: folded(drawn.corners[0][0] / 300),
                    lambda drawn, spare: folded(drawn.corners[0][1] / 200),
                    lambda drawn, spare: folded(1 - drawn.corners[2][0] / 300),
                    lambda drawn, spare: folded(1 - drawn.corners[2][1] / 200),
                ],
            ),
            Drawn(
                ss.Perspective(distortion_scale=0.5),
                IMAGE,
                [
                    one_of(part(2, 0, 0), range(76)),
                    one_of(part(2, 0, 1), range(51)),
                    one_of(part(2, 3, 0), range(76)),
                ],
            ),
        ],
        golden={
            **both("Perspective", ss.Perspective),
            **both(
                "Perspective fit_output",
                ss.Perspective,
                scale=(0.1, 0.2),
                fit_output=True,
                keep_size=False,
                p=1,
            ),
            **both("Perspective distortion_scale", ss.Perspective, distortion_scale=0.9, p=1),
        },
        picture="scale=(0.1, 0.2), p=1",
        memory={"": Memory(warped=True)},
        called=["IAAPerspective", "Perspective"],
    ),
    Case(
        ss.GridDistortion,
        moves=[
            Moves(ss.GridDistortion(p=1), AROUND),
            Moves(ss.GridDistortion(3, distort_limit=(-0.2, 0.5), normalized=False, p=1), AROUND),
        ],
        drawn=[
            Drawn(
                ss.GridDistortion(3, distort_limit=(-0.5, 0.3), normalized=False),
                IMAGE,
                [
                    uniform(lambda drawn: (drawn.across[1] - drawn.across[0]) / 100, 0.5, 1.3),
                    uniform(lambda drawn: (drawn.down[3] - drawn.down[2]) * 3 / 200, 0.5, 1.3),
                ],
            )
        ],
        golden={
            **both("GridDistortion", ss.GridDistortion, p=1),
            **both("GridDistortion not normalized", ss.GridDistortion, num_steps=3, normalized=False, p=1),
        },
        picture="p=1",
        memory={"": Memory(warped=True)},
        called=["GridDistortion"],
    ),
    Case(
        ss.OpticalDistortion,
        moves=[
            Moves(ss.OpticalDistortion(0.5, p=1), AROUND),
            Moves(ss.OpticalDistortion((-0.2, 0.5), lens="fisheye", p=1), AROUND),
        ],
        drawn=[Drawn(ss.OpticalDistortion((-0.4, 0.5)), IMAGE, uniforms((-0.4, 0.5)))],
        golden={
            **both("OpticalDistortion", ss.OpticalDistortion, distort_limit=0.5, p=1),
            **both(
                "OpticalDistortion fisheye", ss.OpticalDistortion, distort_limit=0.5, lens="fisheye", p=0.6
            ),
        },
        picture="distort_limit=0.5, p=1",
        memory={"": Memory(more=PLACES, warped=True, why=WHY)},
        called=["OpticalDistortion"],
    ),
    Case(
        ss.ElasticTransform,
        also={
            "more": ss.ElasticTransform(120, 6, p=1),
            "nearest": ss.ElasticTransform(120, 6, interpolation="nearest", p=1),
            "repeat_edges": ss.ElasticTransform(90, 6, repeat_edges=True, p=1),
        },
        moves=[Moves(ss.ElasticTransform(90, 6, p=1), AROUND)],
        drawn=[Drawn(ss.ElasticTransform((50, 150), (4, 8)), IMAGE, uniforms((50, 150), (4, 8)))],
        golden={
            **both("ElasticTransform", ss.ElasticTransform, alpha=(50, 150), sigma=(4, 8), p=1),
            **both("ElasticTransform same_dxdy", ss.ElasticTransform, alpha=30, sigma=2, same_dxdy=True, p=1),
            **both(
                "ElasticTransform repeat_edges",
                ss.ElasticTransform,
                alpha=90,
                sigma=6,
                repeat_edges=True,
                p=1,
            ),
        },
        picture="alpha=400, sigma=8, p=1",
        memory={"": Memory(more=PLACES, warped=True, why=WHY)},
        called=["ElasticTransform"],
    ),
    Case(
        ss.PiecewiseAffine,
        moves=[Moves(ss.PiecewiseAffine((0.02, 0.04), p=1), AROUND)],
        drawn=[
            Drawn(
                ss.PiecewiseAffine((0.03, 0.05), nb_rows=(3, 6), nb_cols=(2, 4)),
                IMAGE,
                [
                    uniform(part(0), 0.03, 0.05),
                    one_of(part(1, 0), range(3, 7)),
                    one_of(part(1, 1), range(2, 5)),
                ],
            )
        ],
        golden={**both("PiecewiseAffine", ss.PiecewiseAffine, nb_rows=(3, 6), p=1)},
        picture="p=1",
        memory={"": Memory(more=PLACES, warped=True, why=WHY)},
        called=["IAAPiecewiseAffine", "PiecewiseAffine"],
    ),
]
