"""Over 500 draws of each transform, outputs are distributed as the original's: albumentations 2.0.8, in the same process.

What is compared: by Kolmogorov and Smirnov's test, the means and spreads of the outputs, of each channel and of blocks of the image
and mask; and the shapes. Of honest pairs a share of 1e-4 would fail. Two outputs from the same parameters may differ by a rounding:
a figure's distributions count as apart where no pairing brings them within one grey level (of 256) of each other, and masks' within
0.02 of a class (their values are 0 to 3).
"""

from __future__ import annotations

import os
import random
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
IMAGE_FIGURES = 15  # the first ones; the others are of the mask
IMAGE = np.ascontiguousarray(data.astronaut()[::4, ::4][:96, :112])
MASK = (IMAGE[..., 0] // 64).astype(np.uint8)

EXACT = (
    6  # cv2.INTER_NEAREST_EXACT: OpenCV's old "nearest" takes pixels up to half a pixel too far up and left
)

CASES: dict[str, Callable[[Any], Any]] = {
    "RandomResizedCrop": lambda A: A.RandomResizedCrop((64, 64), scale=(0.2, 1.0)),
    "RandomCrop": lambda A: A.RandomCrop(64, 48),
    "RandomSizedCrop": lambda A: A.RandomSizedCrop((40, 90), size=(64, 64)),
    "RandomScale": lambda A: A.RandomScale(0.3, mask_interpolation=EXACT, p=1),
    "RandomCropFromBorders": lambda A: A.RandomCropFromBorders(0.2, 0.2, 0.2, 0.2),
    "CropAndPad": lambda A: A.CropAndPad(percent=(-0.2, 0.2)),
    "ShiftScaleRotate": lambda A: A.ShiftScaleRotate(0.1, 0.2, 30, p=1),
    "Affine": lambda A: A.Affine(
        scale=(0.8, 1.2), translate_percent=(-0.1, 0.1), rotate=(-20, 40), shear=(-10, 10), p=1
    ),
    "Affine in pixels": lambda A: A.Affine(translate_px={"x": (-9, 9), "y": (0, 14)}, p=1),
    "Affine, balanced": lambda A: A.Affine(scale=(0.6, 2.0), balanced_scale=True, p=1),
    "Rotate": lambda A: A.Rotate((10, 40), p=1),
    "SafeRotate": lambda A: A.SafeRotate((10, 40), p=1),
    "RandomOrder": lambda A: A.RandomOrder(
        [A.Transpose(p=1), A.HorizontalFlip(p=0.5), A.VerticalFlip(p=1)], n=2
    ),
    "RandomRotate90": lambda A: A.RandomRotate90(),
    "D4": lambda A: A.D4(),
    "Transpose": lambda A: A.Transpose(),
    "HorizontalFlip": lambda A: A.HorizontalFlip(),
    "VerticalFlip": lambda A: A.VerticalFlip(p=0.3),
    "Perspective": lambda A: A.Perspective((0.05, 0.1), p=1),
    "ElasticTransform": lambda A: A.ElasticTransform(120, 6, p=1),
    "GridDistortion": lambda A: A.GridDistortion(p=1),
    "GridDistortion, edges": lambda A: A.GridDistortion(border_mode=1, p=1),
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
    "Downscale": lambda A: A.Downscale(
        (0.3, 0.7), interpolation_pair={"downscale": EXACT, "upscale": EXACT}, p=1
    ),
    "CoarseDropout": lambda A: A.CoarseDropout((2, 5), (0.1, 0.3), (0.05, 0.2), p=1),
    "CoarseDropout, mask": lambda A: A.CoarseDropout((2, 5), (8, 16), (5, 20), fill_mask=0, p=1),
    "Erasing": lambda A: A.Erasing(p=1),
    "XYMasking": lambda A: A.XYMasking((1, 3), (1, 3), (5, 20), (5, 20), p=1),
    "RandomGridShuffle": lambda A: A.RandomGridShuffle(p=1),
    "PixelDropout": lambda A: A.PixelDropout(0.1, p=1),
    "PiecewiseAffine": lambda A: A.PiecewiseAffine(p=1),
    "PadIfNeeded": lambda A: A.PadIfNeeded(128, 128, position="random"),
    "LongestMaxSize": lambda A: A.LongestMaxSize([60, 80], mask_interpolation=EXACT),
    "OneOf": lambda A: A.OneOf([A.HorizontalFlip(p=0.2), A.InvertImg(p=0.6)], p=0.7),
    "SomeOf": lambda A: A.SomeOf([A.HorizontalFlip(p=0.5), A.InvertImg(p=1), A.VerticalFlip(p=1)], n=2),
    "flips": lambda A: A.Compose([A.HorizontalFlip(), A.VerticalFlip()]),
    "usual": lambda A: A.Compose(
        [A.RandomResizedCrop((64, 64)), A.HorizontalFlip(), A.ColorJitter(0.4, 0.4, 0.4, 0.1), A.Normalize()]
    ),
}

TOLERANCES: dict[str, tuple[float, float]] = {
    # Its last row and column come from beyond the image, so that it always blackens them, against its own documentation
    # ("ensures that the distortion does not move pixels outside the image boundaries"). With edges in place of black: as usual.
    "GridDistortion": (6.0, 0.1),
    "GridDistortion, edges": (2.0, 0.1),  # the half row and column by which that moves the others
    # Its middle is the pixel to the right and below the image's middle.
    "OpticalDistortion": (1.0, 0.2),
    # It shows the image half a pixel too far right and down.
    "SafeRotate": (4.0, 0.08),
    # It weighs all points by their distance, so that the image is drawn to its middle; the core has the triangles of imgaug, that
    # albumentations 1 used.
    "PiecewiseAffine": (40.0, 1.0),
    # It stretches the image's contrast by weight times variance (in [0, 1]): next to nothing; the paper that it names, and the core,
    # add weight times variance to all pixels.
    "FancyPCA": (12.0, 0.0),
}
"""Grey levels and shares of a class that the original may be away, where it does not do what it documents."""


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


def independent(pipeline: Any, entropy: np.random.SeedSequence) -> Any:
    """Return the original pipeline with a seed for each member: its own ``seed=`` gives all of them the same draws."""
    for child, own in zip(pipeline.transforms, entropy.spawn(len(pipeline.transforms)), strict=True):
        if isinstance(child, original.BaseCompose):
            independent(child, own)
        else:
            child.set_random_state(np.random.default_rng(own), random.Random(int(own.generate_state(1)[0])))
    own = entropy.spawn(1)[0]
    pipeline.random_generator = np.random.default_rng(own)
    pipeline.py_random = random.Random(int(own.generate_state(1)[0]))
    return pipeline


def pvalue(wanted: np.ndarray, found: np.ndarray, tolerance: float) -> float:
    """Return how probable it is that draws so far apart come of distributions within `tolerance` of each other.

    Two one-sided tests: is `found` larger than `wanted` with the tolerance added, or smaller than it with the tolerance taken off?
    """
    larger = ks_2samp(found, wanted + tolerance, alternative="less").pvalue
    smaller = ks_2samp(found, wanted - tolerance, alternative="greater").pvalue
    return min(1.0, 2 * float(min(larger, smaller)))


compute = original.augmentations.geometric.functional.compute_perspective_params
smooth = original.augmentations.geometric.functional.generate_displacement_fields


def enlarged_once(points: np.ndarray, image_shape: tuple[int, int]) -> tuple[np.ndarray, int, int]:
    """Return the matrix that brings four points to the image's corners.

    The original enlarges by it, and then once more by how much smaller the four points' rectangle was, so that only the upper left
    part of what it documents is seen.
    """
    height, width = image_shape
    return compute(points, image_shape)[0], width, height


def apart(image_shape: tuple[int, int], *args: Any, same_dxdy: bool, **options: Any) -> Any:
    """Return displacements in x and y, each smoothed by itself.

    The original smooths them as one array, x above y, so that the lower edge of x and the upper edge of y hold no noise of the outermost
    pixels, but each other's.
    """
    across = smooth(image_shape, *args, same_dxdy=True, **options)[0]
    return across, across if same_dxdy else smooth(image_shape, *args, same_dxdy=True, **options)[0]


MENDED: dict[str, tuple[str, Any]] = {
    "Perspective": ("compute_perspective_params", enlarged_once),
    "ElasticTransform": ("generate_displacement_fields", apart),
}
"""Functions of the original that do not do what they document, and what does."""


@pytest.mark.parametrize("name", CASES)
def test_outputs_are_distributed_as_the_originals(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in MENDED:
        monkeypatch.setattr(original.augmentations.geometric.functional, *MENDED[name])
    theirs = independent(original.Compose([CASES[name](original)]), np.random.SeedSequence(5))
    mine = ours.Compose([CASES[name](ours)])
    wanted, their_shapes = outputs(lambda _: theirs(image=IMAGE, mask=MASK))
    found, my_shapes = outputs(lambda index: mine(image=IMAGE, mask=MASK, key=ss.SampleKey(7, 0, index)))
    if max(their_shapes.values()) == DRAWS:
        assert my_shapes == their_shapes
    assert {shape[2] for shape in my_shapes} == {shape[2] for shape in their_shapes}
    grey, label = TOLERANCES.get(name, (1.0, 0.02))
    if their_shapes.most_common(1)[0][0][2] == "float32":
        grey *= 0.02
    worst = min(
        (pvalue(wanted[:, k], found[:, k], grey if k < IMAGE_FIGURES else label), k)
        for k in range(wanted.shape[1])
    )
    k = worst[1]
    assert worst[0] * wanted.shape[1] > 1e-4, (
        f"figure {k}: {wanted[:, k].mean():.3f} ± {wanted[:, k].std():.3f} in the original, "
        f"{found[:, k].mean():.3f} ± {found[:, k].std():.3f} here"
    )
