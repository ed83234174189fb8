"""albumentations 2.0.8 or AlbumentationsX, whichever this environment has: they share the import name.

Each is called in the form that is faster for it: 2.0.8 without Compose, AlbumentationsX with it.
"""

from __future__ import annotations

import albumentations
from albumentations.pytorch import ToTensorV2

from benchmarks.scene import MEAN, NOISE, PADDING, STD, Array, Scene
from benchmarks.timing import Call

__all__ = ["DTYPE", "NAME", "calls"]

DTYPE = "uint8"
_OLD = albumentations.__version__.startswith("2.0.")
NAME = f"albumentations {albumentations.__version__}" if _OLD else "AlbumentationsX"


def calls(scene: Scene) -> dict[str, Call]:
    """Return the call of each case that this peer has."""
    a, size = albumentations, scene.crop
    low, high = NOISE["uint8"]
    uint8_noise = a.GaussNoise(std_range=(low / 255, high / 255), per_channel=True, p=1)
    float32_noise = a.GaussNoise(std_range=NOISE["float32"], per_channel=True, p=1)
    normalize = a.Normalize(MEAN, STD)
    return {
        "RandomCrop": _call(scene.uint8, a.RandomCrop(size, size)),
        "RandomCrop, padding 4": _call(scene.uint8, a.Pad(PADDING), a.RandomCrop(size, size)),
        "CenterCrop": _call(scene.uint8, a.CenterCrop(size, size)),
        "Pad 4": _call(scene.uint8, a.Pad(PADDING)),
        "HorizontalFlip": _call(scene.uint8, a.HorizontalFlip(p=1)),
        "VerticalFlip": _call(scene.uint8, a.VerticalFlip(p=1)),
        "GaussianNoise uint8": _call(scene.uint8, uint8_noise),
        "GaussianNoise float32": _call(scene.float32, float32_noise),
        "Normalize": _call(scene.uint8, normalize),
        "ToFloat": _call(scene.uint8, a.ToFloat(max_value=255)),
        "ToCHW": _call(scene.uint8, ToTensorV2()),
        "RandomCrop + HorizontalFlip + Normalize + ToCHW": _call(
            scene.uint8, a.RandomCrop(size, size), a.HorizontalFlip(p=1), normalize, ToTensorV2()
        ),
    }


def _call(image: Array, *transforms: albumentations.BasicTransform) -> Call:
    if _OLD and len(transforms) == 1:
        (augment,) = transforms
    else:
        augment = albumentations.Compose(list(transforms))
    return lambda: augment(image=image)["image"]
