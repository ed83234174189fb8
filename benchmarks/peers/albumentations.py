"""albumentations 2.0.8 or AlbumentationsX, whichever is installed.

They share the import name. Both are called through Compose, as in their documentation; `albumentations_bare` calls the transforms alone.
"""

from __future__ import annotations

import albumentations
from albumentations.pytorch import ToTensorV2

from benchmarks.peers.albumentations_all import chain, transforms
from benchmarks.scene import MEAN, NOISE, PADDING, STD, USUAL, Array, Scene
from benchmarks.timing import Call

__all__ = ["DTYPE", "NAME", "calls", "single"]

DTYPE = "uint8"
NAME = "albumentations" if albumentations.__version__.startswith("2.0.") else "AlbumentationsX"


def calls(scene: Scene) -> dict[str, Call]:
    a, size = albumentations, scene.crop
    cases = {case: _call(image, transform) for case, (image, transform) in single(scene).items()}
    crop, normalize, flip = a.RandomCrop(size, size), a.Normalize(MEAN, STD), a.HorizontalFlip(p=1)
    cases["RandomCrop, padding 4"] = _call(scene.uint8, a.Pad(PADDING), crop)
    cases["RandomCrop + HorizontalFlip + Normalize + ToCHW"] = _call(
        scene.uint8, crop, flip, normalize, ToTensorV2()
    )
    cases[USUAL] = _call(scene.uint8, *chain(size))
    return cases


def single(scene: Scene) -> dict[str, tuple[Array, albumentations.BasicTransform]]:
    """Return the cases with one transform, and its image."""
    a, size = albumentations, scene.crop
    low, high = NOISE["uint8"]
    uint8_noise = a.GaussNoise(std_range=(low / 255, high / 255), per_channel=True, p=1)
    float32_noise = a.GaussNoise(std_range=NOISE["float32"], per_channel=True, p=1)
    return {name: (scene.uint8, one) for name, one in transforms(scene.size, size).items()} | {
        "RandomCrop": (scene.uint8, a.RandomCrop(size, size)),
        "CenterCrop": (scene.uint8, a.CenterCrop(size, size)),
        "Pad 4": (scene.uint8, a.Pad(PADDING)),
        "HorizontalFlip": (scene.uint8, a.HorizontalFlip(p=1)),
        "VerticalFlip": (scene.uint8, a.VerticalFlip(p=1)),
        "GaussianNoise uint8": (scene.uint8, uint8_noise),
        "GaussianNoise float32": (scene.float32, float32_noise),
        "Normalize": (scene.uint8, a.Normalize(MEAN, STD)),
        "ToFloat": (scene.uint8, a.ToFloat(max_value=255)),
        "ToCHW": (scene.uint8, ToTensorV2()),
    }


def _call(image: Array, *transforms: albumentations.BasicTransform) -> Call:
    augment = albumentations.Compose(list(transforms))
    return lambda: augment(image=image)["image"]
