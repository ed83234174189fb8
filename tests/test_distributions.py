"""What transforms draw follows the law that they document: every parameter of every one, by Kolmogorov and Smirnov's test.

A law is given as a function of the parameters whose value is uniform in [0, 1] where the law holds: the law's own
distribution function. Whole numbers are spread over their share of that range, so that one test does for both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from scipy import stats
from test_subclasses import PUBLIC

import seedsafe as ss
from seedsafe.keys.draws import PooledDraws
from seedsafe.keys.key import op_of

Law = Callable[[Any, float], float | None]
"""Gives a number that is uniform in [0, 1] of what was drawn and a uniform number; None of what the law says nothing about."""

IMAGE, LARGE, AUDIO = (
    ss.Info((200, 300, 3), "uint8"),
    ss.Info((30000, 40000, 3), "uint8"),
    ss.Info((2, 300), "float32"),
)
BOXED = ss.Info((30000, 40000, 3), "uint8", np.array([[10000.0, 9000.0, 30000.0, 24000.0]]))


def uniform(of: Callable[[Any], float], low: float, high: float) -> Law:
    """A number between two."""
    return lambda drawn, spare: (of(drawn) - low) / (high - low)


def log_uniform(of: Callable[[Any], float], low: float, high: float) -> Law:
    """A number whose logarithm lies evenly between two."""
    return lambda drawn, spare: math.log(of(drawn) / low) / math.log(high / low)


def normal(of: Callable[[Any], float], mean: float, deviation: float) -> Law:
    """A normal number."""
    return lambda drawn, spare: 0.5 * math.erfc((mean - of(drawn)) / (deviation * math.sqrt(2.0)))


def one_of(of: Callable[[Any], Any], values: Sequence[Any]) -> Law:
    """One of several, each as often as the others."""
    places = {value: k for k, value in enumerate(values)}
    return lambda drawn, spare: (places[of(drawn)] + spare) / len(places)


def below(of: Callable[[Any], int], count: Callable[[Any], int]) -> Law:
    """A whole number from 0 to below another, which is drawn too."""
    return lambda drawn, spare: (of(drawn) + spare) / count(drawn)


def where(holds: Callable[[Any], bool], law: Law) -> Law:
    """A law of some of what is drawn."""
    return lambda drawn, spare: law(drawn, spare) if holds(drawn) else None


def share(holds: Callable[[Any], bool], wanted: float) -> Law:
    """What holds for a share of all."""
    return lambda drawn, spare: wanted * spare if holds(drawn) else wanted + (1.0 - wanted) * spare


def part(*places: int) -> Callable[[Any], Any]:
    """Return what takes a part of what was drawn, by its places."""

    def taken(drawn: Any) -> Any:
        for place in places:
            drawn = drawn[place]
        return drawn

    return taken


def window(rows: int, columns: int) -> list[Law]:
    """A window (top, left, height, width) anywhere in an image."""
    return [below(part(0), lambda w: rows - w[2] + 1), below(part(1), lambda w: columns - w[3] + 1)]


def hole(rows: int, columns: int) -> list[Law]:
    """The first rectangle x0, y0, x1, y1 anywhere in an image."""
    return [
        below(part(0, 0, 0), lambda h: columns - (h[0][0][2] - h[0][0][0]) + 1),
        below(part(0, 0, 1), lambda h: rows - (h[0][0][3] - h[0][0][1]) + 1),
    ]


def folded(distance: float) -> float:
    """The share of normal distances below one, 0.05 wide."""
    return math.erf(distance / (0.05 * math.sqrt(2.0)))


def uniforms(*limits: tuple[float, float]) -> list[Law]:
    return [uniform(part(k), *pair) for k, pair in enumerate(limits)]


ODD = (3, 5, 7, 9)
CASES: list[tuple[ss.Transform, ss.Info, list[Law]]] = [
    (ss.Amplitude((0.5, 2.0)), AUDIO, uniforms((0.5, 2.0))),
    (ss.RandomSegment(100), AUDIO, [one_of(part(0), range(201))]),
    (
        ss.AdvancedBlur(
            size=(3, 9), sigma_x=(0.2, 1.0), sigma_y=(0.5, 2.0), angle=(-90, 90), beta=(0.5, 8.0)
        ),
        IMAGE,
        [
            one_of(part(0), ODD),
            uniform(part(1, 0), 0.2, 1.0),
            uniform(part(1, 1), 0.5, 2.0),
            uniform(part(2), -90, 90),
            lambda drawn, spare: drawn.beta - 0.5 if drawn.beta < 1 else 0.5 + (drawn.beta - 1.0) / 14.0,
        ],
    ),
    (
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
    (
        ss.Affine(scale=((1, 2), (0.5, 1))),
        IMAGE,
        [uniform(part(4, 0), 1, 2), uniform(part(4, 1), 0.5, 1)],
    ),
    (ss.Rotate(75), IMAGE, [uniform(part(2), -75, 75)]),
    (ss.Blur((3, 9)), IMAGE, [one_of(part(0), ODD)]),
    (ss.MedianBlur((3, 9)), IMAGE, [one_of(part(0), ODD)]),
    (ss.GaussianBlur((3, 9), (0.5, 3)), IMAGE, [one_of(part(0), ODD), uniform(part(1), 0.5, 3)]),
    (
        ss.MotionBlur((3, 9), angle=(10, 50), direction=(-0.5, 1)),
        IMAGE,
        [
            one_of(part(0), ODD),
            uniform(part(1), 10, 50),
            uniform(part(2), -0.5, 1),
            lambda drawn, spare: drawn.shift[0] / (drawn.size // 2) + 0.5,
            lambda drawn, spare: drawn.shift[1] / (drawn.size // 2) + 0.5,
        ],
    ),
    (ss.Defocus((2, 8), blur=(0.1, 0.5)), IMAGE, [one_of(part(0), range(2, 9)), uniform(part(1), 0.1, 0.5)]),
    (ss.Sharpen((0.2, 0.5), (0.5, 1)), IMAGE, uniforms((0.2, 0.5), (0.5, 1))),
    (ss.Emboss((0.2, 0.5), (0.2, 0.7)), IMAGE, uniforms((0.2, 0.5), (0.2, 0.7))),
    (ss.CLAHE((1, 4)), IMAGE, uniforms((1, 4))),
    (
        ss.ChannelDropout((1, 2)),
        IMAGE,
        [
            one_of(lambda drawn: len(drawn.dropped), (1, 2)),
            where(lambda drawn: len(drawn.dropped) == 1, one_of(part(0), [(0,), (1,), (2,)])),
            where(lambda drawn: len(drawn.dropped) == 2, one_of(part(0), list(combinations(range(3), 2)))),
        ],
    ),
    (ss.ChannelShuffle(), IMAGE, [one_of(part(0), list(permutations(range(3))))]),
    (
        ss.ColorJitter(0.4, (0.1, 3.0), 0.2, 0.1),
        IMAGE,
        [
            *uniforms((0.6, 1.4), (0.1, 3.0), (0.8, 1.2), (-0.1, 0.1)),
            one_of(part(4), list(permutations(range(4)))),
        ],
    ),
    (
        ss.LinearColorJitter(0.4, (0.1, 3.0), 0.2, 0.1),
        IMAGE,
        uniforms((0.6, 1.4), (0.1, 3.0), (0.8, 1.2), (-0.1, 0.1)),
    ),
    (
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
            where(lambda drawn: drawn.order != (0, 1, 2), one_of(part(5), list(permutations(range(3)))[1:])),
        ],
    ),
    (ss.HueSaturationValue(20, (5, 30), 10), IMAGE, uniforms((-20, 20), (5, 30), (-10, 10))),
    (ss.RGBShift(20, (5, 30), 10), IMAGE, uniforms((-20, 20), (5, 30), (-10, 10))),
    (
        ss.RandomBrightnessContrast((-0.3, 0.1), 0.2),
        IMAGE,
        [uniform(part(0), 0.8, 1.2), uniform(part(1), -0.3, 0.1)],
    ),
    (ss.Gamma((0.5, 2.0)), IMAGE, uniforms((0.5, 2.0))),
    (ss.Solarize((0.2, 0.8)), IMAGE, uniforms((0.2, 0.8))),
    (ss.Posterize((1, 7)), IMAGE, [one_of(part(0), range(1, 8))]),
    (
        ss.ToneCurve(0.02, per_channel=True),
        IMAGE,
        [normal(part(0, 2), 0.25, 0.02), normal(part(1, 0), 0.75, 0.02)],
    ),
    (ss.FancyPCA(0.3), IMAGE, [normal(part(0, 0), 0, 0.3), normal(part(0, 2), 0, 0.3)]),
    (ss.GaussianNoise((1, 9)), IMAGE, uniforms((1, 9))),
    (ss.GaussianNoise(variance=(10, 50)), IMAGE, [uniform(lambda drawn: drawn.std**2, 10, 50)]),
    (ss.ISONoise((0.01, 0.05), (0.1, 0.5)), IMAGE, uniforms((0.01, 0.05), (0.1, 0.5))),
    (
        ss.MultiplicativeNoise((0.5, 1.5), per_channel=True),
        IMAGE,
        [uniform(part(0, 0), 0.5, 1.5), uniform(part(0, 2), 0.5, 1.5)],
    ),
    (
        ss.SaltAndPepper((0.1, 0.3), (0.2, 0.8)),
        IMAGE,
        [
            uniform(lambda drawn: drawn.salt + drawn.pepper, 0.1, 0.3),
            uniform(lambda drawn: drawn.salt / (drawn.salt + drawn.pepper), 0.2, 0.8),
        ],
    ),
    (ss.ShotNoise((0.1, 0.3)), IMAGE, uniforms((0.1, 0.3))),
    (ss.ImageCompression((5, 30)), IMAGE, [one_of(part(0), range(5, 31))]),
    (ss.Downscale((0.2, 0.9)), IMAGE, uniforms((0.2, 0.9))),
    (ss.ElasticTransform((50, 150), (4, 8)), IMAGE, uniforms((50, 150), (4, 8))),
    (
        ss.PiecewiseAffine((0.03, 0.05), nb_rows=(3, 6), nb_cols=(2, 4)),
        IMAGE,
        [uniform(part(0), 0.03, 0.05), one_of(part(1, 0), range(3, 7)), one_of(part(1, 1), range(2, 5))],
    ),
    (
        ss.GridDistortion(3, distort_limit=(-0.5, 0.3), normalized=False),
        IMAGE,
        [
            uniform(lambda drawn: (drawn.across[1] - drawn.across[0]) / 100, 0.5, 1.3),
            uniform(lambda drawn: (drawn.down[3] - drawn.down[2]) * 3 / 200, 0.5, 1.3),
        ],
    ),
    (ss.OpticalDistortion((-0.4, 0.5)), IMAGE, uniforms((-0.4, 0.5))),
    (
        ss.Perspective((0.05, 0.05)),
        IMAGE,
        [
            lambda drawn, spare: folded(drawn.corners[0][0] / 300),
            lambda drawn, spare: folded(drawn.corners[0][1] / 200),
            lambda drawn, spare: folded(1 - drawn.corners[2][0] / 300),
            lambda drawn, spare: folded(1 - drawn.corners[2][1] / 200),
        ],
    ),
    (
        ss.Perspective(distortion_scale=0.5),
        IMAGE,
        [
            one_of(part(2, 0, 0), range(76)),
            one_of(part(2, 0, 1), range(51)),
            one_of(part(2, 3, 0), range(76)),
        ],
    ),
    (ss.D4(), IMAGE, [one_of(lambda drawn: drawn[:2], [(k, m) for k in range(4) for m in (False, True)])]),
    (ss.RandomRotate90(), IMAGE, [one_of(part(0), range(4))]),
    (ss.RandomCrop((50, 70)), IMAGE, [one_of(part(0), range(151)), one_of(part(1), range(231))]),
    (
        ss.PadIfNeeded((230, 340), position="random"),
        IMAGE,
        [one_of(part(0), range(-30, 1)), one_of(part(1), range(-40, 1))],
    ),
    (
        ss.CropAndPad((-9, 12), keep_size=False),
        IMAGE,
        [
            one_of(part(0, 0), range(-12, 10)),
            one_of(part(0, 1), range(-12, 10)),
            one_of(lambda drawn: drawn[0][2] + drawn[0][0] - 200, range(-9, 13)),
            one_of(lambda drawn: drawn[0][3] + drawn[0][1] - 300, range(-9, 13)),
        ],
    ),
    (
        ss.RandomCropFromBorders(crop_left=0.3, crop_right=0.1, crop_top=0.2, crop_bottom=0.5),
        IMAGE,
        [
            one_of(part(1), range(91)),
            one_of(part(0), range(41)),
            one_of(lambda w: w[1] + w[3], range(270, 301)),
            one_of(lambda w: w[0] + w[2], range(100, 201)),
        ],
    ),
    (
        ss.RandomResizedCrop(9, scale=(0.08, 0.5)),
        LARGE,
        [
            uniform(lambda w: w[2] * w[3] / 1.2e9, 0.08, 0.5),
            log_uniform(lambda w: w[3] / w[2], 3 / 4, 4 / 3),
            *window(30000, 40000),
        ],
    ),
    (
        ss.RandomSizedCrop(9, heights=(50, 120), ratio=1.25),
        IMAGE,
        [one_of(part(2), range(50, 121)), *window(200, 300)],
    ),
    (
        ss.MultiScaleCrop(9, scales=(1, 0.75, 0.5)),
        IMAGE,
        [
            one_of(
                lambda w: w[2:],
                [(200, 200), (200, 150), (150, 200), (150, 150), (150, 100), (100, 150), (100, 100)],
            ),
            where(
                lambda w: w[2:] == (100, 100),
                one_of(lambda w: w[:2], [(0, 0), (0, 200), (100, 0), (100, 200), (50, 100)]),
            ),
        ],
    ),
    (ss.MultiScaleCrop(9, places="random"), IMAGE, window(200, 300)),
    (ss.RandomScale((0.5, 2)), LARGE, [uniform(lambda drawn: drawn[0] / 30000, 0.5, 2)]),
    (ss.RandomScale(sizes=[20, 30, 40]), IMAGE, [one_of(part(0), (20, 30, 40))]),
    (ss.SmallestMaxSize([20, 30, 40]), IMAGE, [one_of(part(0), (20, 30, 40))]),
    (ss.LongestMaxSize([20, 30, 40]), IMAGE, [one_of(part(1), (20, 30, 40))]),
    (
        ss.RandomZoomOut((2, 4)),
        LARGE,
        [
            uniform(lambda w: w[2] / 30000, 2, 4),
            uniform(lambda w: -w[0] / (w[2] - 30000), 0, 1),
            uniform(lambda w: -w[1] / (w[3] - 40000), 0, 1),
        ],
    ),
    (
        ss.BBoxSafeCrop(),
        BOXED,
        [
            uniform(part(1), 0, 10000),
            uniform(part(0), 0, 9000),
            uniform(lambda w: w[1] + w[3], 30000, 40000),
            uniform(lambda w: w[0] + w[2], 24000, 30000),
        ],
    ),
    (
        ss.CropNonEmptyMask((50, 70)),
        IMAGE,
        [
            uniform(part(0), 0, 1),
            one_of(part(1), range(50)),
            one_of(part(2), range(70)),
            one_of(part(3), range(151)),
            one_of(part(4), range(231)),
        ],
    ),
    (
        ss.CoarseDropout((1, 3), height=(10, 20), width=(0.1, 0.2)),
        LARGE,
        [
            one_of(lambda drawn: len(drawn[0]), (1, 2, 3)),
            one_of(lambda drawn: drawn[0][0][3] - drawn[0][0][1], range(10, 21)),
            uniform(lambda drawn: drawn[0][0][2] - drawn[0][0][0], 4000, 8000),
            *hole(30000, 40000),
        ],
    ),
    (
        ss.RandomErasing((0.02, 0.1), (0.3, 3.3)),
        LARGE,
        [
            uniform(lambda drawn: area(drawn[0][0]) / 1.2e9, 0.02, 0.1),
            log_uniform(lambda drawn: slope(drawn[0][0]), 0.3, 3.3),
            *hole(30000, 40000),
        ],
    ),
    (
        ss.XYMasking((1, 3), 1, width=(10, 20), height=(0.1, 0.2)),
        LARGE,
        [
            one_of(lambda drawn: len(drawn[0]), (2, 3, 4)),
            one_of(lambda drawn: drawn[0][0][2] - drawn[0][0][0], range(10, 21)),
            uniform(lambda drawn: drawn[0][-1][3] - drawn[0][-1][1], 3000, 6000),
            below(part(0, 0, 0), lambda drawn: 40000 - (drawn[0][0][2] - drawn[0][0][0]) + 1),
        ],
    ),
    (
        ss.GridDropout(0.3, (3, 9)),
        IMAGE,
        [
            one_of(part(0, 0), range(3, 10)),
            below(part(2, 0), part(0, 0)),
            below(part(2, 1), part(0, 1)),
        ],
    ),
    (ss.GridShuffle(2), IMAGE, [one_of(part(0), list(permutations(range(4))))]),
]
"""Transforms, what they are applied to, and the laws of what they draw."""

ELSEWHERE = {
    "RandomIoUCrop": "which windows it keeps depends on the boxes: test_iou_law.py",
    **dict.fromkeys(("OneOf", "Choice", "SomeOf", "RandomApply"), "below"),
    **dict.fromkeys(("GlassBlur", "PixelDropout"), "nothing but the address of their noise"),
    **dict.fromkeys(
        [
            "AutoContrast",
            "CenterCrop",
            "Crop",
            "Equalize",
            "FiveCrop",
            "HorizontalFlip",
            "Invert",
            "LetterBox",
            "Normalize",
            "Pad",
            "PolarityInversion",
            "Resize",
            "TenCrop",
            "ToCHW",
            "ToFloat",
            "ToGray",
            "ToSepia",
            "Transpose",
            "VerticalFlip",
        ],
        "nothing beyond its chance",
    ),
    "Bridged": "draws with somebody's own generator",
}
"""Transforms without a law here, and why."""

COUNTS = [10_000, pytest.param(100_000, marks=pytest.mark.matrix)]
LEAST = 1e-6
"""The keys are fixed, so a law that holds once holds always; there are some 300 of them, of which none shall fail by chance."""


def area(rectangle: Any) -> float:
    x0, y0, x1, y1 = rectangle
    return float((x1 - x0) * (y1 - y0))


def slope(rectangle: Any) -> float:
    x0, y0, x1, y1 = rectangle
    return float((y1 - y0) / (x1 - x0))


def drawn_of(transform: ss.Transform, info: ss.Info, count: int) -> list[Any]:
    """Return what a transform draws at so many keys: what ``params`` gives, without its bookkeeping."""
    draws, found, op = PooledDraws(), [], op_of(type(transform).__name__)
    for index in range(count):
        draws.enter(ss.SampleKey(11, 3, index))
        draws.turn(op)
        draws.word()
        found.append(transform.draw(draws, info))
    return found


def deviation(law: Law, drawn: list[Any]) -> float:
    """Return the probability that a law gives what was drawn, or something further from it."""
    spare = np.random.default_rng(0).random(len(drawn)).tolist()
    values = [law(one, other) for one, other in zip(drawn, spare, strict=True)]
    shares = np.array([value for value in values if value is not None])
    assert len(shares) > len(drawn) / 20
    return float(stats.kstest(shares, "uniform").pvalue)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("transform", "info", "laws"), CASES, ids=[repr(case[0])[:60] for case in CASES])
def test_what_is_drawn(transform: ss.Transform, info: ss.Info, laws: list[Law], count: int) -> None:
    drawn = drawn_of(transform, info, count)
    for law in laws:
        assert deviation(law, drawn) > LEAST


def test_it_is_what_pipelines_draw() -> None:
    for transform, info, _ in CASES:
        always = ss.Compose([transform])
        for index, drawn in enumerate(drawn_of(transform, info, 8)):
            (applied,) = always.params(ss.SampleKey(11, 3, index), info)
            assert applied.params in (drawn, None)  # None where its chance is against it


def test_every_transform_has_its_laws() -> None:
    known = {type(transform).__name__ for transform, _, _ in CASES}
    assert known | set(ELSEWHERE) == set(PUBLIC)
    assert not known & set(ELSEWHERE)


def test_another_law_is_noticed() -> None:
    drawn = drawn_of(ss.Amplitude((0.5, 2.0)), AUDIO, 10_000)
    for law in (
        uniform(part(0), 0.5, 2.1),
        uniform(part(0), 0.45, 2.0),
        log_uniform(part(0), 0.5, 2.0),
        normal(part(0), 1.25, 0.43),
    ):
        assert deviation(law, drawn) < LEAST
    turns = drawn_of(ss.RandomRotate90(), IMAGE, 10_000)
    assert deviation(one_of(lambda one: min(one[0], 2), range(3)), turns) < LEAST
    assert deviation(share(lambda one: one[0] == 0, 0.3), turns) < LEAST


# Whether they fire, and which of several


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("p", [0.1, 0.7])
@pytest.mark.parametrize(
    "kind", [ss.HorizontalFlip, ss.Transpose, ss.ToGray, ss.PolarityInversion, ss.ColorJitter]
)
def test_a_transform_fires_with_its_probability(kind: Any, p: float, count: int) -> None:
    pipeline, info = ss.Compose([kind(p=p)]), AUDIO if kind is ss.PolarityInversion else IMAGE
    fired = sum(
        pipeline.params(ss.SampleKey(5, 0, index), info)[0].params is not None for index in range(count)
    )
    assert stats.binomtest(fired, count, p).pvalue > LEAST


MEMBERS = [ss.HorizontalFlip(p=1), ss.VerticalFlip(p=1), ss.Transpose(p=1), ss.Invert(p=1)]
NAMES = [type(member).__name__ for member in MEMBERS]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    ("container", "wanted"),
    [
        (ss.OneOf(MEMBERS), {(name,): 0.25 for name in NAMES}),
        (ss.OneOf(MEMBERS, p=0.4), {(): 0.6} | {(name,): 0.1 for name in NAMES}),
        (
            ss.Choice(MEMBERS, weights=[1, 2, 0, 5]),
            dict(zip([(n,) for n in NAMES], (0.125, 0.25, 0, 0.625), strict=True)),
        ),
        (ss.SomeOf(MEMBERS, n=2), dict.fromkeys(combinations(NAMES, 2), 1 / 6)),
        (ss.RandomApply(MEMBERS, p=0.3), {(): 0.7, tuple(NAMES): 0.3}),
    ],
    ids=["OneOf", "OneOf, p", "Choice", "SomeOf", "RandomApply"],
)
def test_what_containers_choose(container: Any, wanted: dict[tuple[str, ...], float], count: int) -> None:
    pipeline, seen = ss.Compose([container]), dict.fromkeys(wanted, 0)
    for index in range(count):
        record = pipeline.params(ss.SampleKey(5, 0, index), IMAGE)
        seen[tuple(one.name for one in record if one.name in NAMES and one.params is not None)] += 1
    likely = [name for name, chance in wanted.items() if chance]
    assert sum(seen[name] for name in likely) == count
    assert stats.chisquare([seen[n] for n in likely], [wanted[n] * count for n in likely]).pvalue > LEAST
