"""The libraries that bridges are proved on: a transform of each, made anew at every call."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np
import operators  # noqa: F401  # it declares what libraries miss, in spawned workers too

__all__ = ["AUDIO", "IMAGES", "LIBRARIES", "Pictures"]

IMAGES = np.random.default_rng(0).integers(0, 256, (100, 40, 48, 3), dtype=np.uint8)
AUDIO = np.random.default_rng(1).normal(0, 0.1, (100, 2000)).astype(np.float32)


class Pictures:
    """Somebody's dataset, which applies a transform of a library in ``__getitem__``."""

    def __init__(self, samples: np.ndarray, transform: Any) -> None:
        self.samples, self.transform = samples, transform

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> Any:
        return self.transform(self.samples[index])


def torchvision_v1() -> Any:
    from torchvision import transforms as T  # noqa: N812

    return T.Compose(
        [
            T.ToPILImage(),
            T.RandomResizedCrop(24),
            T.RandomHorizontalFlip(),
            T.ColorJitter(0.4, 0.4, 0.4, 0.1),
            T.RandomAffine(20),
            T.ToTensor(),
            T.RandomErasing(),
        ]
    )


def torchvision_v2() -> Any:
    from torchvision.transforms import v2

    return v2.Compose(
        [
            v2.ToImage(),
            v2.RandomResizedCrop(24),
            v2.RandomHorizontalFlip(),
            v2.ColorJitter(0.4, 0.4, 0.4, 0.1),
            v2.RandomRotation(20),
        ]
    )


class OfImage:
    """A dataset calls albumentations with names; a bridge finds that out by itself."""

    def __init__(self, transform: Any) -> None:
        self.transform = transform

    def __call__(self, image: np.ndarray) -> Any:
        return self.transform(image=image)["image"]


def albumentations() -> Any:
    import albumentations as A  # noqa: N812

    return A.Compose(
        [
            A.RandomCrop(24, 24),
            A.HorizontalFlip(),
            A.RandomBrightnessContrast(),
            A.OneOf([A.GaussNoise(p=1), A.CoarseDropout(p=1)], p=0.9),
        ]
    )


def monai() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from monai import transforms as M  # noqa: N812

    return M.Compose(
        [
            M.EnsureChannelFirst(channel_dim=-1),
            M.RandSpatialCrop((24, 24), random_size=False),
            M.RandFlip(0.5),
            M.OneOf([M.RandGaussianNoise(1.0), M.RandAdjustContrast(1.0)]),
        ]
    )


def audiomentations() -> Any:
    import audiomentations as A  # noqa: N812

    augment = A.Compose([A.AddGaussianNoise(p=1), A.Gain(p=0.5), A.Shift(p=0.5), A.PolarityInversion(p=0.5)])
    return functools.partial(augment, sample_rate=16_000)


def timm() -> Any:
    from timm.data.auto_augment import rand_augment_transform
    from timm.data.random_erasing import RandomErasing
    from torchvision import transforms as T  # noqa: N812

    augment = rand_augment_transform("rand-m9-mstd0.5", {})
    return T.Compose([T.ToPILImage(), augment, T.ToTensor(), RandomErasing(1.0, mode="pixel", device="cpu")])


class Kornia:
    """kornia works on batches of float tensors, channels first."""

    def __init__(self) -> None:
        import kornia.augmentation as K  # noqa: N812

        self.augment = K.AugmentationSequential(
            K.RandomHorizontalFlip(),
            K.RandomCrop((24, 24)),
            K.ColorJitter(0.2, 0.2, 0.2, 0.1),
            data_keys=["input"],
        )

    def __call__(self, image: np.ndarray) -> Any:
        import torch

        return self.augment(torch.from_numpy(image).permute(2, 0, 1)[None] / 255)[0]


class Batchgenerators:
    """batchgenerators works on batches of float arrays, channels first."""

    def __init__(self) -> None:
        from batchgenerators.transforms.abstract_transforms import Compose
        from batchgenerators.transforms.noise_transforms import GaussianNoiseTransform
        from batchgenerators.transforms.spatial_transforms import MirrorTransform

        self.augment = Compose([MirrorTransform((0, 1)), GaussianNoiseTransform(p_per_sample=1)])

    def __call__(self, image: np.ndarray) -> Any:
        return self.augment(data=image.transpose(2, 0, 1)[None].astype(np.float32))["data"][0]


LIBRARIES = {
    "torchvision v1": (torchvision_v1, IMAGES),
    "torchvision v2": (torchvision_v2, IMAGES),
    "albumentations": (albumentations, IMAGES),
    "MONAI": (monai, IMAGES),
    "audiomentations": (audiomentations, AUDIO),
    "timm": (timm, IMAGES),
    "kornia": (Kornia, IMAGES),
    "batchgenerators": (Batchgenerators, IMAGES),
}
