"""Noise and quality."""

from __future__ import annotations

import seedsafe as ss
from cases.case import GREY_OR_RGB, RGB, Case, Drawn, Golden
from cases.laws import IMAGE, one_of, part, uniform, uniforms

__all__ = ["CASES", "TITLE"]

TITLE = "Noise and quality"
SHAPE = (19, 23, 3)
UINT8 = ss.Info(SHAPE, "uint8")
CASES = [
    Case(
        ss.GaussianNoise,
        also={"of pixels": ss.GaussianNoise((1, 5), per_channel=False), "strong": ss.GaussianNoise((50, 60))},
        of_audio=[ss.GaussianNoise(std=0.1)],
        tried=[
            ss.GaussianNoise(std=(1, 9)),
            ss.GaussianNoise((5, 20), per_channel=False),
            ss.GaussianNoise(variance=(10, 50)),
        ],
        in_range=False,
        drawn=[
            Drawn(ss.GaussianNoise((1, 9)), IMAGE, uniforms((1, 9))),
            Drawn(ss.GaussianNoise(variance=(10, 50)), IMAGE, [uniform(lambda drawn: drawn.std**2, 10, 50)]),
        ],
        golden={
            "GaussianNoise": Golden(ss.GaussianNoise(std=(1, 12), p=0.8), (37, 53, 3)),
            "GaussianNoise variance": Golden(ss.GaussianNoise(variance=(10, 50)), SHAPE),
            "GaussianNoise of pixels": Golden(ss.GaussianNoise((0.1, 5), per_channel=False, p=0.7), SHAPE),
        },
        picture="std=(10, 40)",
        called=["GaussNoise", "IAAAdditiveGaussianNoise"],
    ),
    Case(
        ss.ISONoise,
        channels=RGB,
        drawn=[Drawn(ss.ISONoise((0.01, 0.05), (0.1, 0.5)), IMAGE, uniforms((0.01, 0.05), (0.1, 0.5)))],
        golden={"ISONoise": Golden(ss.ISONoise(), SHAPE)},
        picture="color_shift=(0.05, 0.1), intensity=(0.5, 1)",
        called=["ISONoise"],
    ),
    Case(
        ss.MultiplicativeNoise,
        also={
            "per pixel": ss.MultiplicativeNoise(per_pixel=True, p=1),
            "per value": ss.MultiplicativeNoise(per_pixel=True, per_channel=True, p=1),
        },
        tried=[
            ss.MultiplicativeNoise(),
            ss.MultiplicativeNoise((0.5, 1.5), per_channel=True),
            ss.MultiplicativeNoise((0.5, 1.5), per_pixel=True),
            ss.MultiplicativeNoise((0.5, 1.5), per_channel=True, per_pixel=True),
        ],
        drawn=[
            Drawn(
                ss.MultiplicativeNoise((0.5, 1.5), per_channel=True),
                IMAGE,
                [uniform(part(0, 0), 0.5, 1.5), uniform(part(0, 2), 0.5, 1.5)],
            )
        ],
        golden={
            "MultiplicativeNoise": Golden(ss.MultiplicativeNoise(), SHAPE),
            "MultiplicativeNoise per channel": Golden(
                ss.MultiplicativeNoise((0.5, 1.5), per_channel=True, p=0.8), SHAPE
            ),
            "MultiplicativeNoise per pixel": Golden(ss.MultiplicativeNoise(per_pixel=True), SHAPE),
        },
        picture="factor=(0.5, 1.5), per_pixel=True",
        called=["MultiplicativeNoise"],
    ),
    Case(
        ss.SaltAndPepper,
        also={"strong": ss.SaltAndPepper((0.5, 0.9), p=1)},
        tried=[ss.SaltAndPepper(0.2)],
        drawn=[
            Drawn(
                ss.SaltAndPepper((0.1, 0.3), (0.2, 0.8)),
                IMAGE,
                [
                    uniform(lambda drawn: drawn.salt + drawn.pepper, 0.1, 0.3),
                    uniform(lambda drawn: drawn.salt / (drawn.salt + drawn.pepper), 0.2, 0.8),
                ],
            )
        ],
        golden={"SaltAndPepper": Golden(ss.SaltAndPepper((0.1, 0.3)), SHAPE)},
        called=["SaltAndPepper"],
    ),
    Case(
        ss.ShotNoise,
        tried=[ss.ShotNoise(), ss.ShotNoise(0.01)],
        drawn=[Drawn(ss.ShotNoise((0.1, 0.3)), IMAGE, uniforms((0.1, 0.3)))],
        golden={"ShotNoise": Golden(ss.ShotNoise(), SHAPE)},
        called=["ShotNoise"],
    ),
    Case(
        ss.Downscale,
        also={"smooth": ss.Downscale((0.2, 0.9), down="area", up="bilinear", p=1)},
        tried=[ss.Downscale((0.2, 0.9)), ss.Downscale(0.5, down="area", up="bilinear")],
        drawn=[Drawn(ss.Downscale((0.2, 0.9)), IMAGE, uniforms((0.2, 0.9)))],
        golden={
            "Downscale": Golden(ss.Downscale((0.2, 0.9)), SHAPE),
            "Downscale smooth": Golden(ss.Downscale((0.2, 0.5), down="area", up="bilinear"), UINT8),
        },
        called=["Downscale"],
    ),
    Case(
        ss.ImageCompression,
        also={"webp": ss.ImageCompression((5, 20), file_format="webp", p=1)},
        tried=[ss.ImageCompression((10, 90)), ss.ImageCompression(40, file_format="webp")],
        channels=GREY_OR_RGB,
        drawn=[Drawn(ss.ImageCompression((5, 30)), IMAGE, [one_of(part(0), range(5, 31))])],
        golden={
            "ImageCompression": Golden(ss.ImageCompression(), SHAPE),
            "ImageCompression webp": Golden(ss.ImageCompression((5, 20), file_format="webp", p=0.5), SHAPE),
        },
        picture="quality=(5, 30)",
        called=["ImageCompression", "JpegCompression"],
    ),
]
