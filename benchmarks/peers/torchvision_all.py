"""Further transforms of torchvision v2, by seedsafe's names."""

from __future__ import annotations

import torch
import torch.library

from benchmarks.scene import MEAN, STD, USUAL

try:
    from torchvision.transforms import v2
except RuntimeError:  # the wheel's compiled operators need CUDA's libraries; a declaration is enough here
    for operator in ("nms", "qnms"):
        torch.library.define(
            f"torchvision::{operator}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
        )
    from torchvision.transforms import v2

__all__ = ["transforms", "v2"]


def transforms(crop: int) -> dict[str, tuple[torch.nn.Module, ...]]:
    """Return the modules of each case that torchvision has."""
    jitter = v2.ColorJitter(0.4, 0.4, 0.4, 0.1)
    one: dict[str, torch.nn.Module] = {
        "RandomResizedCrop": v2.RandomResizedCrop(crop, antialias=False),
        "Resize": v2.Resize((crop, crop), antialias=False),
        "RandomResizedCrop, antialias": v2.RandomResizedCrop(crop),
        "Resize, antialias": v2.Resize((crop, crop)),
        "RandomZoomOut": v2.RandomZoomOut(side_range=(1.0, 2.0), p=1),
        "Affine": v2.RandomAffine(
            15, (0.1, 0.1), (0.9, 1.1), (-5, 5), interpolation=v2.InterpolationMode.BILINEAR
        ),
        "Rotate": v2.RandomRotation(45, interpolation=v2.InterpolationMode.BILINEAR),
        "Perspective": v2.RandomPerspective(p=1),
        "ElasticTransform": v2.ElasticTransform(50.0, 5.0),
        "ColorJitter": jitter,
        "PhotoMetricDistortion": v2.RandomPhotometricDistort(),
        "ChannelShuffle": v2.RandomChannelPermutation(),
        "ToGray": v2.Grayscale(3),
        "Equalize": v2.RandomEqualize(p=1),
        "AutoContrast": v2.RandomAutocontrast(p=1),
        "Solarize": v2.RandomSolarize(128, p=1),
        "Posterize": v2.RandomPosterize(4, p=1),
        "Invert": v2.RandomInvert(p=1),
        "GaussianBlur": v2.GaussianBlur(5),
        "RandomErasing": v2.RandomErasing(p=1),
    }
    cases: dict[str, tuple[torch.nn.Module, ...]] = {name: (module,) for name, module in one.items()}
    cases[USUAL] = (
        v2.RandomResizedCrop(crop, antialias=False),
        v2.RandomHorizontalFlip(p=0.5),
        jitter,
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize(MEAN, STD),
    )
    return cases
