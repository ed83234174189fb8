"""Further augmentations of kornia, by seedsafe's names."""

from __future__ import annotations

import kornia.augmentation as k
import torch

from benchmarks.scene import MEAN, STD, USUAL

__all__ = ["transforms"]


def transforms(crop: int) -> dict[str, tuple[torch.nn.Module, ...]]:
    """Return the modules of each case that kornia has."""
    jitter = k.ColorJiggle(0.4, 0.4, 0.4, 0.1, p=1)
    one: dict[str, torch.nn.Module] = {
        "RandomResizedCrop": k.RandomResizedCrop((crop, crop), p=1),
        "Resize": k.Resize((crop, crop)),
        "Affine": k.RandomAffine(15, (0.1, 0.1), (0.9, 1.1), (-5, 5), p=1),
        "Rotate": k.RandomRotation(45.0, p=1),
        "Perspective": k.RandomPerspective(p=1),
        "ElasticTransform": k.RandomElasticTransform(p=1),
        "ColorJitter": jitter,
        "ChannelShuffle": k.RandomChannelShuffle(p=1),
        "ToGray": k.RandomGrayscale(p=1),
        "Equalize": k.RandomEqualize(p=1),
        "Solarize": k.RandomSolarize(p=1),
        "Posterize": k.RandomPosterize(p=1),
        "Invert": k.RandomInvert(p=1),
        "Gamma": k.RandomGamma((0.8, 1.2), p=1),
        "Blur": k.RandomBoxBlur((5, 5), p=1),
        "GaussianBlur": k.RandomGaussianBlur((5, 5), (0.1, 2.0), p=1),
        "MedianBlur": k.RandomMedianBlur((5, 5), p=1),
        "MotionBlur": k.RandomMotionBlur(7, 35.0, 0.5, p=1),
        "RandomErasing": k.RandomErasing(p=1),
    }
    cases: dict[str, tuple[torch.nn.Module, ...]] = {name: (module,) for name, module in one.items()}
    cases[USUAL] = (
        k.RandomResizedCrop((crop, crop), p=1),
        k.RandomHorizontalFlip(p=0.5),
        jitter,
        k.Normalize(torch.tensor(MEAN), torch.tensor(STD)),
    )
    return cases
