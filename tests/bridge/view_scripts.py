"""Own code in the shape of well-known scripts that make several views of an image. Each function returns a script's dataset."""

from __future__ import annotations

import random
from typing import Any

from PIL import Image, ImageFilter, ImageOps
from torchvision import datasets, transforms

__all__ = ["SCRIPTS"]

NORMALIZE = transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


class BlurBetween:
    """SimCLR's blur, as MoCo v2 has it."""

    def __init__(self, sigma: Any = (0.1, 2.0)) -> None:
        self.sigma = sigma

    def __call__(self, x: Any) -> Any:
        sigma = random.uniform(self.sigma[0], self.sigma[1])
        return x.filter(ImageFilter.GaussianBlur(radius=sigma))


class BlurAtTimes:
    """The blur of DINO, and of Barlow Twins with other numbers."""

    def __init__(self, p: float = 0.5, radius_min: float = 0.1, radius_max: float = 2.0) -> None:
        self.prob, self.radius_min, self.radius_max = p, radius_min, radius_max

    def __call__(self, img: Any) -> Any:
        do_it = random.random() <= self.prob
        if not do_it:
            return img
        return img.filter(ImageFilter.GaussianBlur(radius=random.uniform(self.radius_min, self.radius_max)))


class SolarizeAtTimes:
    def __init__(self, p: float) -> None:
        self.p = p

    def __call__(self, img: Any) -> Any:
        if random.random() < self.p:
            return ImageOps.solarize(img)
        return img


def jitter(strength: float = 1.0, hue: float = 0.2) -> list[Any]:
    return [
        transforms.RandomApply(
            [transforms.ColorJitter(0.8 * strength, 0.8 * strength, 0.8 * strength, hue * strength)], p=0.8
        ),
        transforms.RandomGrayscale(p=0.2),
    ]


class TwoCropsTransform:
    def __init__(self, base_transform: Any) -> None:
        self.base_transform = base_transform

    def __call__(self, x: Any) -> Any:
        q = self.base_transform(x)
        k = self.base_transform(x)
        return [q, k]


def moco(root: Any, size: int) -> Any:
    augmentation = [
        transforms.RandomResizedCrop(size, scale=(0.2, 1.0)),
        *jitter(0.5),
        transforms.RandomApply([BlurBetween([0.1, 2.0])], p=0.5),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        NORMALIZE,
    ]
    return datasets.ImageFolder(root, TwoCropsTransform(transforms.Compose(augmentation)))


class ContrastiveLearningViewGenerator:
    def __init__(self, base_transform: Any, n_views: int = 2) -> None:
        self.base_transform = base_transform
        self.n_views = n_views

    def __call__(self, x: Any) -> Any:
        return [self.base_transform(x) for i in range(self.n_views)]


def simclr(root: Any, size: int) -> Any:
    pipeline = transforms.Compose(
        [
            transforms.RandomResizedCrop(size=size),
            transforms.RandomHorizontalFlip(),
            *jitter(),
            transforms.GaussianBlur(kernel_size=int(0.1 * size) // 2 * 2 + 1),
            transforms.ToTensor(),
        ]
    )
    return datasets.ImageFolder(root, transform=ContrastiveLearningViewGenerator(pipeline, 2))


class MultiViewDataInjector:
    def __init__(self, *args: Any) -> None:
        self.transforms = args[0]
        self.random_flip = transforms.RandomHorizontalFlip()

    def __call__(self, sample: Any, *with_consistent_flipping: Any) -> Any:
        if with_consistent_flipping:
            sample = self.random_flip(sample)
        return [transform(sample) for transform in self.transforms]


def byol(root: Any, size: int) -> Any:
    pipeline = transforms.Compose(
        [
            transforms.RandomResizedCrop(size=size),
            transforms.RandomHorizontalFlip(),
            *jitter(),
            BlurAtTimes(0.5),
            transforms.ToTensor(),
        ]
    )
    return datasets.ImageFolder(root, transform=MultiViewDataInjector([pipeline, pipeline]))


def with_lightly(root: Any, size: int) -> Any:
    from lightly.transforms import SimCLRTransform

    return datasets.ImageFolder(root, transform=SimCLRTransform(input_size=size))


class Transform:
    """Barlow Twins: two pipelines."""

    def __init__(self, size: int) -> None:
        def pipeline(blur: float, solarize: float) -> Any:
            return transforms.Compose(
                [
                    transforms.RandomResizedCrop(size, interpolation=transforms.InterpolationMode.BICUBIC),
                    transforms.RandomHorizontalFlip(p=0.5),
                    *jitter(0.5),
                    BlurAtTimes(p=blur),
                    SolarizeAtTimes(p=solarize),
                    transforms.ToTensor(),
                    NORMALIZE,
                ]
            )

        self.transform = pipeline(1.0, 0.0)
        self.transform_prime = pipeline(0.1, 0.2)

    def __call__(self, x: Any) -> Any:
        y1 = self.transform(x)
        y2 = self.transform_prime(x)
        return y1, y2


def barlow_twins(root: Any, size: int) -> Any:
    return datasets.ImageFolder(root, Transform(size))


class DataAugmentationDINO:
    def __init__(self, size: int, global_scale: Any, local_scale: Any, local_crops_number: int) -> None:
        flip_and_color_jitter = transforms.Compose([transforms.RandomHorizontalFlip(p=0.5), *jitter(0.5)])
        normalize = transforms.Compose([transforms.ToTensor(), NORMALIZE])
        bicubic = transforms.InterpolationMode.BICUBIC
        crop = transforms.RandomResizedCrop
        self.global_transfo1 = transforms.Compose(
            [
                crop(size, scale=global_scale, interpolation=bicubic),
                flip_and_color_jitter,
                BlurAtTimes(1.0),
                normalize,
            ]
        )
        self.global_transfo2 = transforms.Compose(
            [
                crop(size, scale=global_scale, interpolation=bicubic),
                flip_and_color_jitter,
                BlurAtTimes(0.1),
                SolarizeAtTimes(0.2),
                normalize,
            ]
        )
        self.local_crops_number = local_crops_number
        self.local_transfo = transforms.Compose(
            [
                crop(size * 3 // 7, scale=local_scale, interpolation=bicubic),
                flip_and_color_jitter,
                BlurAtTimes(p=0.5),
                normalize,
            ]
        )

    def __call__(self, image: Any) -> Any:
        crops = []
        crops.append(self.global_transfo1(image))
        crops.append(self.global_transfo2(image))
        for _ in range(self.local_crops_number):
            crops.append(self.local_transfo(image))
        return crops


def dino(root: Any, size: int) -> Any:
    return datasets.ImageFolder(
        root, transform=DataAugmentationDINO(size, (0.4, 1.0), (0.05, 0.4), local_crops_number=4)
    )


class MultiCropDataset(datasets.ImageFolder):
    """SwAV: the dataset has the transforms in a list."""

    def __init__(
        self, data_path: Any, size_crops: Any, nmb_crops: Any, min_scale_crops: Any, max_scale_crops: Any
    ) -> None:
        super().__init__(data_path)
        color_transform = [*jitter(1.0), BlurAtTimes(0.5)]
        trans: list[Any] = []
        for i in range(len(size_crops)):
            randomresizedcrop = transforms.RandomResizedCrop(
                size_crops[i], scale=(min_scale_crops[i], max_scale_crops[i])
            )
            trans.extend(
                [
                    transforms.Compose(
                        [
                            randomresizedcrop,
                            transforms.RandomHorizontalFlip(p=0.5),
                            transforms.Compose(color_transform),
                            transforms.ToTensor(),
                            NORMALIZE,
                        ]
                    )
                ]
                * nmb_crops[i]
            )
        self.trans = trans

    def __getitem__(self, index: int) -> Any:
        path, _ = self.samples[index]
        image = self.loader(path)
        return list(map(lambda trans: trans(image), self.trans))  # noqa: C417  # as it is written


def swav(root: Any, size: int) -> Any:
    return MultiCropDataset(root, [size, size * 3 // 7], [2, 4], [0.14, 0.05], [1.0, 0.14])


class TransformFixMatch:
    def __init__(self, mean: Any, std: Any, size: int) -> None:
        self.weak = transforms.Compose(
            [
                transforms.RandomHorizontalFlip(),
                transforms.RandomCrop(size=size, padding=int(size * 0.125), padding_mode="reflect"),
            ]
        )
        self.strong = transforms.Compose(
            [
                transforms.RandomHorizontalFlip(),
                transforms.RandomCrop(size=size, padding=int(size * 0.125), padding_mode="reflect"),
                transforms.RandAugment(2, 10),
            ]
        )
        self.normalize = transforms.Compose([transforms.ToTensor(), transforms.Normalize(mean=mean, std=std)])

    def __call__(self, x: Any) -> Any:
        weak = self.weak(x)
        strong = self.strong(x)
        return self.normalize(weak), self.normalize(strong)


class SmallImages:
    """Images of 32 by 32, like torchvision's CIFAR10."""

    def __init__(self, root: Any, transform: Any) -> None:
        self.transform = transform
        folder = datasets.ImageFolder(root)
        self.data = [Image.open(path).convert("RGB").resize((32, 32)) for path, _ in folder.samples]
        self.targets = folder.targets

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> Any:
        return self.transform(self.data[index]), self.targets[index]


def fixmatch(root: Any, size: int) -> Any:
    return SmallImages(root, TransformFixMatch((0.49, 0.48, 0.44), (0.25, 0.24, 0.26), 32))


SCRIPTS = {
    "MoCo": moco,
    "SimCLR": simclr,
    "BYOL": byol,
    "lightly": with_lightly,
    "Barlow Twins": barlow_twins,
    "DINO": dino,
    "SwAV": swav,
    "FixMatch": fixmatch,
}
