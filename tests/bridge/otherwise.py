"""More libraries that bridges are proved on: pipelines as their READMEs write them, which no array alone goes into.

Each has a dataset that applies its pipeline by itself, and a function around the pipeline for `seedsafe.bridge`.
"""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import operators  # noqa: F401  # it declares what libraries miss, in spawned workers too
from libraries import AUDIO, IMAGES, Pictures

__all__ = ["BARE", "DATASETS", "MEMBERS", "Painted", "augmentor", "yolo"]

LENGTH = 24


def lightly() -> Any:
    from lightly.transforms import SimCLRTransform

    return SimCLRTransform(input_size=24)


def imgaug() -> Any:
    from imgaug import augmenters as iaa

    return iaa.Sequential(
        [
            iaa.Crop(px=(0, 8)),
            iaa.Fliplr(0.5),
            iaa.Sometimes(0.5, iaa.GaussianBlur(sigma=(0, 0.5))),
            iaa.LinearContrast((0.75, 1.5)),
            iaa.AdditiveGaussianNoise(loc=0, scale=(0.0, 0.05 * 255), per_channel=0.5),
            iaa.Affine(scale=(0.8, 1.2), rotate=(-25, 25), shear=(-8, 8)),
        ],
        random_order=True,
    )


def torchaudio() -> Any:
    import torch
    from torchaudio import transforms as T  # noqa: N812

    class Pipeline(torch.nn.Module):
        """The tutorial's: a stretched spectrogram with masks, and noise before."""

        def __init__(self) -> None:
            super().__init__()
            self.speed = T.SpeedPerturbation(16_000, [0.9, 1.1, 1.0])
            self.spec = T.Spectrogram(n_fft=128, power=2)
            self.masks = torch.nn.Sequential(T.FrequencyMasking(20), T.TimeMasking(20))
            self.noise = T.AddNoise()

        def forward(self, wave: Any) -> Any:
            noisy = self.noise(wave, torch.randn_like(wave), torch.rand(()) * 20)
            return self.masks(self.spec(self.speed(noisy)[0][None]))

    return Pipeline()


def torch_audiomentations() -> Any:
    from torch_audiomentations import AddColoredNoise, Compose, Gain, PolarityInversion, Shift

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Compose(
            [
                Gain(min_gain_in_db=-15.0, max_gain_in_db=5.0, p=0.5, output_type="dict"),
                AddColoredNoise(p=0.5, output_type="dict"),
                Shift(p=0.5, output_type="dict"),
                PolarityInversion(p=0.5, output_type="dict"),
            ],
            output_type="dict",
        )


def solt() -> Any:
    import solt
    from solt import transforms as slt

    return solt.Stream(
        [
            slt.Rotate(angle_range=(-20, 20), p=1, padding="r"),
            slt.Crop((24, 24)),
            solt.SelectiveStream([slt.GammaCorrection(gamma_range=0.5, p=1), slt.Noise(gain_range=0.1, p=1)]),
            slt.CutOut(8, p=0.5),
        ]
    )


def volumentations() -> Any:
    import volumentations as V  # noqa: N812

    return V.Compose(
        [
            V.Rotate((-15, 15), (0, 0), (0, 0), p=0.5),
            V.RandomCropFromBorders(crop_value=0.1, p=0.5),
            V.ElasticTransform((0, 0.25), interpolation=2, p=0.1),
            V.Resize((12, 12, 12), interpolation=1, resize_type=0, p=1.0),
            V.Flip(0, p=0.5),
            V.RandomRotate90((1, 2), p=0.5),
            V.GaussianNoise(var_limit=(0, 5), p=0.2),
            V.RandomGamma(gamma_limit=(80, 120), p=0.2),
        ],
        p=1.0,
    )


def augmentor(erasing: float = 0) -> Any:
    import Augmentor
    from torchvision import transforms as T  # noqa: N812

    pipeline = Augmentor.Pipeline()
    pipeline.rotate(probability=0.7, max_left_rotation=10, max_right_rotation=10)
    pipeline.zoom(probability=0.5, min_factor=1.1, max_factor=1.5)
    pipeline.random_distortion(probability=0.5, grid_width=4, grid_height=4, magnitude=8)
    if erasing:
        pipeline.random_erasing(probability=erasing, rectangle_area=0.2)
    return T.Compose([pipeline.torch_transform(), T.ToTensor()])


def torch_geometric() -> Any:
    from torch_geometric import transforms as T  # noqa: N812

    return T.Compose(
        [
            T.RandomJitter(0.01),
            T.RandomScale((0.9, 1.1)),
            T.RandomRotate(15, axis=2),
            T.RandomFlip(0),
            T.FixedPoints(32),
            T.NormalizeScale(),
        ]
    )


def mmcv() -> Any:
    from mmcv import transforms as T  # noqa: N812

    return T.Compose(
        [
            T.RandomResize(scale=(48, 40), ratio_range=(0.5, 2.0), keep_ratio=True),
            T.RandomFlip(prob=0.5),
            T.RandomGrayscale(prob=0.3),
            T.RandomApply([T.Pad(size_divisor=32)], prob=0.5),
            T.RandomChoice([[T.CenterCrop(16)], [T.CenterCrop(20)]]),
        ]
    )


class _Named(Pictures):
    """Applies a transform by a name, as its README does."""

    def __init__(self, samples: Any, transform: Any, name: str) -> None:
        super().__init__(samples, transform)
        self.name = name

    def __getitem__(self, index: int) -> Any:
        return self.transform(**{self.name: self.samples[index]})


class _Dicts(_Named):
    """Applies a transform to a dict."""

    def __getitem__(self, index: int) -> Any:
        return self.transform({self.name: self.samples[index]})


class _Waves(Pictures):
    """Applies torch-audiomentations to a batch of one, as its README does."""

    def __getitem__(self, index: int) -> Any:
        return self.transform(self.samples[index][None, None], sample_rate=16_000).samples[0, 0]


class Painted(Pictures):
    """Makes a picture of each array, as a dataset of files opens each."""

    def __getitem__(self, index: int) -> Any:
        from PIL import Image

        return self.transform(Image.fromarray(self.samples[index]))


def _waves() -> Any:
    import torch

    return torch.from_numpy(AUDIO[:LENGTH])


def _clouds() -> list[Any]:
    from torch_geometric.data import Data

    return [Data(pos=points) for points in _points()]


def _points() -> Any:
    import torch

    return torch.randn(LENGTH, 60, 3, generator=torch.Generator().manual_seed(0))


def _volumes() -> Any:
    return np.random.default_rng(0).random((LENGTH, 16, 16, 16), np.float32)


@functools.cache
def _files() -> Path:
    """Return a folder of pictures with labels, as ultralytics wants them."""
    import cv2

    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in ("images", "labels"):
        (folder / name).mkdir()
    for number, image in enumerate(IMAGES[:LENGTH]):
        cv2.imwrite(str(folder / "images" / f"{number:03}.png"), image)
        (folder / "labels" / f"{number:03}.txt").write_text("0 0.5 0.5 0.4 0.4\n1 0.3 0.3 0.2 0.2\n")
    return folder


def yolo(cache: Any = "ram") -> Any:
    """Return ultralytics' dataset with its augmentations: a mosaic of images, copy-paste, mixup, colours, flips."""
    from ultralytics.cfg import get_cfg
    from ultralytics.data.dataset import YOLODataset
    from ultralytics.utils import DEFAULT_CFG

    settings = get_cfg(DEFAULT_CFG, {"degrees": 10.0, "mixup": 0.3, "copy_paste": 0.3, "task": "detect"})
    return YOLODataset(
        img_path=str(_files() / "images"),
        data={"names": {0: "a", 1: "b"}, "channels": 3},
        imgsz=64,
        augment=True,
        hyp=settings,
        cache=cache,
        batch_size=4,
        task="detect",
    )


DATASETS = {
    "ultralytics": yolo,
    "lightly": lambda: Painted(IMAGES[:LENGTH], lightly()),
    "imgaug": lambda: _Named(IMAGES[:LENGTH], imgaug(), "image"),
    "torchaudio": lambda: Pictures(_waves(), torchaudio()),
    "torch-audiomentations": lambda: _Waves(_waves(), torch_audiomentations()),
    "solt": lambda: _Dicts(IMAGES[:LENGTH], solt(), "image"),
    "volumentations": lambda: _Named(_volumes(), volumentations(), "image"),
    "Augmentor": lambda: Painted(IMAGES[:LENGTH], augmentor()),
    "torch_geometric": lambda: Pictures(_clouds(), torch_geometric()),
    "mmcv": lambda: _Dicts(IMAGES[:LENGTH], mmcv(), "img"),
}
"""A dataset of each library."""


def _ultralytics() -> Any:
    from PIL import Image
    from ultralytics.data.augment import classify_augmentations

    augment = classify_augmentations(size=24, hflip=0.5, erasing=0.4)
    return lambda image: augment(Image.fromarray(image))


def _lightly() -> Any:
    from PIL import Image

    views = lightly()

    def both(image: np.ndarray) -> Any:
        return np.stack([view.numpy() for view in views(Image.fromarray(image))])

    return both


def _torchaudio() -> Any:
    import torch

    pipeline = torchaudio()
    return lambda audio: pipeline(torch.from_numpy(audio))


def _torch_audiomentations() -> Any:
    import torch

    augment = torch_audiomentations()
    return lambda audio: augment(torch.from_numpy(audio)[None, None], sample_rate=16_000).samples[0, 0]


def _augmentor() -> Any:
    from PIL import Image

    augment = augmentor(erasing=0.5)
    return lambda image: augment(Image.fromarray(image))


def _torch_geometric() -> Any:
    import torch
    from torch_geometric.data import Data

    augment = torch_geometric()
    return lambda points: augment(Data(pos=torch.from_numpy(points))).pos


def _mmcv() -> Any:
    augment = mmcv()
    return lambda image: augment({"img": image})["img"]


MEMBERS: dict[str, tuple[Any, Any, str | None]] = {
    "ultralytics": (_ultralytics, IMAGES, None),
    "lightly": (_lightly, IMAGES, None),
    "imgaug": (imgaug, IMAGES, None),
    "torchaudio": (_torchaudio, AUDIO, None),
    "torch-audiomentations": (_torch_audiomentations, AUDIO, None),
    "solt": (solt, IMAGES, "dict"),
    "volumentations": (volumentations, _volumes(), None),
    "Augmentor": (_augmentor, IMAGES, None),
    "torch_geometric": (_torch_geometric, _points().numpy(), None),
    "mmcv": (_mmcv, IMAGES, None),
}
"""What is bridged in a pipeline: the pipeline itself where its calling style is known, else a function around it."""

BARE = {
    "lightly": (lightly, IMAGES),
    "torchaudio": (torchaudio, AUDIO),
    "torch-audiomentations": (torch_audiomentations, AUDIO),
    "solt": (solt, IMAGES),
    "Augmentor": (augmentor, IMAGES),
    "torch_geometric": (torch_geometric, _points().numpy()),
    "mmcv": (mmcv, IMAGES),
}
"""Pipelines that cannot be bridged without a function around them, or `call=`."""
