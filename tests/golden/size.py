"""Pipelines of sizes, crops and pads: what they draw, and the pixels of those that are exact on every machine."""

from __future__ import annotations

import seedsafe as ss

_SHAPE = (37, 53, 3)
_BOXES = [[5, 4, 20, 30], [25, 10, 50, 35]]
_EXACT = {
    "PadIfNeeded": ss.PadIfNeeded(60, divisor=8, position="random", fill=114),
    "PadIfNeeded reflect": ss.PadIfNeeded((50, 60), mode="reflect"),
    "Crop": ss.Crop(3, 1, 20, 30),
    "RandomCropFromBorders": ss.RandomCropFromBorders(crop_left=0.3),
    "CropAndPad": ss.CropAndPad((-9, 9), keep_size=False),
    "FiveCrop": ss.FiveCrop(20),
    "TenCrop": ss.TenCrop((20, 30), vertical_flip=True),
    "RandomZoomOut": ss.RandomZoomOut(fill=100, p=0.8),
    "RandomResizedCrop nearest": ss.RandomResizedCrop((20, 30), interpolation="nearest"),
}
_EXACT_IN_UINT8 = {
    "RandomResizedCrop": ss.RandomResizedCrop((20, 30)),
    "RandomResizedCrop that never fits": ss.RandomResizedCrop(9, scale=1, ratio=(3, 4)),
    "RandomSizedCrop": ss.RandomSizedCrop(20, heights=(5, 30), ratio=1.25),
    "MultiScaleCrop": ss.MultiScaleCrop(24),
    "MultiScaleCrop random": ss.MultiScaleCrop(24, scales=(1, 0.5), places="random", interpolation="area"),
    "Resize": ss.Resize((20, 31)),
    "Resize shorter side": ss.Resize(30, max_size=40),
    "Resize keep_ratio": ss.Resize((90, 61), keep_ratio=True),
    "SmallestMaxSize": ss.SmallestMaxSize([20, 30, 40]),
    "LongestMaxSize": ss.LongestMaxSize(41, p=0.5),
    "RandomScale": ss.RandomScale(0.3),
    "RandomScale sizes": ss.RandomScale(sizes=[20, 30, 40], max_size=50),
    "RandomScale between": ss.RandomScale(sizes=[(80, 40), (80, 60)], between=True),
    "RandomScale of a size": ss.RandomScale((0.5, 2), size=(40, 30), keep_ratio=False),
    "LetterBox": ss.LetterBox(48),
    "CropAndPad percent": ss.CropAndPad(percent=(-0.2, 0.2), sample_independently=False),
}
_WITH_BOXES = {
    "RandomIoUCrop": ss.RandomIoUCrop(),
    "RandomIoUCrop trials": ss.RandomIoUCrop(sampler_options=[0.5, 0.7], trials=5),
    "BBoxSafeCrop": ss.BBoxSafeCrop(),
    "BBoxSafeCrop eroded": ss.BBoxSafeCrop(20, erosion_rate=0.3, p=0.7),
}

PIPELINES = (
    {name: (ss.Compose([one]), _SHAPE) for name, one in _EXACT.items()}
    | {name: (ss.Compose([one]), ss.Info(_SHAPE, "uint8")) for name, one in _EXACT_IN_UINT8.items()}
    | {name: (ss.Compose([one]), ss.Info(_SHAPE, "uint8", _BOXES)) for name, one in _WITH_BOXES.items()}
    | {"CropNonEmptyMask": (ss.Compose([ss.CropNonEmptyMask(20)]), _SHAPE)}
)
EXACT = tuple(_EXACT) + tuple(_EXACT_IN_UINT8)
