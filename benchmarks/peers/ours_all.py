"""Further transforms of seedsafe, with arguments of peers."""

from __future__ import annotations

import seedsafe as ss
from benchmarks.scene import MEAN, STD, USUAL

__all__ = ["transforms"]


def transforms(size: int, crop: int) -> dict[str, tuple[ss.Transform, ...]]:
    """Return the transforms of each case, for images of `size`² pixels and crops of `crop`²."""
    one: dict[str, ss.Transform] = {
        "RandomResizedCrop": ss.RandomResizedCrop(crop),
        "Resize": ss.Resize((crop, crop)),
        "RandomResizedCrop, antialias": ss.RandomResizedCrop(crop, antialias=True),
        "Resize, antialias": ss.Resize((crop, crop), antialias=True),
        "SmallestMaxSize": ss.SmallestMaxSize(crop),
        "LongestMaxSize": ss.LongestMaxSize(crop),
        "RandomScale": ss.RandomScale((0.8, 1.2)),
        "PadIfNeeded": ss.PadIfNeeded(size + 8),
        "Crop": ss.Crop(2, 2, crop, crop),
        "CropAndPad": ss.CropAndPad((-4, 4)),
        "RandomCropFromBorders": ss.RandomCropFromBorders(),
        "RandomSizedCrop": ss.RandomSizedCrop(crop, heights=(size // 2, size)),
        "RandomZoomOut": ss.RandomZoomOut((1.0, 2.0), p=1),
        "Affine": ss.Affine(15, translate=0.1, scale=(0.9, 1.1), shear=5),
        "Rotate": ss.Rotate(45),
        "RandomRotate90": ss.RandomRotate90(p=1),
        "Transpose": ss.Transpose(p=1),
        "D4": ss.D4(p=1),
        "Perspective": ss.Perspective(p=1),
        "ElasticTransform": ss.ElasticTransform(50.0, sigma=5.0, p=1),
        "GridDistortion": ss.GridDistortion(p=1),
        "OpticalDistortion": ss.OpticalDistortion(p=1),
        "ColorJitter": ss.ColorJitter(0.4, 0.4, 0.4, 0.1),
        "RandomBrightnessContrast": ss.RandomBrightnessContrast(),
        "HueSaturationValue": ss.HueSaturationValue(),
        "RGBShift": ss.RGBShift(),
        "PhotoMetricDistortion": ss.PhotoMetricDistortion(),
        "ChannelShuffle": ss.ChannelShuffle(),
        "ChannelDropout": ss.ChannelDropout(),
        "ToGray": ss.ToGray(p=1),
        "ToSepia": ss.ToSepia(p=1),
        "Gamma": ss.Gamma(),
        "CLAHE": ss.CLAHE(),
        "Equalize": ss.Equalize(p=1),
        "Equalize, OpenCV's": ss.Equalize(method="opencv", p=1),
        "AutoContrast": ss.AutoContrast(p=1),
        "Solarize": ss.Solarize(p=1),
        "Posterize": ss.Posterize(p=1),
        "Invert": ss.Invert(p=1),
        "Sharpen": ss.Sharpen(),
        "Emboss": ss.Emboss(),
        "ToneCurve": ss.ToneCurve(),
        "FancyPCA": ss.FancyPCA(),
        "Blur": ss.Blur(5),
        "GaussianBlur": ss.GaussianBlur(5),
        "MedianBlur": ss.MedianBlur(5),
        "MotionBlur": ss.MotionBlur(7),
        "AdvancedBlur": ss.AdvancedBlur(),
        "GlassBlur": ss.GlassBlur(),
        "Defocus": ss.Defocus(),
        "ISONoise": ss.ISONoise(),
        "MultiplicativeNoise": ss.MultiplicativeNoise(),
        "SaltAndPepper": ss.SaltAndPepper(),
        "ShotNoise": ss.ShotNoise(),
        "ImageCompression": ss.ImageCompression((80, 80)),
        "Downscale": ss.Downscale(),
        "CoarseDropout": ss.CoarseDropout(),
        "RandomErasing": ss.RandomErasing(p=1),
        "GridDropout": ss.GridDropout(),
        "XYMasking": ss.XYMasking(width=0.1, height=0.1),
        "GridShuffle": ss.GridShuffle(),
        "PixelDropout": ss.PixelDropout(),
    }
    usual: tuple[ss.Transform, ...] = (
        ss.RandomResizedCrop(crop),
        ss.HorizontalFlip(p=0.5),
        ss.ColorJitter(0.4, 0.4, 0.4, 0.1),
        ss.Normalize(MEAN, STD),
        ss.ToCHW(),
    )
    return {USUAL: usual} | {name: (transform,) for name, transform in one.items()}
