"""The pipelines of the golden files, by the names that they have there, as words_from_the_page.py makes them.

A pipeline is its transforms and containers, and the size of what it is given: rows, columns and channels, or channels
and length. Nothing of the package is read.
"""

from __future__ import annotations

import math
from typing import Any

from words_from_the_page import (
    FOURTEEN,
    RAND,
    WIDE,
    ZERO,
    Draw,
    One,
    Several,
    Size,
    add_background,
    add_noise,
    added,
    advanced_blur,
    affine,
    aug_mix,
    auto_augment,
    band_pass,
    bands,
    bbox_safe_crop,
    brightness_contrast,
    by_weight,
    center_crop,
    channel_dropout,
    channel_shuffle,
    coarse_dropout,
    color_jitter,
    copy_paste,
    crop_and_pad,
    crop_from_borders,
    crop_non_empty_mask,
    cut_mix,
    d4,
    defocus,
    drop_freq,
    every,
    extent,
    fancy_pca,
    five_crop,
    gain_transition,
    gaussian_blur,
    grid_distortion,
    grid_dropout,
    grid_shuffle,
    high_pass,
    integer_from,
    keeping_within,
    letter_box,
    listed,
    low_pass,
    mix_up,
    mosaic,
    motion_blur,
    multi_scale_crop,
    multiplicative,
    noise_only,
    nothing,
    odd_from,
    one_of,
    one_side,
    pad_if_needed,
    perspective,
    perspective_inwards,
    photo_metric,
    piecewise_affine,
    policy_op,
    policy_ops,
    random_crop,
    random_erasing,
    random_iou_crop,
    random_resized_crop,
    random_rotate90,
    random_scale,
    random_sized_crop,
    random_zoom_out,
    rotate,
    salt_and_pepper,
    shorter_side,
    shot_noise,
    sized,
    some,
    temporal_sample,
    ten_crop,
    three_crop,
    to_size,
    tone_curve,
    uniforms,
    variance_noise,
    with_noise,
    xy_masking,
)

__all__ = ["PIPELINES"]

SQUARE, GRAIN, HOLES, AUDIO = (37, 53, 3), (19, 23, 3), (29, 33, 3), (2, 16001)
SPECTRUM, SPECTRA = (80, 301), (2, 80, 301)
VIDEO, FEW = (60, 6, 5, 3), (9, 6, 5, 3)
BOXES = [(5.0, 4.0, 20.0, 30.0), (25.0, 10.0, 50.0, 35.0)]
JITTER = (0.6, 1.4), (0.6, 1.4), (0.8, 1.2), (-0.1, 0.1)
width_of: Draw = lambda words, size: [size[1]]
height_of: Draw = lambda words, size: [size[0]]
FLIPS = One("HorizontalFlip", width_of, 0.5), One("VerticalFlip", height_of, 0.5)


def crop(side: int) -> One:
    return One("RandomCrop", random_crop(side, side), becomes=(side, side))


CROPS = [crop(9), crop(11), crop(13)]


def alone(size: Size, **drawn: Any) -> dict[str, tuple[list[One | Several], Size]]:
    """Return pipelines of one transform that bear its name: what draws, or that and the probability."""
    given = {kind: one if isinstance(one, tuple) else (one,) for kind, one in drawn.items()}
    return {kind: ([One(kind, *one)], size) for kind, one in given.items()}


def variants(size: Size, kind: str, **drawn: Any) -> dict[str, tuple[list[One | Several], Size]]:
    """Return pipelines of one transform with other options; `_` stands for a space in their names."""
    found = alone(size, **drawn)
    return {
        f"{kind} {name.replace('_', ' ')}": ([members[0]._replace(kind=kind)], size)  # type: ignore[arg-type]
        for name, (members, size) in found.items()
    }


TURNING = (-30.0, 30.0)
PAIRS: dict[str, str] = {
    "imagenet": """
        Posterize 0.4 8, Rotate 0.6 9
        Solarize 0.6 5, AutoContrast 0.6 0
        Equalize 0.8 0, Equalize 0.6 0
        Posterize 0.6 7, Posterize 0.6 6
        Equalize 0.4 0, Solarize 0.2 4
        Equalize 0.4 0, Rotate 0.8 8
        Solarize 0.6 3, Equalize 0.6 0
        Posterize 0.8 5, Equalize 1.0 0
        Rotate 0.2 3, Solarize 0.6 8
        Equalize 0.6 0, Posterize 0.4 6
        Rotate 0.8 8, Color 0.4 0
        Rotate 0.4 9, Equalize 0.6 0
        Equalize 0.0 0, Equalize 0.8 0
        Invert 0.6 0, Equalize 1.0 0
        Color 0.6 4, Contrast 1.0 8
        Rotate 0.8 8, Color 1.0 2
        Color 0.8 8, Solarize 0.8 7
        Sharpness 0.4 7, Invert 0.6 0
        ShearX 0.6 5, Equalize 1.0 0
        Color 0.4 0, Equalize 0.6 0
        Equalize 0.4 0, Solarize 0.2 4
        Solarize 0.6 5, AutoContrast 0.6 0
        Invert 0.6 0, Equalize 1.0 0
        Color 0.6 4, Contrast 1.0 8
        Equalize 0.8 0, Equalize 0.6 0
    """,
    "cifar10": """
        Invert 0.1 0, Contrast 0.2 6
        Rotate 0.7 2, TranslateX 0.3 9
        Sharpness 0.8 1, Sharpness 0.9 3
        ShearY 0.5 8, TranslateY 0.7 9
        AutoContrast 0.5 0, Equalize 0.9 0
        ShearY 0.2 7, Posterize 0.3 7
        Color 0.4 3, Brightness 0.6 7
        Sharpness 0.3 9, Brightness 0.7 9
        Equalize 0.6 0, Equalize 0.5 0
        Contrast 0.6 7, Sharpness 0.6 5
        Color 0.7 7, TranslateX 0.5 8
        Equalize 0.3 0, AutoContrast 0.4 0
        TranslateY 0.4 3, Sharpness 0.2 6
        Brightness 0.9 6, Color 0.2 8
        Solarize 0.5 2, Invert 0.0 0
        Equalize 0.2 0, AutoContrast 0.6 0
        Equalize 0.2 0, Equalize 0.6 0
        Color 0.9 9, Equalize 0.6 0
        AutoContrast 0.8 0, Solarize 0.2 8
        Brightness 0.1 3, Color 0.7 0
        Solarize 0.4 5, AutoContrast 0.9 0
        TranslateY 0.9 9, TranslateY 0.7 9
        AutoContrast 0.9 0, Solarize 0.8 3
        Equalize 0.8 0, Invert 0.1 0
        TranslateY 0.7 9, AutoContrast 0.9 0
    """,
    "svhn": """
        ShearX 0.9 4, Invert 0.2 0
        ShearY 0.9 8, Invert 0.7 0
        Equalize 0.6 0, Solarize 0.6 6
        Invert 0.9 0, Equalize 0.6 0
        Equalize 0.6 0, Rotate 0.9 3
        ShearX 0.9 4, AutoContrast 0.8 0
        ShearY 0.9 8, Invert 0.4 0
        ShearY 0.9 5, Solarize 0.2 6
        Invert 0.9 0, AutoContrast 0.8 0
        Equalize 0.6 0, Rotate 0.9 3
        ShearX 0.9 4, Solarize 0.3 3
        ShearY 0.8 8, Invert 0.7 0
        Equalize 0.9 0, TranslateY 0.6 6
        Invert 0.9 0, Equalize 0.6 0
        Contrast 0.3 3, Rotate 0.8 4
        Invert 0.8 0, TranslateY 0.0 2
        ShearY 0.7 6, Solarize 0.4 8
        Invert 0.6 0, Rotate 0.8 4
        ShearY 0.3 7, TranslateX 0.9 3
        ShearX 0.1 6, Invert 0.6 0
        Solarize 0.7 2, TranslateY 0.6 7
        ShearY 0.8 4, Invert 0.8 0
        ShearX 0.7 9, TranslateY 0.8 3
        ShearY 0.8 5, AutoContrast 0.7 0
        ShearX 0.7 2, Invert 0.1 0
    """,
}
"""The pairs of AutoAugment in the order of its paper's appendix: operation, probability and bin, twice a line."""


def pairs(policy: str) -> list[list[tuple[str, float, int]]]:
    lines = [line.strip().split(", ") for line in PAIRS[policy].strip().splitlines()]
    return [[(op, float(p), int(k)) for op, p, k in (one.split() for one in line)] for line in lines]


PIPELINES: dict[str, tuple[list[One | Several], Size]] = {
    **alone(
        SQUARE,
        RandomCrop=random_crop(20, 30),
        CenterCrop=center_crop(16, 16),
        Pad=added(1, 2, 3, 4),
        Crop=lambda words, size: [3, 1, 20, 30],
        RandomCropFromBorders=crop_from_borders(0.3, 0.1, 0.1, 0.1),
        ThreeCrop=three_crop(20, 16),
        FiveCrop=five_crop(20, 20),
        TenCrop=ten_crop(20, 30, vertical=True),
        RandomResizedCrop=random_resized_crop(),
        RandomSizedCrop=random_sized_crop(5, 30, 1.25),
        MultiScaleCrop=multi_scale_crop(),
        RandomIoUCrop=random_iou_crop(BOXES),
        BBoxSafeCrop=bbox_safe_crop(BOXES),
        CropNonEmptyMask=crop_non_empty_mask(20, 20),
    ),
    "RandomCrop, padding": ([One("RandomCrop", random_crop(48, 48, padding=(4, 4, 4, 4), pad=True))], SQUARE),
    "two of a class, one named": (
        [crop(36), crop(33), One("RandomCrop", random_crop(30, 30), name="last")],
        SQUARE,
    ),
    **variants(
        SQUARE,
        "RandomResizedCrop",
        nearest=random_resized_crop(),
        antialias=random_resized_crop(),
        exact=random_resized_crop(),
        that_never_fits=random_resized_crop((1.0, 1.0), (3.0, 4.0)),
    ),
    **variants(SQUARE, "MultiScaleCrop", random=multi_scale_crop((1.0, 0.5), "random")),
    **variants(SQUARE, "RandomIoUCrop", trials=random_iou_crop(BOXES, (0.5, 0.7), 5)),
    **variants(SQUARE, "BBoxSafeCrop", eroded=(bbox_safe_crop(BOXES, 0.3), 0.7)),
    **alone(
        SQUARE,
        Resize=to_size(20, 31),
        SmallestMaxSize=one_side((20, 30, 40), min),
        LongestMaxSize=(one_side((41,), max), 0.5),
        RandomScale=random_scale((0.7, 1.3)),
        PadIfNeeded=pad_if_needed((60, 60), (8, 8), "random"),
        LetterBox=letter_box(48, 48),
        CropAndPad=crop_and_pad([(-9, 9)] * 4, keep_size=False),
        RandomZoomOut=(random_zoom_out(), 0.8),
    ),
    **variants(
        SQUARE,
        "Resize",
        shorter_side=shorter_side(30, 40),
        exact=to_size(20, 31),
        exact_larger=to_size(90, 61),
        antialias=to_size(20, 31),
        antialias_bicubic=to_size(9, 60),
        antialias_area=to_size(9, 21),
        antialias_lanczos=to_size(20, 31),
    ),
    "Resize keep_ratio": ([One("Resize", keeping_within(90, 61))], SQUARE),
    **variants(
        SQUARE,
        "RandomScale",
        sizes=random_scale(sizes=(20, 30, 40), limit=50),
        between=random_scale(sizes=((80, 40), (80, 60)), between=True),
        of_a_size=random_scale((0.5, 2.0), [(40, 30)], keep_ratio=False),
    ),
    **variants(SQUARE, "PadIfNeeded", reflect=pad_if_needed((50, 60), (1, 1))),
    **variants(SQUARE, "CropAndPad", percent=crop_and_pad([(-0.2, 0.2)] * 4, percent=True, apart=False)),
    **alone(
        SQUARE,
        HorizontalFlip=(width_of, 0.5),
        VerticalFlip=(height_of, 0.3),
        D4=(d4, 0.8),
        RandomRotate90=random_rotate90,
        Transpose=(nothing, 0.5),
    ),
    **alone(
        SQUARE,
        Affine=affine(TURNING, ((-0.1, 0.1), (-0.1, 0.1)), (0.8, 1.2), (-10.0, 10.0)),
        Rotate=rotate(-180.0, 180.0),
        Perspective=(perspective(), 0.5),
        GridDistortion=grid_distortion(),
        OpticalDistortion=sized(uniforms((-0.5, 0.5))),
        ElasticTransform=sized(with_noise(uniforms((50.0, 150.0), (4.0, 8.0)))),
        PiecewiseAffine=piecewise_affine((3, 6), (4, 4)),
    ),
    **variants(
        SQUARE,
        "Affine",
        each_axis=affine(
            ZERO, ((-0.1, 0.1), (0.0, 0.0)), ((1.0, 2.0), (0.5, 1.0)), ((-5.0, 5.0), (0.0, 9.0)), expand=True
        ),
        reflect=(affine((-180.0, 180.0)), 0.7),
    ),
    "Affine.shift_scale_rotate": (
        [One("Affine", affine((-45.0, 45.0), ((-0.0625, 0.0625),) * 2, (0.9, 1.1)), 0.7)],
        SQUARE,
    ),
    **variants(SQUARE, "Rotate", expand=rotate(-45.0, 45.0, expand=True)),
    "Rotate crop_border": ([One("Rotate", rotate(-45.0, 45.0, crop_border=True))], SQUARE),
    "Perspective fit_output": (
        [One("Perspective", perspective((0.1, 0.2), keep_size=False, fit=True))],
        SQUARE,
    ),
    "Perspective distortion_scale": ([One("Perspective", perspective_inwards(0.9))], SQUARE),
    **variants(SQUARE, "GridDistortion", not_normalized=grid_distortion(3, normalized=False)),
    **variants(SQUARE, "OpticalDistortion", fisheye=(sized(uniforms((-0.5, 0.5))), 0.6)),
    "ElasticTransform same_dxdy": (
        [One("ElasticTransform", sized(with_noise(uniforms((30.0, 30.0), (2.0, 2.0)))))],
        SQUARE,
    ),
    "ElasticTransform repeat_edges": (
        [One("ElasticTransform", sized(with_noise(uniforms((90.0, 90.0), (6.0, 6.0)))))],
        SQUARE,
    ),
    **alone(
        GRAIN,
        ColorJitter=color_jitter(*JITTER),
        LinearColorJitter=uniforms(*JITTER),
        Gamma=uniforms((0.5, 2.0)),
        RandomBrightnessContrast=brightness_contrast((-0.2, 0.2), (-0.2, 0.2)),
        ToneCurve=tone_curve(),
        ChannelDropout=channel_dropout(1, 2),
        ChannelShuffle=channel_shuffle,
        FancyPCA=fancy_pca(),
        RGBShift=uniforms(*[(-20.0, 20.0)] * 3),
        ToGray=(nothing, 0.5),
        ToSepia=(nothing, 0.5),
        HueSaturationValue=uniforms((-20.0, 20.0), (-30.0, 30.0), (-20.0, 20.0)),
        PhotoMetricDistortion=photo_metric(),
        CLAHE=uniforms((1.0, 4.0)),
        AutoContrast=(nothing, 0.5),
        Equalize=(nothing, 0.5),
        Invert=(nothing, 0.5),
        Posterize=(integer_from(1, 7), 0.7),
        Solarize=(uniforms((0.2, 0.8)), 0.7),
    ),
    **variants(
        GRAIN, "ColorJitter", ranges=(color_jitter((0.5, 2.0), (0.1, 3.0), (1.0, 1.0), (-0.5, 0.2)), 0.8)
    ),
    **variants(
        GRAIN, "RandomBrightnessContrast", by_mean=(brightness_contrast((-0.1, 0.1), (-0.5, 0.3)), 0.5)
    ),
    **variants(GRAIN, "ToneCurve", per_channel=tone_curve(0.3, per_channel=True)),
    **variants(GRAIN, "HueSaturationValue", fractional=uniforms((-0.015, 0.015), (-0.7, 0.7), (-0.4, 0.4))),
    **variants(GRAIN, "Equalize", opencv=(nothing, 0.5)),
    **alone(
        GRAIN,
        Blur=odd_from(3, 7),
        GaussianBlur=gaussian_blur(0, 0, (0.1, 2.0)),
        GlassBlur=noise_only,
        MedianBlur=odd_from(3, 7),
        AdvancedBlur=advanced_blur(),
        Defocus=defocus(),
        MotionBlur=motion_blur(),
        Emboss=uniforms((0.2, 0.5), (0.2, 0.7)),
        Sharpen=uniforms((0.2, 0.5), (0.5, 1.0)),
    ),
    **variants(GRAIN, "GaussianBlur", sizes=(gaussian_blur(3, 9, (0.5, 3.0)), 0.7)),
    **variants(GRAIN, "GlassBlur", swap=noise_only),
    **variants(
        GRAIN, "MotionBlur", in_the_middle=(motion_blur(5, 15, (-45.0, 45.0), (0.0, 0.0), shifted=False), 0.5)
    ),
    **alone(SQUARE, GaussianNoise=(with_noise(uniforms((1.0, 12.0))), 0.8)),
    **variants(
        GRAIN,
        "GaussianNoise",
        variance=variance_noise(10.0, 50.0),
        of_pixels=(with_noise(uniforms((0.1, 5.0))), 0.7),
    ),
    **alone(
        GRAIN,
        ISONoise=with_noise(uniforms((0.01, 0.05), (0.1, 0.5))),
        MultiplicativeNoise=multiplicative(0.9, 1.1),
        SaltAndPepper=salt_and_pepper((0.1, 0.3)),
        ShotNoise=shot_noise(),
        Downscale=uniforms((0.2, 0.9)),
        ImageCompression=integer_from(50, 95),
    ),
    **variants(
        GRAIN,
        "MultiplicativeNoise",
        per_channel=(multiplicative(0.5, 1.5, per_channel=True), 0.8),
        per_pixel=multiplicative(0.9, 1.1, per_pixel=True),
    ),
    **variants(GRAIN, "Downscale", smooth=uniforms((0.2, 0.5))),
    **variants(GRAIN, "ImageCompression", webp=(integer_from(5, 20), 0.5)),
    **alone(
        HOLES,
        CoarseDropout=coarse_dropout(),
        RandomErasing=(random_erasing(), 0.5),
        XYMasking=xy_masking((0, 3), (1, 2), (1, 5), (0.1, 0.1)),
        GridDropout=grid_dropout(),
        GridShuffle=grid_shuffle(),
        PixelDropout=noise_only,
    ),
    **variants(
        HOLES,
        "CoarseDropout",
        pixels=(coarse_dropout((1, 8), (2, 9), (7, 7)), 0.7),
        overhang=coarse_dropout((1, 1), (0.5, 0.5), (0.4, 0.4), overhang=True),
    ),
    **variants(
        HOLES,
        "RandomErasing",
        extreme=random_erasing((0.5, 1.0), (0.1, 10.0)),
        fitting=random_erasing(fitting=True),
    ),
    **variants(HOLES, "GridDropout", units=(grid_dropout(0.3, (3, 9)), 0.8)),
    **variants(HOLES, "GridShuffle", uneven=(grid_shuffle(4, 5), 0.6), drawn=grid_shuffle(4, 5, drawn=True)),
    **variants(HOLES, "PixelDropout", per_channel=noise_only),
    "Normalize, ToFloat, ToCHW": ([One(kind, nothing) for kind in ("ToFloat", "Normalize", "ToCHW")], SQUARE),
    **alone(
        AUDIO,
        Amplitude=uniforms((0.3, 1.0)),
        PolarityInversion=(nothing, 0.5),
        RandomSegment=lambda words, size: [words.integer(size[-1] - 8192 + 1)],
        Gain=uniforms((-12.0, 12.0)),
        GainTransition=gain_transition((-24.0, 6.0), (0.1, 1.0)),
        PeakNormalize=nothing,
        Clipping=uniforms((0.0, 0.4)),
        Reverse=(nothing, 0.5),
        TimeShift=lambda words, size: [extent(words, (-0.5, 0.5), size[-1])],
        AddNoise=add_noise((5.0, 40.0), "white"),
        AddBackground=add_background(2, (3.0, 30.0)),
        TimeStretch=uniforms((0.8, 1.25)),
        PitchShift=uniforms((-4.0, 4.0)),
        SpeedPerturb=listed((0.9, 1.0, 1.1)),
        DropChunk=bands(-1, (100, 1000), (1, 3)),
        DropFreq=drop_freq((0.0, 1.0), (1, 3)),
        LowPass=low_pass((150.0, 7500.0), (2, 4)),
        HighPass=high_pass((20.0, 2400.0), (2, 4)),
        BandPass=band_pass((200.0, 4000.0), (0.5, 1.99), (2, 4)),
    ),
    **variants(AUDIO, "GainTransition", samples=gain_transition((-9.0, 9.0), (50, 4000))),
    **variants(AUDIO, "TimeShift", samples=(lambda words, size: [extent(words, (-9000, 99), size[-1])], 0.7)),
    **variants(AUDIO, "SpeedPerturb", lengths=(listed((0.8, 1.25)), 0.7)),
    **variants(AUDIO, "DropChunk", shares=(bands(-1, (0.01, 0.2)), 0.5)),
    **variants(AUDIO, "DropFreq", two=drop_freq((0.2, 0.4), (2, 2))),
    **variants(AUDIO, "AddNoise", colors=add_noise((0.0, 9.0), "white", "pink", "brown")),
    **variants(AUDIO, "AddBackground", files=(add_background(3, (0.0, 0.0)), 0.6)),
    **alone(SPECTRUM, TimeMask=bands(-1, (0, 100)), FrequencyMask=bands(-2, (0, 27))),
    **variants(SPECTRUM, "TimeMask", share=bands(-1, (0, 100), share=0.2)),
    **variants(SPECTRA, "TimeMask", mean=(bands(-1, (0.0, 0.2), (1, 3)), 0.8)),
    **variants(SPECTRA, "FrequencyMask", mean=bands(-2, (0.0, 0.2), (2, 2))),
    **alone(VIDEO, TemporalSample=temporal_sample(8, (4, 4))),
    **variants(
        VIDEO,
        "TemporalSample",
        segments=temporal_sample(8, segments=8),
        strides=temporal_sample(9, (2, 5), 3),
        clips=temporal_sample(4, (2, 2), clips=3),
    ),
    **variants(FEW, "TemporalSample", short=temporal_sample(6, (1, 4), short="repeat")),
    "OneOf": ([Several("OneOf", one_of(3), [*FLIPS, crop(9)], 0.9)], SQUARE),
    "Choice": ([Several("Choice", by_weight((1.0, 0.0, 2.5)), CROPS, 0.9)], SQUARE),
    "Choice, all alike": ([Several("Choice", by_weight((0.1, 0.1, 0.1)), CROPS)], SQUARE),
    "RandomApply": ([Several("RandomApply", every(2), [crop(9), FLIPS[0]], 0.6)], SQUARE),
    "SomeOf": (
        [Several("SomeOf", some(3, 2), [*FLIPS, One("GaussianNoise", with_noise(uniforms((0.0, 12.0))))])],
        SQUARE,
    ),
    "SomeOf, replace": (
        [
            Several(
                "SomeOf",
                some(2, 3, replace=True),
                [One("GaussianNoise", with_noise(uniforms((0.0, 3.0)))), FLIPS[0]],
            )
        ],
        SQUARE,
    ),
    **{
        f"PolicyOp {op}": ([One("PolicyOp", policy_op(op))], SQUARE)
        for op in [*FOURTEEN, "Invert", "SolarizeAdd"]
    },
    "PolicyOp bicubic": ([One("PolicyOp", policy_op("Rotate", how=["bicubic"]))], SQUARE),
    "PolicyOp normal": (
        [One("PolicyOp", policy_op("Rotate", std=0.5, mean=9.0, how=["bilinear", "bicubic"]), 0.5)],
        SQUARE,
    ),
    "PolicyOp even": ([One("PolicyOp", policy_op("Color", std=math.inf, mean=9.0))], SQUARE),
    "RandAugment": (
        [Several("RandAugment", some(14, 2, replace=True), policy_ops("RandAugment", RAND, (9, 9)))],
        SQUARE,
    ),
    "RandAugment, options": (
        [
            Several(
                "RandAugment",
                some(14, 3, replace=True),
                policy_ops("RandAugment", RAND, (14, 14), 20, "bilinear"),
                0.9,
            )
        ],
        SQUARE,
    ),
    "TrivialAugmentWide": (
        [Several("TrivialAugmentWide", one_of(14), policy_ops("TrivialAugmentWide", WIDE))],
        SQUARE,
    ),
    "AutoAugment": ([One("AutoAugment", auto_augment(pairs("imagenet")))], SQUARE),
    "AutoAugment cifar10": ([One("AutoAugment", auto_augment(pairs("cifar10")), 0.9)], SQUARE),
    "AutoAugment svhn": ([One("AutoAugment", auto_augment(pairs("svhn")))], SQUARE),
    "AugMix": ([One("AugMix", aug_mix())], SQUARE),
    "AugMix, options": ([One("AugMix", aug_mix(5, 2, 2, 0.4, all_ops=False, how="bicubic"), 0.8)], SQUARE),
    "MixUp": ([One("MixUp", mix_up(1000, 7))], (19, 23, 3)),
    "MixUp of few": ([One("MixUp", mix_up(4, 3, 0.2), 0.7)], (19, 23, 3)),
    "CutMix": ([One("CutMix", cut_mix(1000, 7))], (19, 23, 3)),
    "CutMix of few": ([One("CutMix", cut_mix(4, 3, 2.5), 0.7)], (19, 23, 3)),
    "Mosaic": ([One("Mosaic", mosaic(1000, 7, 40, 40))], (19, 23, 3)),
    "Mosaic of few": ([One("Mosaic", mosaic(4, 3, 30, 50, (0.1, 0.6)), 0.7)], (19, 23, 3)),
    "CopyPaste": ([One("CopyPaste", copy_paste(1000, 7))], (19, 23, 3)),
    "CopyPaste of few": ([One("CopyPaste", copy_paste(4, 3), 0.7)], (19, 23, 3)),
}
"""Pipelines that interpolate otherwise draw the same: they have the name with ", nearest" after it."""
