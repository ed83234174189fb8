"""torchvision v2 on uint8 tensors, its fastest input."""

from __future__ import annotations

import numpy as np
import torch

from benchmarks.peers.torchvision_all import transforms, v2
from benchmarks.scene import MEAN, NOISE, PADDING, STD, Array, Scene
from benchmarks.timing import Call

__all__ = ["DTYPE", "NAME", "calls", "v2"]

DTYPE = "uint8"
NAME = "torchvision v2"


def calls(scene: Scene) -> dict[str, Call]:
    size = scene.crop
    uint8, float32 = _planes(scene.uint8), _planes(scene.float32)
    to_float = v2.ToDtype(torch.float32, scale=True)
    normalize = v2.Normalize(MEAN, STD)
    to_image = v2.ToImage()
    return {name: _call(uint8, *modules) for name, modules in transforms(size).items()} | {
        "RandomCrop": _call(uint8, v2.RandomCrop(size)),
        "RandomCrop, padding 4": _call(uint8, v2.RandomCrop(size, padding=PADDING)),
        "CenterCrop": _call(uint8, v2.CenterCrop(size)),
        "Pad 4": _call(uint8, v2.Pad(PADDING)),
        "HorizontalFlip": _call(uint8, v2.RandomHorizontalFlip(p=1)),
        "VerticalFlip": _call(uint8, v2.RandomVerticalFlip(p=1)),
        "GaussianNoise uint8": _call(uint8, v2.GaussianNoise(sigma=NOISE["uint8"][1] / 255)),
        "GaussianNoise float32": _call(float32, v2.GaussianNoise(sigma=NOISE["float32"][1], clip=False)),
        "Normalize": _call(uint8, to_float, normalize),
        "ToFloat": _call(uint8, to_float),
        "ToCHW": lambda: to_image(scene.uint8),
        "RandomCrop + HorizontalFlip + Normalize + ToCHW": _call(
            uint8, v2.RandomCrop(size), v2.RandomHorizontalFlip(p=1), to_float, normalize
        ),
    }


def _planes(image: Array) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(image.transpose(2, 0, 1)))


def _call(image: torch.Tensor, *transforms: torch.nn.Module) -> Call:
    augment = transforms[0] if len(transforms) == 1 else v2.Compose(list(transforms))
    return lambda: augment(image)
