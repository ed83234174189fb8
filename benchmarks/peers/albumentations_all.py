"""Further transforms of albumentations, by seedsafe's names."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import albumentations as a
from albumentations.pytorch import ToTensorV2

from benchmarks.scene import MEAN, STD

__all__ = ["chain", "transforms"]


def transforms(size: int, crop: int) -> dict[str, a.BasicTransform]:
    """Return the transform of each case that this release has."""
    corner = {"x_min": 2, "y_min": 2, "x_max": 2 + crop, "y_max": 2 + crop}
    makers: dict[str, Callable[[], Any]] = {
        "RandomResizedCrop": lambda: a.RandomResizedCrop((crop, crop), p=1),
        "Resize": lambda: a.Resize(crop, crop, p=1),
        "SmallestMaxSize": lambda: a.SmallestMaxSize(crop, p=1),
        "LongestMaxSize": lambda: a.LongestMaxSize(crop, p=1),
        "RandomScale": lambda: a.RandomScale((-0.2, 0.2), p=1),
        "PadIfNeeded": lambda: a.PadIfNeeded(size + 8, size + 8, p=1),
        "Crop": lambda: a.Crop(**corner, p=1),
        "CropAndPad": lambda: a.CropAndPad(px=(-4, 4), p=1),
        "RandomCropFromBorders": lambda: a.RandomCropFromBorders(p=1),
        "RandomSizedCrop": lambda: a.RandomSizedCrop((size // 2, size), (crop, crop), p=1),
        "Affine": lambda: a.Affine(
            rotate=(-15, 15), translate_percent=(-0.1, 0.1), scale=(0.9, 1.1), shear=(-5, 5), p=1
        ),
        "Rotate": lambda: a.Rotate((-45, 45), p=1),
        "RandomRotate90": lambda: a.RandomRotate90(p=1),
        "Transpose": lambda: a.Transpose(p=1),
        "D4": lambda: a.D4(p=1),
        "Perspective": lambda: a.Perspective(p=1),
        "GridDistortion": lambda: a.GridDistortion(p=1),
        "OpticalDistortion": lambda: a.OpticalDistortion(p=1),
        "ColorJitter": lambda: a.ColorJitter((0.6, 1.4), (0.6, 1.4), (0.6, 1.4), (-0.1, 0.1), p=1),
        "RandomBrightnessContrast": lambda: a.RandomBrightnessContrast(p=1),
        "HueSaturationValue": lambda: a.HueSaturationValue(p=1),
        "RGBShift": lambda: a.RGBShift(p=1),
        "PhotoMetricDistortion": lambda: a.PhotoMetricDistort(p=1),
        "ChannelShuffle": lambda: a.ChannelShuffle(p=1),
        "ChannelDropout": lambda: a.ChannelDropout(p=1),
        "ToGray": lambda: a.ToGray(p=1),
        "ToSepia": lambda: a.ToSepia(p=1),
        "Gamma": lambda: a.RandomGamma(p=1),
        "CLAHE": lambda: a.CLAHE(p=1),
        "Equalize": lambda: a.Equalize(mode="pil", p=1),
        "Equalize, OpenCV's": lambda: a.Equalize(mode="cv", p=1),
        "AutoContrast": lambda: a.AutoContrast(p=1),
        "Solarize": lambda: a.Solarize(p=1),
        "Posterize": lambda: a.Posterize(p=1),
        "Invert": lambda: a.InvertImg(p=1),
        "Sharpen": lambda: a.Sharpen(p=1),
        "Emboss": lambda: a.Emboss(p=1),
        "ToneCurve": lambda: a.RandomToneCurve(p=1),
        "Blur": lambda: a.Blur((5, 5), p=1),
        "MedianBlur": lambda: a.MedianBlur((5, 5), p=1),
        "MotionBlur": lambda: a.MotionBlur((7, 7), p=1),
        "AdvancedBlur": lambda: a.AdvancedBlur(p=1),
        "GlassBlur": lambda: a.GlassBlur(p=1),
        "Defocus": lambda: a.Defocus(p=1),
        "ISONoise": lambda: a.ISONoise(p=1),
        "MultiplicativeNoise": lambda: a.MultiplicativeNoise(p=1),
        "SaltAndPepper": lambda: a.SaltAndPepper(p=1),
        "ShotNoise": lambda: a.ShotNoise(p=1),
        "ImageCompression": lambda: a.ImageCompression(quality_range=(80, 80), p=1),
        "Downscale": lambda: a.Downscale(p=1),
        "CoarseDropout": lambda: a.CoarseDropout(p=1),
        "RandomErasing": lambda: a.Erasing(p=1),
        "GridDropout": lambda: a.GridDropout(p=1),
        "GridShuffle": lambda: a.RandomGridShuffle((3, 3), p=1),
        "PixelDropout": lambda: a.PixelDropout(p=1),
    }
    side = max(1, size // 10)
    makers |= {
        "GaussianBlur": lambda: a.GaussianBlur((5, 5), (0.1, 2.0), p=1),
        "XYMasking": lambda: a.XYMasking((1, 1), (1, 1), (1, side), (1, side), p=1),
    }
    if a.__version__.startswith("2.0."):  # AlbumentationsX moves a grid of 7 by 7 points: another transform
        makers["ElasticTransform"] = lambda: a.ElasticTransform(alpha=50, sigma=5, p=1)
    result = {}
    for name, make in makers.items():
        with suppress(AttributeError):  # this release lacks it
            result[name] = make()
    return result


def chain(crop: int) -> list[Any]:
    """Return the transforms of the usual chain."""
    return [
        a.RandomResizedCrop((crop, crop), p=1),
        a.HorizontalFlip(p=0.5),
        a.ColorJitter((0.6, 1.4), (0.6, 1.4), (0.6, 1.4), (-0.1, 0.1), p=1),
        a.Normalize(MEAN, STD),
        ToTensorV2(),
    ]
