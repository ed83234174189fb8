"""Own code in the shape of well-known training scripts with one view of an image, and of DINOv2's. Each function returns a dataset."""

from __future__ import annotations

import random
from typing import Any

import torch
from torchvision import datasets, transforms
from torchvision.transforms import InterpolationMode, functional

__all__ = ["SCRIPTS", "ClassificationPreset"]

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
NORMALIZE = transforms.Normalize(MEAN, STD)


def imagenet(root: Any, size: int) -> Any:
    return datasets.ImageFolder(
        root,
        transforms.Compose(
            [
                transforms.RandomResizedCrop(size),
                transforms.RandomHorizontalFlip(),
                transforms.ToTensor(),
                NORMALIZE,
            ]
        ),
    )


class ClassificationPreset:
    """That of torchvision's references for training."""

    def __init__(
        self,
        *,
        crop_size: int,
        interpolation: InterpolationMode = InterpolationMode.BILINEAR,
        hflip_prob: float = 0.5,
        auto_augment_policy: str | None = None,
        random_erase_prob: float = 0.0,
    ) -> None:
        trans: list[Any] = [transforms.RandomResizedCrop(crop_size, interpolation=interpolation)]
        if hflip_prob > 0:
            trans.append(transforms.RandomHorizontalFlip(hflip_prob))
        if auto_augment_policy == "ra":
            trans.append(transforms.RandAugment(interpolation=interpolation, magnitude=9))
        elif auto_augment_policy == "ta_wide":
            trans.append(transforms.TrivialAugmentWide(interpolation=interpolation))
        trans += [transforms.PILToTensor(), transforms.ConvertImageDtype(torch.float), NORMALIZE]
        if random_erase_prob > 0:
            trans.append(transforms.RandomErasing(p=random_erase_prob))
        self.transforms = transforms.Compose(trans)

    def __call__(self, img: Any) -> Any:
        return self.transforms(img)


def references(root: Any, size: int) -> Any:
    preset = ClassificationPreset(
        crop_size=size * 11 // 14, auto_augment_policy="ta_wide", random_erase_prob=0.1
    )
    return datasets.ImageFolder(root, preset)


def with_timm(root: Any, size: int) -> Any:
    from timm.data import create_transform

    return datasets.ImageFolder(
        root,
        create_transform(
            size,
            is_training=True,
            auto_augment="rand-m6-mstd0.5-inc1",
            re_prob=0.25,
            re_mode="pixel",
            interpolation="bicubic",
        ),
    )


class MaybeConvertMode:
    def __init__(self, mode: str = "RGB") -> None:
        super().__init__()
        self.mode = mode

    def __call__(self, pic: Any) -> Any:
        if isinstance(pic, torch.Tensor):
            return pic
        return pic.convert(self.mode)


class MaybeToTensor(transforms.ToTensor):
    def __init__(self) -> None:
        super().__init__()

    def __call__(self, pic: Any) -> Any:
        if isinstance(pic, torch.Tensor):
            return pic
        return functional.to_tensor(pic)


class color_jitter:  # noqa: N801
    def __init__(
        self, brightness: float, contrast: float, saturation: float, hue: float, p: float = 0.8
    ) -> None:
        assert 0.0 <= p <= 1.0
        self.p = p
        self.transf = transforms.ColorJitter(
            brightness=brightness, contrast=contrast, saturation=saturation, hue=hue
        )

    def __call__(self, img: Any) -> Any:
        if random.random() < self.p:
            return self.transf(img)
        else:  # as it is written
            return img


class gray_scale:  # noqa: N801
    def __init__(self, p: float = 0.2) -> None:
        assert 0.0 <= p <= 1.0
        self.p = p
        self.transf = transforms.Grayscale(num_output_channels=3)

    def __call__(self, img: Any) -> Any:
        if random.random() < self.p:
            return self.transf(img)
        else:  # as it is written
            return img


def open_clip(root: Any, size: int) -> Any:
    return datasets.ImageFolder(
        root,
        transforms.Compose(
            [
                transforms.RandomResizedCrop(size, scale=(0.4, 1.0), interpolation=InterpolationMode.BICUBIC),
                MaybeConvertMode(),
                color_jitter(0.32, 0.32, 0.32, 0.08, p=0.8),
                gray_scale(0.2),
                MaybeToTensor(),
                NORMALIZE,
            ]
        ),
    )


class GaussianBlur(transforms.RandomApply):
    """DINOv2's: it leaves the image as it is with the probability `p`."""

    def __init__(self, *, p: float = 0.5, radius_min: float = 0.1, radius_max: float = 2.0) -> None:
        super().__init__(
            transforms=[transforms.GaussianBlur(kernel_size=9, sigma=(radius_min, radius_max))], p=1 - p
        )


class DataAugmentationDINO:
    """DINOv2's: the crops are in a dict, those of the teacher a second time."""

    def __init__(
        self, size: int, global_crops_scale: Any, local_crops_scale: Any, local_crops_number: int
    ) -> None:
        self.local_crops_number = local_crops_number
        self.sizes = {"global": size, "local": size * 3 // 7}

        def crop(side: int, scale: Any) -> Any:
            return transforms.Compose(
                [
                    transforms.RandomResizedCrop(side, scale=scale, interpolation=InterpolationMode.BICUBIC),
                    transforms.RandomHorizontalFlip(p=0.5),
                ]
            )

        self.geometric_augmentation_global = crop(size, global_crops_scale)
        self.geometric_augmentation_local = crop(size * 3 // 7, local_crops_scale)
        color_jittering = transforms.Compose(
            [
                transforms.RandomApply([transforms.ColorJitter(0.4, 0.4, 0.2, 0.1)], p=0.8),
                transforms.RandomGrayscale(p=0.2),
            ]
        )
        extra = transforms.Compose([GaussianBlur(p=0.1), transforms.RandomSolarize(threshold=128, p=0.2)])
        self.normalize = transforms.Compose([transforms.ToTensor(), NORMALIZE])
        self.global_transfo1 = transforms.Compose([color_jittering, GaussianBlur(p=1.0), self.normalize])
        self.global_transfo2 = transforms.Compose([color_jittering, extra, self.normalize])
        self.local_transfo = transforms.Compose([color_jittering, GaussianBlur(p=0.5), self.normalize])

    def __call__(self, image: Any) -> Any:
        output: dict[str, Any] = {}
        im1_base = self.geometric_augmentation_global(image)
        global_crop_1 = self.global_transfo1(im1_base)
        im2_base = self.geometric_augmentation_global(image)
        global_crop_2 = self.global_transfo2(im2_base)
        output["global_crops"] = [global_crop_1, global_crop_2]
        output["global_crops_teacher"] = [global_crop_1, global_crop_2]
        local_crops = [
            self.local_transfo(self.geometric_augmentation_local(image))
            for _ in range(self.local_crops_number)
        ]
        output["local_crops"] = local_crops
        output["offsets"] = ()
        return output


def dinov2(root: Any, size: int) -> Any:
    return datasets.ImageFolder(root, DataAugmentationDINO(size, (0.32, 1.0), (0.05, 0.32), 8))


SCRIPTS = {
    "ImageNet": imagenet,
    "torchvision's references": references,
    "timm": with_timm,
    "open_clip": open_clip,
    "DINOv2": dinov2,
}
