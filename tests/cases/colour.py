"""Colour and tone."""

from __future__ import annotations

from itertools import combinations, permutations

import seedsafe as ss
from cases.case import GREY_OR_RGB, NOTHING, RGB, Case, Drawn, Golden, Memory
from cases.laws import IMAGE, normal, one_of, part, share, uniform, uniforms, where

__all__ = ["CASES", "TITLE"]

TITLE = "Colour and tone"
SHAPE = (19, 23, 3)
UINT8 = ss.Info(SHAPE, "uint8")
CASES = [
    Case(
        ss.ColorJitter,
        tried=[ss.ColorJitter(0.8, 0.8, 0.8, 0.2)],
        channels=GREY_OR_RGB,
        drawn=[
            Drawn(
                ss.ColorJitter(0.4, (0.1, 3.0), 0.2, 0.1),
                IMAGE,
                [
                    *uniforms((0.6, 1.4), (0.1, 3.0), (0.8, 1.2), (-0.1, 0.1)),
                    one_of(part(4), list(permutations(range(4)))),
                ],
            )
        ],
        golden={
            "ColorJitter": Golden(ss.ColorJitter(0.4, 0.4, 0.2, 0.1), UINT8),
            "ColorJitter ranges": Golden(
                ss.ColorJitter((0.5, 2.0), (0.1, 3.0), 0.0, (-0.5, 0.2), p=0.8), UINT8
            ),
        },
        picture="brightness=0.4, contrast=0.4, saturation=0.4, hue=0.1",
        called=["ColorJitter"],
    ),
    Case(
        ss.LinearColorJitter,
        tried=[ss.LinearColorJitter(0.4, 0.4, 0.4, 0.1)],
        channels=GREY_OR_RGB,
        drawn=[
            Drawn(
                ss.LinearColorJitter(0.4, (0.1, 3.0), 0.2, 0.1),
                IMAGE,
                uniforms((0.6, 1.4), (0.1, 3.0), (0.8, 1.2), (-0.1, 0.1)),
            )
        ],
        golden={"LinearColorJitter": Golden(ss.LinearColorJitter(0.4, 0.4, 0.2, 0.1), UINT8)},
        picture="brightness=0.4, contrast=0.4, saturation=0.4, hue=0.1",
    ),
    Case(
        ss.Gamma,
        tried=[ss.Gamma((0.5, 2.0))],
        drawn=[Drawn(ss.Gamma((0.5, 2.0)), IMAGE, uniforms((0.5, 2.0)))],
        golden={"Gamma": Golden(ss.Gamma((0.5, 2.0)), UINT8)},
        called=["RandomGamma"],
    ),
    Case(
        ss.RandomBrightnessContrast,
        tried=[ss.RandomBrightnessContrast(0.3, (-0.5, 0.2)), ss.RandomBrightnessContrast(by_max=False)],
        drawn=[
            Drawn(
                ss.RandomBrightnessContrast((-0.3, 0.1), 0.2),
                IMAGE,
                [uniform(part(0), 0.8, 1.2), uniform(part(1), -0.3, 0.1)],
            )
        ],
        golden={
            "RandomBrightnessContrast": Golden(ss.RandomBrightnessContrast(), SHAPE),
            "RandomBrightnessContrast by mean": Golden(
                ss.RandomBrightnessContrast(0.1, (-0.5, 0.3), by_max=False, p=0.5), UINT8
            ),
        },
        picture="brightness=0.4, contrast=0.4",
        called=["RandomBrightness", "RandomBrightnessContrast", "RandomContrast"],
    ),
    Case(
        ss.ToneCurve,
        also={"per channel": ss.ToneCurve(0.3, per_channel=True, p=1)},
        tried=[ss.ToneCurve(0.3), ss.ToneCurve(0.3, per_channel=True)],
        drawn=[
            Drawn(
                ss.ToneCurve(0.02, per_channel=True),
                IMAGE,
                [normal(part(0, 2), 0.25, 0.02), normal(part(1, 0), 0.75, 0.02)],
            )
        ],
        golden={
            "ToneCurve": Golden(ss.ToneCurve(), SHAPE),
            "ToneCurve per channel": Golden(ss.ToneCurve(0.3, per_channel=True), SHAPE),
        },
        picture="scale=0.3",
        called=["RandomToneCurve"],
    ),
    Case(
        ss.ChannelDropout,
        tried=[ss.ChannelDropout((1, 2), fill=1)],
        channels=RGB,
        any_dtype=True,
        in_range=False,
        drawn=[
            Drawn(
                ss.ChannelDropout((1, 2)),
                IMAGE,
                [
                    one_of(lambda drawn: len(drawn.dropped), (1, 2)),
                    where(lambda drawn: len(drawn.dropped) == 1, one_of(part(0), [(0,), (1,), (2,)])),
                    where(
                        lambda drawn: len(drawn.dropped) == 2,
                        one_of(part(0), list(combinations(range(3), 2))),
                    ),
                ],
            )
        ],
        golden={"ChannelDropout": Golden(ss.ChannelDropout((1, 2)), SHAPE)},
        called=["ChannelDropout"],
    ),
    Case(
        ss.ChannelShuffle,
        any_dtype=True,
        drawn=[Drawn(ss.ChannelShuffle(), IMAGE, [one_of(part(0), list(permutations(range(3))))])],
        golden={"ChannelShuffle": Golden(ss.ChannelShuffle(), SHAPE)},
        called=["ChannelShuffle"],
    ),
    Case(
        ss.FancyPCA,
        tried=[ss.FancyPCA(3.0)],
        drawn=[Drawn(ss.FancyPCA(0.3), IMAGE, [normal(part(0, 0), 0, 0.3), normal(part(0, 2), 0, 0.3)])],
        golden={"FancyPCA": Golden(ss.FancyPCA(), SHAPE)},
        picture="alpha=1",
        called=["FancyPCA"],
    ),
    Case(
        ss.RGBShift,
        channels=RGB,
        drawn=[Drawn(ss.RGBShift(20, (5, 30), 10), IMAGE, uniforms((-20, 20), (5, 30), (-10, 10)))],
        golden={"RGBShift": Golden(ss.RGBShift(), SHAPE)},
        called=["RGBShift"],
    ),
    Case(
        ss.ToGray,
        tried=[ss.ToGray(p=1)],
        channels=GREY_OR_RGB,
        drawn=NOTHING,
        golden={"ToGray": Golden(ss.ToGray(), UINT8)},
        picture="p=1",
        called=["ToGray"],
    ),
    Case(
        ss.ToSepia,
        tried=[ss.ToSepia(p=1)],
        channels=RGB,
        drawn=NOTHING,
        golden={"ToSepia": Golden(ss.ToSepia(), UINT8)},
        picture="p=1",
        called=["ToSepia"],
    ),
    Case(
        ss.HueSaturationValue,
        tried=[ss.HueSaturationValue(), ss.HueSaturationValue(0.015, 0.7, 0.4, fractional=True)],
        channels=GREY_OR_RGB,
        drawn=[Drawn(ss.HueSaturationValue(20, (5, 30), 10), IMAGE, uniforms((-20, 20), (5, 30), (-10, 10)))],
        golden={
            "HueSaturationValue": Golden(ss.HueSaturationValue(), SHAPE),
            "HueSaturationValue fractional": Golden(
                ss.HueSaturationValue(0.015, 0.7, 0.4, fractional=True), SHAPE
            ),
        },
        memory={"": Memory(kept=640 * 2**10, why="10 planes of up to 65536 pixels are kept")},
        called=["HueSaturationValue"],
    ),
    Case(
        ss.PhotoMetricDistortion,
        also={"more": ss.PhotoMetricDistortion(p=1)},
        channels=RGB,
        drawn=[
            Drawn(
                ss.PhotoMetricDistortion(step_p=0.3),
                IMAGE,
                [
                    share(lambda drawn: drawn.brightness != 0, 0.3),
                    where(lambda drawn: drawn.brightness != 0, uniform(part(0), -32, 32)),
                    share(lambda drawn: drawn.contrast != 1, 0.3),
                    where(lambda drawn: drawn.contrast != 1, uniform(part(1), 0.5, 1.5)),
                    share(lambda drawn: drawn.contrast_first, 0.5),
                    where(lambda drawn: drawn.saturation != 1, uniform(part(3), 0.5, 1.5)),
                    share(lambda drawn: drawn.saturation != 1, 0.3),
                    where(lambda drawn: drawn.hue != 0, uniform(part(4), -18, 18)),
                    share(lambda drawn: drawn.hue != 0, 0.3),
                    share(lambda drawn: drawn.order == (0, 1, 2), 0.7 + 0.3 / 6),
                    where(
                        lambda drawn: drawn.order != (0, 1, 2),
                        one_of(part(5), list(permutations(range(3)))[1:]),
                    ),
                ],
            )
        ],
        golden={"PhotoMetricDistortion": Golden(ss.PhotoMetricDistortion(), UINT8)},
        memory={"": Memory(kept=640 * 2**10, why="10 planes of up to 65536 pixels are kept")},
    ),
    Case(
        ss.CLAHE,
        tried=[ss.CLAHE(tiles=(2, 3))],
        channels=GREY_OR_RGB,
        drawn=[Drawn(ss.CLAHE((1, 4)), IMAGE, uniforms((1, 4)))],
        golden={"CLAHE": Golden(ss.CLAHE(), SHAPE)},
        called=["CLAHE"],
    ),
    Case(
        ss.AutoContrast,
        also={"cutoff": ss.AutoContrast(cutoff=5, p=1)},
        tried=[ss.AutoContrast(p=1), ss.AutoContrast(cutoff=5, p=1)],
        drawn=NOTHING,
        golden={"AutoContrast": Golden(ss.AutoContrast(cutoff=2), SHAPE)},
        picture="p=1, cutoff=5",
        called=["AutoContrast"],
    ),
    Case(
        ss.Equalize,
        also={"opencv": ss.Equalize(method="opencv", p=1)},
        tried=[ss.Equalize(p=1), ss.Equalize(method="opencv", p=1)],
        drawn=NOTHING,
        golden={
            "Equalize": Golden(ss.Equalize(), SHAPE),
            "Equalize opencv": Golden(ss.Equalize(method="opencv"), SHAPE),
        },
        picture="p=1",
        called=["Equalize"],
    ),
    Case(
        ss.Invert,
        tried=[ss.Invert(p=1)],
        drawn=NOTHING,
        golden={"Invert": Golden(ss.Invert(), SHAPE)},
        called=["InvertImg"],
    ),
    Case(
        ss.Posterize,
        tried=[ss.Posterize((1, 7), p=1)],
        drawn=[Drawn(ss.Posterize((1, 7)), IMAGE, [one_of(part(0), range(1, 8))])],
        golden={"Posterize": Golden(ss.Posterize((1, 7), p=0.7), SHAPE)},
        picture="bits=2, p=1",
        called=["Posterize"],
    ),
    Case(
        ss.Solarize,
        also={"more": ss.Solarize((0.2, 0.8), p=1)},
        tried=[ss.Solarize((0.2, 0.8), p=1)],
        drawn=[Drawn(ss.Solarize((0.2, 0.8)), IMAGE, uniforms((0.2, 0.8)))],
        golden={"Solarize": Golden(ss.Solarize((0.2, 0.8), p=0.7), SHAPE)},
        called=["Solarize"],
    ),
]
