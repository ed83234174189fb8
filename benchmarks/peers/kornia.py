"""kornia on float32 batches of one image.

It takes no uint8.
"""

from __future__ import annotations

import kornia.augmentation as k
import numpy as np
import torch
from kornia.image import image_to_tensor

from benchmarks.peers.kornia_all import transforms
from benchmarks.scene import MEAN, NOISE, PADDING, STD, Scene
from benchmarks.timing import Call

__all__ = ["DTYPE", "NAME", "calls"]

DTYPE = "float32"
NAME = "kornia"


def calls(scene: Scene) -> dict[str, Call]:
    size = (scene.crop, scene.crop)
    batch = torch.from_numpy(np.ascontiguousarray(scene.float32.transpose(2, 0, 1)))[None]

    def call(*transforms: torch.nn.Module) -> Call:
        augment = transforms[0] if len(transforms) == 1 else torch.nn.Sequential(*transforms)
        return lambda: augment(batch)

    mean, std = torch.tensor(MEAN), torch.tensor(STD)
    return {name: call(*modules) for name, modules in transforms(scene.crop).items()} | {
        "RandomCrop": call(k.RandomCrop(size)),
        "RandomCrop, padding 4": call(k.RandomCrop(size, padding=PADDING)),
        "CenterCrop": call(k.CenterCrop(size)),
        "HorizontalFlip": call(k.RandomHorizontalFlip(p=1)),
        "VerticalFlip": call(k.RandomVerticalFlip(p=1)),
        "GaussianNoise float32": call(k.RandomGaussianNoise(std=NOISE["float32"][1], p=1)),
        "Normalize": call(k.Normalize(mean, std)),
        "ToCHW": lambda: image_to_tensor(scene.float32),
        "RandomCrop + HorizontalFlip + Normalize + ToCHW": call(
            k.RandomCrop(size), k.RandomHorizontalFlip(p=1), k.Normalize(mean, std)
        ),
    }
