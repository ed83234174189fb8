"""Over 500 draws of each transform, outputs are distributed as the original's: albumentations 2.0.8, in the same process.

What is compared: by Kolmogorov and Smirnov's test, the means and spreads of the outputs, of each channel and of blocks of the image
and mask; and the shapes. A share of 1e-4 of honest pairs would fail one comparison.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"

import albumentations as original
import numpy as np
import pytest
from scipy.stats import ks_2samp
from skimage import data

import seedsafe as ss
import seedsafe_albumentations as ours

pytestmark = [pytest.mark.albumentations, pytest.mark.filterwarnings("ignore")]

DRAWS = 500
IMAGE = np.ascontiguousarray(data.astronaut()[::4, ::4][:96, :112])
MASK = (IMAGE[..., 0] // 64).astype(np.uint8)

CASES: dict[str, Callable[[Any], Any]] = {
    "RandomResizedCrop": lambda A: A.RandomResizedCrop((64, 64), scale=(0.2, 1.0)),
    "RandomCrop": lambda A: A.RandomCrop(64, 48),
    "RandomSizedCrop": lambda A: A.RandomSizedCrop((40, 90), size=(64, 64)),
    "RandomScale": lambda A: A.RandomScale(0.3, p=1),
    "RandomCropFromBorders": lambda A: A.RandomCropFromBorders(0.2, 0.2, 0.2, 0.2),
    "CropAndPad": lambda A: A.CropAndPad(percent=(-0.2, 0.2)),
    "ShiftScaleRotate": lambda A: A.ShiftScaleRotate(0.1, 0.2, 30, p=1),
    "Affine": lambda A: A.Affine(
        scale=(0.8, 1.2), translate_percent=(-0.1, 0.1), rotate=(-20, 40), shear=(-10, 10), p=1
    ),
    "Rotate": lambda A: A.Rotate((10, 40), p=1),
    "RandomRotate90": lambda A: A.RandomRotate90(),
    "D4": lambda A: A.D4(),
    "Transpose": lambda A: A.Transpose(),
    "HorizontalFlip": lambda A: A.HorizontalFlip(),
    "VerticalFlip": lambda A: A.VerticalFlip(p=0.3),
    "Perspective": lambda A: A.Perspective((0.05, 0.1), p=1),
    "ElasticTransform": lambda A: A.ElasticTransform(120, 6, p=1),
    "GridDistortion": lambda A: A.GridDistortion(p=1),
    "OpticalDistortion": lambda A: A.OpticalDistortion(0.5, p=1),
    "ColorJitter": lambda A: A.ColorJitter(0.2, 0.2, 0.2, 0.1, p=1),
    "RandomBrightnessContrast": lambda A: A.RandomBrightnessContrast(p=1),
    "HueSaturationValue": lambda A: A.HueSaturationValue(p=1),
    "RGBShift": lambda A: A.RGBShift(p=1),
    "ChannelShuffle": lambda A: A.ChannelShuffle(p=1),
    "ChannelDropout": lambda A: A.ChannelDropout(p=1),
    "ToGray": lambda A: A.ToGray(),
    "ToSepia": lambda A: A.ToSepia(),
    "RandomGamma": lambda A: A.RandomGamma(p=1),
    "CLAHE": lambda A: A.CLAHE(p=1),
    "Equalize": lambda A: A.Equalize(),
    "Solarize": lambda A: A.Solarize((0.3, 0.8), p=1),
    "Posterize": lambda A: A.Posterize((2, 5), p=1),
    "InvertImg": lambda A: A.InvertImg(),
    "Sharpen": lambda A: A.Sharpen(p=1),
    "Emboss": lambda A: A.Emboss(p=1),
    "RandomToneCurve": lambda A: A.RandomToneCurve(p=1),
    "FancyPCA": lambda A: A.FancyPCA(p=1),
    "Blur": lambda A: A.Blur((3, 7), p=1),
    "GaussianBlur": lambda A: A.GaussianBlur(p=1),
    "MedianBlur": lambda A: A.MedianBlur((3, 7), p=1),
    "MotionBlur": lambda A: A.MotionBlur((3, 7), p=1),
    "AdvancedBlur": lambda A: A.AdvancedBlur(p=1),
    "GlassBlur": lambda A: A.GlassBlur(p=1),
    "Defocus": lambda A: A.Defocus(p=1),
    "GaussNoise": lambda A: A.GaussNoise((0.05, 0.2), p=1),
    "ISONoise": lambda A: A.ISONoise(p=1),
    "MultiplicativeNoise": lambda A: A.MultiplicativeNoise(p=1),
    "SaltAndPepper": lambda A: A.SaltAndPepper(p=1),
    "ShotNoise": lambda A: A.ShotNoise(p=1),
    "ImageCompression": lambda A: A.ImageCompression(quality_range=(30, 90), p=1),
    "Downscale": lambda A: A.Downscale((0.3, 0.7), p=1),
    "CoarseDropout": lambda A: A.CoarseDropout((2, 5), (0.1, 0.3), (0.05, 0.2), p=1),
    "CoarseDropout, mask": lambda A: A.CoarseDropout((2, 5), (8, 16), (5, 20), fill_mask=0, p=1),
    "Erasing": lambda A: A.Erasing(p=1),
    "XYMasking": lambda A: A.XYMasking((1, 3), (1, 3), (5, 20), (5, 20), p=1),
    "RandomGridShuffle": lambda A: A.RandomGridShuffle(p=1),
    "PixelDropout": lambda A: A.PixelDropout(0.1, p=1),
    "PiecewiseAffine": lambda A: A.PiecewiseAffine(p=1),
    "PadIfNeeded": lambda A: A.PadIfNeeded(128, 128, position="random"),
    "LongestMaxSize": lambda A: A.LongestMaxSize([60, 80]),
    "OneOf": lambda A: A.OneOf([A.HorizontalFlip(p=0.2), A.InvertImg(p=0.6)], p=0.7),
    "SomeOf": lambda A: A.SomeOf([A.HorizontalFlip(p=0.5), A.InvertImg(p=1), A.VerticalFlip(p=1)], n=2),
    "flips": lambda A: A.Compose([A.HorizontalFlip(), A.VerticalFlip()]),
    "usual": lambda A: A.Compose(
        [A.RandomResizedCrop((64, 64)), A.HorizontalFlip(), A.ColorJitter(0.4, 0.4, 0.4, 0.1), A.Normalize()]
    ),
}


def figures(image: Any, mask: Any) -> list[float]:
    """Return what is compared: means and spreads of channels, and of nine blocks of image and mask."""
    found = [*image.mean(axis=(0, 1)), *image.std(axis=(0, 1))]
    for part in (image.mean(axis=2), mask):
        rows, columns = part.shape
        found += [
            part[rows * i // 3 : rows * (i + 1) // 3, columns * j // 3 : columns * (j + 1) // 3].mean()
            for i in range(3)
            for j in range(3)
        ]
    return [*map(float, found), float(mask.std())]


def outputs(call: Callable[..., Any]) -> tuple[np.ndarray, Counter[Any]]:
    made = [call(index) for index in range(DRAWS)]
    shapes = Counter((one["image"].shape, one["mask"].shape, one["image"].dtype.name) for one in made)
    return np.array([figures(one["image"], one["mask"]) for one in made]), shapes


@pytest.mark.parametrize("name", CASES)
def test_outputs_are_distributed_as_the_originals(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = original.Compose([CASES[name](original)], seed=5)
    mine = ours.Compose([CASES[name](ours)])
    wanted, their_shapes = outputs(lambda _: theirs(image=IMAGE, mask=MASK))
    found, my_shapes = outputs(lambda index: mine(image=IMAGE, mask=MASK, key=ss.SampleKey(7, 0, index)))
    if max(their_shapes.values()) == DRAWS:
        assert my_shapes == their_shapes
    assert {shape[2] for shape in my_shapes} == {shape[2] for shape in their_shapes}
    # Rounding may tell apart what is drawn alike: distances count from a hundredth of the spread, or of a grey value, on.
    step = np.maximum(
        0.05 * np.maximum(wanted.std(axis=0), found.std(axis=0)), 0.5 if wanted.max() > 10 else 0.005
    )
    worst = min(
        ks_2samp(np.round(wanted[:, k] / step[k]), np.round(found[:, k] / step[k])).pvalue
        for k in range(wanted.shape[1])
    )
    assert worst * wanted.shape[1] > 1e-4
