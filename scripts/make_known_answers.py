"""Append to the known answers, docs/reference/known-answers.json; refuse, and write nothing, where an answer would change.

``python scripts/make_known_answers.py`` asks the package what is listed here and in the golden pipelines. Anybody who writes the contract
in another language compares with the file; the project's own second implementation, in tests/, does so as a test.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

sys.path[:0] = [str(Path(__file__).parents[1] / "tests"), str(Path(__file__).parents[1])]

import known
import numpy as np
import pipelines_from_the_page as page

import seedsafe as ss
from seedsafe.keys import decisions
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import address, philox
from seedsafe.keys.seeding import seed_of
from seedsafe.keys.words import normal_quantiles, sixteenths
from seedsafe.mixing.batch import beta
from seedsafe.reading.faults import substitutes

HERE = ss.SampleKey(42, 3, 1234)
VIEWS = [ss.SampleKey(42, 3, 1234, view=view) for view in range(13)]
MANY = [ss.SampleKey(42, 3, index) for index in range(24)]
SIZES = ((37, 53, 3), (53, 37, 1), (9, 200, 4), (64, 64, 3), (11, 10, 2), (1, 1, 1), (2, 3, 2), (200, 9, 1))
AUDIO = ((2, 16001), (1, 7), (500,))
BOXES = [[3.0, 2.0, 7.5, 8.25]]
TWO = [[1.0, 2.0, 4.0, 6.5], [5.0, 3.5, 9.0, 8.0]]


class Asked(NamedTuple):
    """A pipeline, what is known of the sample, the keys, and how many of its first transforms are left out, with their names counted."""

    pipeline: Any
    info: Any
    keys: Sequence[ss.SampleKey] = known.KEYS
    first: int = 0


def described(value: Any) -> Any:
    """Return a transform or container with all its options, as the file has it."""
    if isinstance(value, ss.Compose):
        return {"transform": "Compose", "transforms": described(value.transforms)}
    if isinstance(value, ss.Transform) and is_dataclass(value):
        options = {one.name: getattr(value, one.name) for one in fields(value) if one.init}
        options |= {"sounds": len(value.sounds)} if isinstance(value, ss.AddBackground) else {}
        return {"transform": type(value).__name__} | {name: described(one) for name, one in options.items()}
    if isinstance(value, tuple | list):
        return [described(one) for one in value]
    return "inf" if value == math.inf else value


def about(info: Any) -> dict[str, Any]:
    """Return what is known of a sample, as the file has it."""
    if not isinstance(info, ss.Info):
        return {"shape": list(info)}
    found: dict[str, Any] = {"shape": list(info.shape)}
    if info.given_boxes is not None:
        found["boxes"] = info.boxes.tolist()
    if info.position is not None:
        found |= {"position": info.position, "length": info.length}
    return found


def plain(value: Any) -> Any:
    """Return what is drawn as the file has it."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    return [plain(one) for one in value] if isinstance(value, list | tuple) else page.plain(value)


def reaching(
    transform: ss.Transform, shape: tuple[int, ...], of: Callable[[Any], Any], n: int
) -> list[ss.SampleKey]:
    """Return those of the first n indices at which something is drawn that was not drawn at the ones before."""
    seen, found = set(), []
    for key in (ss.SampleKey(42, 3, index) for index in range(n)):
        drawn = of(ss.Compose([transform]).params(key, shape))
        if drawn and drawn not in seen:
            seen.add(drawn)
            found.append(key)
    return found


def operations(drawn: Any) -> Any:
    """Return the operations of AutoAugment with their amounts, if both of a pair are applied."""
    params = drawn[0].params or ()
    return tuple((one.op, abs(one.amount)) for one in params) if len(params) == 2 else None


def of_boxes(transform: ss.Transform) -> bool:
    """Return whether a transform asks for the boxes."""
    return isinstance(transform, ss.RandomIoUCrop | ss.BBoxSafeCrop)


def takes(one: Asked) -> bool:
    """Return whether a transform takes an image of this size."""
    try:
        for key in one.keys:
            ss.Compose([one.pipeline]).params(key, one.info)
    except ValueError:
        return False
    return True


def asked() -> Iterator[Asked]:
    """Yield what is asked of pipelines: the golden ones, and options that none of them has."""
    for name, (_, golden) in known.GOLDENS.items():
        if not isinstance(golden.transform, ss.BatchMix) and not name.endswith(", nearest"):
            yield Asked(golden.pipeline, golden.shape)
    for transform in more():
        for size in SIZES:
            one = Asked(transform, ss.Info(size, "uint8", boxes=BOXES if of_boxes(transform) else None))
            if takes(one):
                yield one
    yield from of_views_and_boxes()
    yield from of_policies()
    yield from of_audio()
    yield from of_names()
    yield from of_limits()


def of_views_and_boxes() -> Iterator[Asked]:
    """Yield what is asked of views, of boxes or none, and of what a few keys do not reach."""
    for transform in (
        ss.ThreeCrop((5, 2)),
        ss.FiveCrop((4, 7)),
        ss.TenCrop((4, 7)),
        ss.TenCrop((4, 7), vertical_flip=True),
    ):
        for size in ((37, 53, 3), (53, 38, 1), (9, 200, 4), (12, 10, 2), (12, 12, 1)):
            yield Asked(transform, size, VIEWS)
    yield Asked(ss.TemporalSample(12, stride=3, segments=4, clips=7, short="repeat"), (60, 6, 5, 3), VIEWS)
    for rate in (0.0, 0.6, 0.95, 1.0):
        for size in SIZES:
            yield Asked(ss.BBoxSafeCrop(erosion_rate=rate), ss.Info(size, "uint8", boxes=np.zeros((0, 4))))
        yield Asked(ss.BBoxSafeCrop(erosion_rate=rate), ss.Info((11, 10, 2), "uint8", boxes=TWO))


def of_policies() -> Iterator[Asked]:
    """Yield what is asked of policies: each pair and operation, and strengths from a normal distribution."""
    for policy in ("imagenet", "cifar10", "svhn"):
        transform = ss.AutoAugment(policy, interpolation="bilinear")
        yield Asked(transform, (37, 53, 3), reaching(transform, (37, 53, 3), operations, 1000))
    for transform in (
        ss.TrivialAugmentWide(bins=9),
        ss.RandAugment(3, magnitude=4, bins=10, interpolation="bicubic"),
    ):
        yield Asked(
            transform, (37, 53, 3), reaching(transform, (37, 53, 3), lambda drawn: drawn[1].params.op, 200)
        )
    for transform in (
        ss.Perspective(distortion_scale=1.0, p=1),
        ss.Perspective((0.5, 0.9), fit_output=True, p=1),
    ):
        yield Asked(transform, (5, 6, 1), MANY)
        yield Asked(transform, (38, 12, 3), MANY)
    yield Asked(ss.PhotoMetricDistortion(), ss.Info((19, 23, 3), "uint8"), MANY)
    for size in SIZES:
        boxes = [[-3.0, -2.0, 4.0, 5.0], [0.5, 0.5, 60.0, 70.0]]
        yield Asked(ss.BBoxSafeCrop(erosion_rate=0.1), ss.Info(size, "uint8", boxes=boxes))
    for op, span in (
        ("Color", (0.2, 0.8)),
        ("Posterize", (2, 6)),
        ("Solarize", (9, 3)),
        ("TranslateY", (0.1, 1.0)),
        ("TranslateX", (0, 1.2)),
    ):
        yield Asked(ss.PolicyOp(op, span, level=0.8, std=0.7), (37, 53, 3), MANY)
        yield Asked(ss.PolicyOp(op, span, level=7, std=2.0), (37, 53, 3), MANY)


def more() -> Iterator[ss.Transform]:
    """Yield transforms with options that no golden pipeline has; their draws depend on the size."""
    yield ss.RandomCrop((30, 12), padding=(1, 9, 3, 5), pad_if_needed=True)
    yield ss.RandomCrop(8, padding=(1, 3))
    for left, right, top, bottom in ((1.0, 1.0, 0.7, 0.9), (0.0, 0.0, 0.0, 0.0), (0.95, 0.5, 1.0, 0.05)):
        yield ss.RandomCropFromBorders(crop_left=left, crop_right=right, crop_top=top, crop_bottom=bottom)
    for ratio in ((0.2, 0.5), (0.9, 1.1), (1.5, 1.6), (9.0, 9.5)):
        yield ss.RandomResizedCrop(8, scale=(0.9, 1.0), ratio=ratio)
    yield ss.RandomResizedCrop(8, scale=(0.001, 0.02), ratio=(0.3, 3.0))
    yield ss.RandomSizedCrop(8, heights=(1, 2), ratio=0.3)
    yield ss.MultiScaleCrop(8, scales=(1.0, 0.01))
    yield ss.MultiScaleCrop(8, scales=(1.0, 0.4, 0.7), max_distort=2, places="grid")
    yield ss.RandomIoUCrop(
        min_scale=0.1,
        max_scale=0.6,
        min_aspect_ratio=0.8,
        max_aspect_ratio=1.1,
        sampler_options=(0.0, 0.2, 1.0),
    )
    yield ss.RandomIoUCrop(min_scale=0.01, max_scale=0.4, sampler_options=(0.0, 0.05), trials=3)
    yield ss.BBoxSafeCrop(erosion_rate=0.5)
    yield ss.BBoxSafeCrop(erosion_rate=1.0)
    for size, limit in ((30, None), (7, 60), (30, 31), (1, 2)):
        yield ss.Resize(size, max_size=limit)
    yield ss.SmallestMaxSize([3, 8])
    yield ss.LongestMaxSize([3, 8])
    yield ss.RandomScale((0.5, 2.0), size=20, max_size=30)
    yield ss.RandomScale((0.01, 0.05))
    yield ss.RandomScale(sizes=[30, 10], between=True)
    yield ss.RandomScale((0.5, 2.0), sizes=[(20, 30), (50, 9)])
    yield ss.RandomScale(sizes=[(20, 30), (50, 9)], between=True, keep_ratio=False)
    for position in ("center", "top_left", "top_right", "bottom_left", "bottom_right", "random"):
        yield ss.PadIfNeeded((40, 50), divisor=(8, 6), position=position)
    yield ss.LetterBox((48, 90), auto=True)
    yield ss.LetterBox((48, 90), auto=True, scale_up=False, stride=7)
    yield ss.LetterBox((48, 90), scale_fill=True)
    yield ss.LetterBox((48, 90), scale_up=False, center=False)
    yield ss.LetterBox((33, 34), scale_up=False)
    yield ss.CropAndPad(((-30, 1), (-40, 2), (-30, 3), (-40, 4)))
    yield ss.CropAndPad((-30, 4), sample_independently=False)
    yield ss.CropAndPad(((-70, -60), (0, 3), (-2, 3), (-90, -80)), keep_size=False)
    yield ss.CropAndPad(((0, 3), (-90, -80), (-70, -60), (-1, 2)), keep_size=False)
    yield ss.CropAndPad(percent=((-0.7, 0.1), (-0.7, 0.2), (-0.7, 0.3), (0.1, 0.4)), keep_size=False)
    yield ss.RandomZoomOut((1.0, 1.3))
    yield ss.Affine(400, shear=((-20, 3), (5, 40)))
    yield ss.Affine(0, scale=(0.5, 2), shear=30)
    yield ss.Affine(30, translate=(0.2, 0.4), expand=True)
    yield ss.Rotate(180, crop_border=True)
    for angle in (0, 44, 45, 90, 170):
        yield ss.Rotate((angle, angle), crop_border=True)
        yield ss.Rotate((angle, angle), expand=True)
    yield ss.Perspective((0.2, 0.4), keep_size=False, p=1)
    yield ss.Perspective((0.2, 0.4), fit_output=True, p=1)
    yield ss.Perspective((0.5, 0.9), fit_output=True, keep_size=False, p=1)
    for share in (0.3, 1.0):
        yield ss.Perspective(distortion_scale=share, p=1)
    yield ss.GridDistortion(4, distort_limit=(-1, -1), p=1)
    yield ss.GridDistortion(2, distort_limit=(-0.9, 0.9), p=1)
    yield ss.PiecewiseAffine((0.0, 0.2), nb_rows=(2, 9), nb_cols=(2, 5), p=1)
    yield ss.ToneCurve(0.5, per_channel=True)
    yield ss.ChannelDropout((1, 1))
    yield ss.ChannelShuffle()
    yield ss.FancyPCA(3.0)
    yield ss.MultiplicativeNoise((0.5, 0.75), per_channel=True)
    yield ss.CoarseDropout((2, 5), height=(3, 90), width=(0.0, 1.0), overhang=True)
    yield ss.CoarseDropout((1, 3), height=(2, 90), width=(4, 300))
    yield ss.RandomErasing((0.3, 0.9), (0.2, 0.4), fitting=True, p=1)
    yield ss.RandomErasing((0.0, 0.0), (0.2, 0.4), fitting=True, p=1)
    yield ss.RandomErasing((0.9, 1.0), (0.5, 2.0), fitting=True, p=1)
    yield ss.RandomErasing((0.8, 1.0), (0.9, 1.1), p=1)
    yield ss.RandomErasing((0.0, 0.3), (0.1, 3.0), p=1)
    yield ss.XYMasking((1, 4), (0, 2), width=(0.1, 0.3), height=(2, 90))
    for shifted in (False, True):
        yield ss.GridDropout(0.9, shifted=shifted)
        yield ss.GridDropout(0.2, (2, 5), shifted=shifted)
    yield ss.GridShuffle((5, 7))
    yield ss.GridShuffle((3, 4), uneven="drawn")
    yield ss.AugMix(10, mixture_width=2, chain_depth=1, alpha=0.3)
    for op, span in (
        ("TranslateX", (0, 0.45)),
        ("TranslateY", (0, 30)),
        ("Rotate", (0, 30)),
        ("Color", (0, 3)),
    ):
        yield ss.PolicyOp(op, span, level=9, std=5.0, most=12, interpolation=("bilinear", "bicubic"))
    for op, span in (
        ("Posterize", (8, 0)),
        ("Solarize", (0, 300)),
        ("SolarizeAdd", (110, 0)),
        ("SolarizeAdd", (0, 200)),
    ):
        yield ss.PolicyOp(op, span, level=5, std=4.0)
    yield ss.PolicyOp("Posterize", bins=1)
    yield ss.PolicyOp("ShearY", level=7, std=math.inf, signed=False)
    yield ss.PolicyOp("TranslateY", (0, 1), bins=8, interpolation=("nearest", "bilinear", "bicubic"))
    for bins in (1, 2, 3, 8):
        yield ss.PolicyOp("Color", (0.1, 0.7), bins=bins, signed=False)


def of_audio() -> Iterator[Asked]:
    """Yield what is asked of audio and spectrograms with odd options."""
    for length in AUDIO:
        for transform in (
            ss.TimeShift((-0.99, 0.99)),
            ss.GainTransition((-9, 9), duration=(1, 5)),
            ss.GainTransition((-9, 9), duration=(0.0, 0.1)),
            ss.DropChunk((1, 4000), count=(0, 4)),
            ss.RandomSegment(1000, pad_if_needed=True),
            ss.AddNoise(color=("white", "pink", "brown")),
        ):
            yield Asked(transform, length)
    for size in ((80, 301), (1, 9, 4)):
        yield Asked(ss.TimeMask((0.3, 0.9), count=(1, 3), max_share=0.5), size)
        yield Asked(ss.TimeMask((2, 90), count=(0, 3), max_share=0.3), size)
        yield Asked(ss.FrequencyMask((1, 200), count=(0, 4)), size)


def of_names() -> Iterator[Asked]:
    """Yield what is asked of names: containers in each other, transforms twice, a second half, calls without a key."""
    crop, flip = ss.RandomCrop(9), ss.HorizontalFlip()
    yield Asked(
        ss.HorizontalFlip(p=Draws(address(HERE, ss.op_of("HorizontalFlip"))).unit()), (37, 53, 3), [HERE]
    )
    calls = [
        HERE,
        ss.SampleKey(42, 3, 1234, call=1),
        ss.SampleKey(42, 3, 1234, occurrence=2, view=3, call=65535),
    ]
    yield Asked(
        ss.Compose([ss.RandomCrop(12), ss.OneOf([crop, ss.RandomApply([crop, flip])]), crop]),
        (37, 53, 3),
        calls,
    )
    yield Asked(
        ss.Compose([ss.OneOf([ss.OneOf([flip, crop]), flip], name="first"), ss.OneOf([crop])]), (37, 53, 3)
    )
    yield Asked(
        ss.Compose([ss.OneOf([ss.OneOf([flip, crop]), ss.OneOf([crop])]), ss.OneOf([flip])]), (37, 53, 3)
    )
    yield Asked(ss.Compose([ss.SomeOf([ss.RandomApply([flip]), flip], n=9, replace=True), flip]), (37, 53, 3))
    yield Asked(
        ss.Compose([ss.RandAugment(3), ss.RandAugment(3), ss.RandAugment(2, name="late")]), (37, 53, 3)
    )
    yield Asked(ss.Compose([ss.Compose([flip, crop]), flip, crop]), (37, 53, 3), calls)
    nested = ss.Compose([ss.OneOf([flip, crop]), ss.Compose([crop]), crop, ss.OneOf([flip]), flip])
    for first in (1, 2, 4):
        yield Asked(nested, (37, 53, 3), calls, first)


def of_limits_of_boxes() -> Iterator[Asked]:
    """Yield what is asked of boxes at the limits of windows."""
    boxes = {
        (12, 14, 3): [[2.0, 2.0, 6.0, 6.0], [3.0, 1.0, 9.0, 11.0]],
        (3, 4, 1): [[0.5, 0.25, 1.0, 0.75], [1.0, 1.0, 3.0, 3.0]],
        (21, 6, 2): [[0.0, 9.0, 5.0, 20.0]],
        (6, 30, 1): [[1.0, 0.0, 29.0, 6.0], [8.0, 2.0, 8.5, 2.5]],
        (2, 2, 1): [[0.0, 0.0, 2.0, 2.0]],
    }
    for size, of in boxes.items():
        for options in ((0.0,), (0.25, 0.5), (0.1, 0.75)):
            iou = ss.RandomIoUCrop(min_scale=0.1, max_scale=1.0, sampler_options=options, trials=4)
            yield Asked(iou, ss.Info(size, "uint8", boxes=of), MANY)
    for size, box in (((200, 9, 1), [2.0, 120.0, 8.0, 190.0]), ((9, 7, 3), [0.0, 0.0, 0.5, 0.5])):
        yield Asked(ss.BBoxSafeCrop(), ss.Info(size, "uint8", boxes=[box]), MANY)
    iou = ss.RandomIoUCrop(min_scale=0.3, max_scale=0.9, sampler_options=(0.0,), trials=3)
    yield Asked(iou, ss.Info((4, 5, 1), "uint8", boxes=[[0.0, 0.0, 4.0, 2.0]]), [*MANY, *VIEWS])


def of_limits_of_sizes() -> Iterator[Asked]:
    """Yield what is asked of places that few keys reach, and of images of a few pixels."""
    grid = ss.MultiScaleCrop(8, scales=(0.3, 0.5), places="grid")
    places = reaching(grid, (24, 23, 3), lambda drawn: drawn[0].params[:2], 200)
    for size in ((37, 53, 3), (24, 23, 3)):
        yield Asked(ss.MultiScaleCrop(8, scales=(0.3, 0.5)), size, MANY)
        yield Asked(grid, size, places)
        for scale, ratio in (((0.1, 0.9), (0.3, 0.7)), ((0.0, 0.5), (1.5, 3.0)), ((0.2, 0.8), (0.1, 9.0))):
            yield Asked(ss.RandomErasing(scale, ratio, fitting=True, p=1), size, MANY)
            yield Asked(ss.RandomErasing(scale, ratio, fitting=True, p=1), (size[1], size[0], 1), MANY)
    for size in ((1, 1, 1), (1, 2, 5), (3, 2, 2), (2, 4, 1)):
        yield Asked(ss.RandomErasing((0.0, 1.0), (0.3, 3.0), fitting=True, p=1), size, MANY)
        yield Asked(ss.GridDropout(0.9), size)
        yield Asked(ss.Perspective((0.0, 0.4), fit_output=True, keep_size=False, p=1), size, MANY)
        yield Asked(ss.Resize(7, max_size=60), size)
        yield Asked(ss.Resize((90, 61), keep_ratio=True), size)
    yield Asked(ss.Perspective((0.0, 0.0), fit_output=True, keep_size=False, p=1), (1, 1, 1))
    yield Asked(ss.RandomErasing((0.1, 0.1), (0.3, 3.0), fitting=True, p=1), (19, 23, 3))
    yield Asked(ss.FiveCrop((4, 7)), (11, 14, 2), VIEWS)
    for op in ("TranslateX", "TranslateY"):
        yield Asked(ss.PolicyOp(op, (0, 1.5), level=(0, 30)), (37, 53, 3), MANY)
    yield Asked(ss.PolicyOp("Color", level=(0, 1), bins=2), (37, 53, 3), MANY)
    yield Asked(ss.PolicyOp("Posterize", level=(0, 1), bins=2), (37, 53, 3), MANY)
    for op, span in (("Posterize", (0, 8)), ("Solarize", (0, 256)), ("Solarize", (256, 0))):
        yield Asked(ss.PolicyOp(op, span, level=10, std=9.0, most=20), (37, 53, 3), MANY)
    for size in ((5, 6, 1), (23, 21, 3), (7, 40, 1), (4, 4, 1), (9, 9, 1)):
        for share in (0.9, 1.0):
            yield Asked(ss.Perspective(distortion_scale=share, p=1), size, [*MANY, *VIEWS])


def of_limits() -> Iterator[Asked]:
    """Yield what is asked of limits that the keys above do not reach."""
    yield from of_limits_of_boxes()
    yield from of_limits_of_sizes()
    for size in ((11, 10, 2), (37, 53, 3)):
        yield Asked(ss.CenterCrop((5, 9)), size)
        yield Asked(ss.CropNonEmptyMask((5, 9)), size, MANY)
        yield Asked(ss.D4(), size, MANY)
        yield Asked(ss.Affine(40, scale=((0.5, 0.9), (1.5, 2.0))), size)
    for size in ((10, 15, 1), (15, 10, 1), (37, 53, 3)):
        for ratio in ((1.0, 4.0), (0.25, 1.0)):
            yield Asked(ss.RandomResizedCrop(8, scale=(1.0, 1.0), ratio=ratio), size)
    yield Asked(ss.TemporalSample(4, stride=3, clips=3), (60, 6, 5, 3), VIEWS)
    yield Asked(ss.TimeMask((2, 90), count=(1, 2), max_share=0.3), (80, 299), MANY)
    yield Asked(ss.TimeMask((2, 90), count=(1, 2), max_share=0.7), (2, 12), MANY)
    yield Asked(ss.TrivialAugmentWide(), (37, 53, 3), MANY)
    yield Asked(ss.AugMix(alpha=0.001), (9, 9, 3))
    channels = ss.Compose([ss.RandomCrop((9, 8)), ss.ChannelShuffle(), ss.FancyPCA(1.0)])
    yield Asked(channels, (37, 53, 4))
    unit = Draws(address(HERE, ss.op_of("Choice")))
    share = [unit.unit(), unit.unit()][1]  # the first is for p
    yield Asked(
        ss.Choice([ss.HorizontalFlip(), ss.VerticalFlip()], weights=(share, 1.0 - share)), (9, 9, 3), [HERE]
    )


FUNCTIONS: list[tuple[str, list[Any]]] = [
    *(
        ("op", [name])
        for name in ("", "RandomCrop", "RandomCrop#1", "RandomCrop@2", "seedsafe/order", "π", "名前")
    ),
    *(("record", [name]) for name in ("", "a/b.jpg", "π", "n01440764/n01440764_10026.JPEG", "x" * 300)),
    ("unit", ["words"]),
    *(("uniform", ["words", low, high]) for low, high in ((-1, 3), (0.1, 0.1), (5.0, -5.0))),
    *(("integer", ["words", n]) for n in (1, 10, {"int": str(2**32)})),
    ("normal", ["words"]),
    *(("permutation", ["words", n]) for n in (1, 7, 40)),
    *(("choice", ["words", 10, k]) for k in (0, 1, 4, 10)),
    ("weighted", ["words", [0.5, 0, 3, 1.5], 3, False]),
    ("weighted", ["words", [0.5, 0, 3, 1.5], 6, True]),
    ("weighted", ["words", [Draws(address(HERE)).unit(), 1.0 - Draws(address(HERE)).unit()], 1, False]),
    ("multinomial", ["words", 20, [1, 2, 3]]),
    *((name, ["words", n]) for name in ("normals", "after_normals") for n in (1, 5, 16, 17)),
    ("truncated", ["words", -1.0, 0.5, 4]),
    ("truncated", ["words", float(normal_quantiles()[32766]), float(normal_quantiles()[32768]), 12]),
    *(("cos_sin", [k * 1.7]) for k in range(-40, 41)),
    *(("log", [0.01 * k * k]) for k in range(1, 41)),
    *(("exp", [-1.3 * k + 20.0]) for k in range(40)),
    *(("quantile", [k / 80]) for k in range(1, 80)),
    *(("addressed", [42, 3, n, at]) for n in range(2, 13) for at in range(n)),
    *(("mixture", [seed, 1, [1, 2, 4], [3, 5, 70], at]) for seed in (1, 2, 3) for at in range(7)),
    *(("mixture", [seed, 0, [3, 2, 2, 7], [4, 300, 2, 9], at]) for seed in (4, 5) for at in range(14)),
    *(
        ("cos_sin", [angle])
        for angle in (
            0.0,
            30.0,
            45.0,
            90.0,
            -100.0,
            -141.0,
            -0.0,
            135.0,
            225.0,
            270.0,
            44.57142857142857,
            1e9,
        )
    ),
    *(("log", [x]) for x in (10.0, 0.3, 1.40002125, 1.0, 0.7071067811865475, 0.7071067811865476, 1e300)),
    *(("exp", [x]) for x in (1.0, 0.0, -700.0, 700.0, -13.5, 0.3465735902799727)),
    *(("log_uniform", [unit, 0.75, 4 / 3]) for unit in (0.0, 0.25, 0.9999999999999999)),
    *(("quantile", [share]) for share in (0.975, 0.05, 0.5, 0.925, 0.0751, 2**-53, 1e-12, 0.9999999999)),
    *(("beta", ["words", a, b]) for a, b in ((0.2, 0.2), (2.5, 1.0), (0.001, 50.0), (1e-6, 3.0))),
    *(("order", [seed, 0, n]) for seed, n in ((42, 5), (42, 1), (7, 300))),
    *(
        ("addressed", [42, 3, {"int": str(n)}, {"int": str(at)}])
        for n, at in (
            (1, 0),
            (5, 0),
            (256, 7),
            (257, 7),
            (1000, 999),
            (10**12, 7),
            (2**63, 2**62),
            (2**33, 12345),
        )
    ),
    *(
        ("position", [42, 3, {"int": str(n)}, {"int": str(at)}])
        for n, at in ((5, 3), (1000, 630), (10**12, 814182761804))
    ),
    ("mixture", [42, 3, [2, 3, 5], [2, 3, 9], 7]),
    ("mixture", [42, 3, [1, 1, 2, 3, 5], [1, 2, 3, 4, 5], 14]),
    ("mixture", [7, 0, [1, 1], [300, 2], 99]),
    *(("sampler", [42, epoch]) for epoch in (0, 3, 4)),
    ("replace", [{"key": [42, 0, 7]}, 7, 10]),
    ("replace", [{"key": [42, 0, 0]}, 0, 2]),
    *(
        ("mix", [{"key": key}, n, 19, 23, mixup, cutmix, p])
        for key in ([42, 3, 1234], [42, 3, 5], [42, 0, 0], [0, 0, 0])
        for n, mixup, cutmix, p in (
            (7, 1.0, 1.0, 1.0),
            (7, 0.2, 0.0, 0.7),
            (2, 0.0, 0.5, 0.9),
            (1, 1.0, 0.4, 1.0),
        )
    ),
    *(
        ("mix", [{"key": [42, epoch, 7]}, 5, height, width, 1.0, 1.0, 1.0])
        for epoch in range(8)
        for height, width in ((1, 1), (40, 9))
    ),
    *(("mixture", [9, 0, shares, [9] * len(shares), 20]) for shares in ([2, 3, 7], [3, 4, 4, 9], [1, 5, 8])),
    *(
        ("pieces", [{"key": [seed, 3, 1234]}, "GaussianNoise", n])
        for seed in (42, str(2**127 + 9))
        for n in (1, 7, 16, 17)
    ),
    *(("noise_value", [piece]) for piece in (32768, 40000, 0, 65535)),
    *(("seeded", [42, value]) for value in ("7", "'text'", "None")),
]
"""The functions and what they are given. "words" is the stream of (42, 3, 1234) and op 0, from word 0 on."""

WORDS: list[tuple[ss.SampleKey, str, int, int, int]] = [
    *((key, "", 0, 0, 4) for key in [*known.KEYS, ss.SampleKey(2**64, 0, 0)]),
    *((ss.SampleKey(42, 3, 1234, call=call), "seedsafe/bridge", 0, 0, 4) for call in (1, 2, 65535)),
    *((HERE, name, 1, 0, 6) for name in ("", "RandomCrop")),
    (ss.SampleKey(42, 3, 1234, call=3), "Own", 2, 0, 6),
    *(
        (HERE, name, 0, 0, 4)
        for name in ("RandomCrop", "seedsafe/collate", "seedsafe/replace", "seedsafe/mix", "seedsafe/epoch")
    ),
    *(
        (HERE, "seedsafe/bridge", 0, place, 3)
        for place in (0, 309, 312, 624, 933, 960, 1280, 1600, 1920, 3520, 3840, 10**6)
    ),
]
"""Key, name of the op ("" is op 0), how often it is jumped, first word, and how many."""


def of_the_package() -> dict[str, Callable[..., Any]]:
    """Return what the functions' names mean in the package."""

    def mix(key: ss.SampleKey, n: int, height: int, width: int, *options: float) -> Any:
        return ss.BatchMix(10, *options, channels_first=False).params(key, (n, height, width, 3))

    def mixture(seed: int, epoch: int, shares: list[int], lengths: list[int], step: int) -> list[int]:
        mixed = ss.Mixture(
            {str(i): range(n) for i, n in enumerate(lengths)},
            shares={str(i): s for i, s in enumerate(shares)},
        )
        source, position = mixed.place(ss.SampleKey(seed, epoch, step))
        return [int(source), position]

    def stream(key: ss.SampleKey, name: str) -> Draws:
        return Draws(address(key, ss.op_of(name)))

    return {
        "op": ss.op_of,
        "record": ss.record_index,
        "unit": Draws.unit,
        "uniform": Draws.uniform,
        "integer": Draws.integer,
        "normal": decisions.normal,
        "permutation": Draws.permutation,
        "choice": Draws.choice,
        "weighted": lambda words, weights, k, replace: words.choice(
            len(weights), k, weights=weights, replace=replace
        ),
        "multinomial": Draws.multinomial,
        "normals": Draws.normal,
        "after_normals": lambda words, n: [words.unit(), words.normal(n), words.word()][2],
        "truncated": Draws.truncated_normal,
        "cos_sin": decisions.cos_sin_degrees,
        "log": decisions.logarithm,
        "exp": decisions.exponential,
        "log_uniform": decisions.log_uniform_at,
        "quantile": decisions.normal_quantile,
        "beta": beta,
        "order": ss.epoch_order,
        "addressed": lambda *given: ss.epoch_order(*given[:3], order="addressed")[given[3]],
        "position": lambda *given: ss.epoch_order(*given[:3], order="addressed").position(given[3]),
        "mixture": mixture,
        "sampler": lambda seed, epoch: (
            stream(ss.SampleKey(seed, epoch, 0), "seedsafe/sampler").word() % 2**63
        ),
        "replace": substitutes,
        "mix": mix,
        "pieces": lambda key, name, n: sixteenths(address(key, ss.op_of(name)), n),
        "noise_value": lambda piece: float(normal_quantiles()[piece]),
        "seeded": lambda seed, value: seed_of(seed, eval(value)),
    }


def given(value: Any) -> Any:
    """Return an argument as the package's functions take it."""
    if value == "words":
        return Draws(address(HERE))
    if isinstance(value, dict):
        return int(value["int"]) if "int" in value else ss.SampleKey(*map(int, value["key"]))
    return value


def words_at(key: ss.SampleKey, name: str, jumps: int, place: int, n: int) -> list[str]:
    """Return words of a stream."""
    start = philox(address(key, ss.op_of(name) if name else 0))
    stream = start.jumped(jumps) if jumps else start
    return [f"{word:016x}" for word in stream.random_raw(place + n)[place:].tolist()]


def numbers(key: ss.SampleKey) -> list[Any]:
    """Return a key as the file has it."""
    return [page.plain(one) for one in (key.seed, key.epoch, key.index, key.occurrence, key.view, key.call)]


def made() -> dict[str, Any]:
    """Return all that the file holds below its first line, as computed now."""
    functions, entries = of_the_package(), list(asked())
    keys = list(dict.fromkeys(key for one in entries for key in one.keys))
    pipelines = []
    for one in entries:
        whole = one.pipeline if isinstance(one.pipeline, ss.Compose) else ss.Compose([one.pipeline])
        part = whole.split(one.first)[1] if one.first else whole
        pipelines.append(
            {
                "pipeline": described(whole),
                "given": about(one.info),
                "first": one.first,
                "keys": [keys.index(key) for key in one.keys],
                "gives": [plain(part.params(key, one.info)) for key in one.keys],
            }
        )
    return {
        "contract": 1,
        "keys": [numbers(key) for key in keys],
        "words": [
            {
                "key": numbers(key),
                "op": name,
                "jumps": jumps,
                "place": place,
                "gives": words_at(key, name, jumps, place, n),
            }
            for key, name, jumps, place, n in WORDS
        ],
        "functions": [
            {"function": name, "of": of, "gives": plain(functions[name](*map(given, of)))}
            for name, of in FUNCTIONS
        ],
        "pipelines": pipelines,
    }


def text(content: dict[str, Any]) -> str:
    """Return the file: an entry a line, and first the SHA-256 of all lines below."""

    def lines(entries: Iterable[Any]) -> str:
        return "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in entries) + "\n]"

    parts = [f'"{name}": {lines(one) if isinstance(one, list) else one}' for name, one in content.items()]
    rest = ",\n".join(parts) + "\n}\n"
    return f'{{"sha256": "{hashlib.sha256(rest.encode()).hexdigest()}",\n{rest}'


def asks(content: dict[str, Any]) -> dict[str, Any]:
    """Return the entries of a file by what they ask, with the keys written out."""
    found = {}
    for part in ("words", "functions", "pipelines"):
        for one in content[part]:
            question = {name: value for name, value in one.items() if name != "gives"}
            if part == "pipelines":
                question["keys"] = [content["keys"][number] for number in one["keys"]]
            found[json.dumps(question)] = json.dumps(one["gives"])
    return found


def main(file: Path) -> None:
    """Write the file, unless an answer in it would change or vanish.

    Raises:
        ValueError: it would; or the file is damaged.
    """
    content = made()
    now = asks(content)
    for question, gives in asks(page.read(file)).items() if file.exists() else ():
        if now.get(question) != gives:
            raise ValueError(f"{question} gives {gives}, and now {now.get(question, 'is no longer asked')}")
    file.write_text(text(content), encoding="utf-8")
    print(f"written: {file.name}, {len(now)} answers")


if __name__ == "__main__":
    try:
        main(page.ANSWERS)
    except ValueError as error:
        sys.exit(f"{error}: a known answer never changes; that would be a new version of the contract")
