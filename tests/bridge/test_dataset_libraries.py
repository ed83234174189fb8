"""Datasets of pairs of volumes with the libraries' own transforms: equal for any workers, epochs and after a resume, and as random as alone.

All four libraries are in the environment of ``make test-bridge``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from volumes import parts_of

from seedsafe_torch import AugmentedDataset, loader

pytestmark = pytest.mark.bridge
KEYS, COUNT = 2_000, 12
UNLIKELY = 25.0
SHAPE = (6, 6, 6)


class Pairs:
    """Pairs of a volume and its mask, and a function that changes both."""

    def __init__(self, change: Callable[[Any, Any], Any], length: int = COUNT) -> None:
        self.change, self.length = change, length
        self.volume = np.arange(216, dtype=np.float32).reshape(SHAPE) / 216

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Any:
        volume, mask = self.change(self.volume.copy(), (self.volume * 216).copy())
        return tuple(torch.from_numpy(np.ascontiguousarray(part, np.float32)) for part in (volume, mask))


class Monai:
    """Seven random transforms of a pair."""

    def __init__(self) -> None:
        transforms = pytest.importorskip("monai.transforms")
        both = ["image", "label"]
        self.transform = transforms.Compose(
            [
                transforms.RandFlipd(both, prob=0.5, spatial_axis=0),
                transforms.RandFlipd(both, prob=0.5, spatial_axis=1),
                transforms.RandRotate90d(both, prob=0.5),
                transforms.RandAxisFlipd(both, prob=0.5),
                transforms.RandShiftIntensityd(["image"], offsets=0.1, prob=0.5),
                transforms.RandScaleIntensityd(["image"], factors=0.1, prob=0.5),
                transforms.RandGaussianNoised(["image"], prob=0.5),
            ]
        )

    def __call__(self, volume: Any, mask: Any) -> Any:
        result = self.transform({"image": volume[None], "label": mask[None]})
        return np.asarray(result["image"])[0], np.asarray(result["label"])[0]


class Unet:
    """As pytorch-3dunet makes them: each transform of both has a RandomState of one seed."""

    def __init__(self) -> None:
        transforms = pytest.importorskip("pytorch3dunet.augment.transforms")

        def of(*kinds: Any, **options: Any) -> list[Any]:
            return [kind(np.random.RandomState(7), **options) for kind in kinds]

        both = transforms.RandomFlip, transforms.RandomRotate90
        self.raw = [*of(*both), *of(transforms.RandomContrast, execution_probability=0.5)]
        self.label = of(*both)

    def __call__(self, volume: Any, mask: Any) -> Any:
        for transform in self.raw:
            volume = transform(volume)
        for transform in self.label:
            mask = transform(mask)
        return volume, mask


class Batchgenerators:
    def __init__(self) -> None:
        mirror = pytest.importorskip("batchgenerators.transforms.spatial_transforms").MirrorTransform
        noise = pytest.importorskip("batchgenerators.transforms.noise_transforms").GaussianNoiseTransform
        self.transforms = [mirror((0, 1, 2)), noise(p_per_sample=0.5)]

    def __call__(self, volume: Any, mask: Any) -> Any:
        data = {"data": volume[None, None], "seg": mask[None, None]}
        for transform in self.transforms:
            data = transform(**data)
        return data["data"][0, 0], data["seg"][0, 0]


class TorchIO:
    def __init__(self) -> None:
        self.library = pytest.importorskip("torchio")
        self.transform = self.library.Compose(
            [self.library.RandomFlip(axes=(0, 1)), self.library.RandomNoise(p=0.5)]
        )

    def __call__(self, volume: Any, mask: Any) -> Any:
        parts = self.library.ScalarImage, self.library.LabelMap
        subject = self.library.Subject(
            **{
                name: kind(tensor=torch.from_numpy(part)[None])
                for name, kind, part in zip(("image", "label"), parts, (volume, mask), strict=True)
            }
        )
        moved = self.transform(subject)
        return moved["image"].data[0].numpy(), moved["label"].data[0].numpy()


MAKERS = [Monai, Unet, Batchgenerators, TorchIO]


def of(maker: Any, length: int = COUNT) -> AugmentedDataset:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is tied, and the libraries' own
        return AugmentedDataset(Pairs(maker(), length), seed=42, bridge=True)


def batches(maker: Any, workers: int, *, resumed: bool = False) -> Iterator[Any]:
    """Yield the bytes of three epochs' batches; with `resumed`, each half by a loader of its own."""
    loading = loader(of(maker), batch_size=3, num_workers=workers, shuffle=True)
    for _ in range(3):
        passing = iter(loading)
        if resumed:
            yield from ([part.numpy().tobytes() for part in next(passing)] for _ in range(2))
            state = loading.state_dict()
            loading = loader(of(maker), batch_size=3, num_workers=workers, shuffle=True)
            loading.load_state_dict(state)
            passing = iter(loading)
        yield from ([part.numpy().tobytes() for part in batch] for batch in passing)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("maker", MAKERS)
def test_workers_epochs_and_a_resume_are_equal(maker: Any) -> None:
    expected = list(batches(maker, 0))
    assert len({first for first, _ in expected}) == len(expected)
    for workers in (0, 2):
        assert list(batches(maker, workers)) == expected
        assert list(batches(maker, workers, resumed=True)) == expected


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("maker", MAKERS)
def test_places_are_as_random_as_without_a_bridge(maker: Any) -> None:
    """Where a corner goes: as often to each place as alone, and the same for volume and mask."""
    dataset, alone = of(maker, KEYS), Pairs(maker(), KEYS)
    counts = [dict[Any, int](), dict[Any, int]()]
    for index in range(KEYS):
        for count, pair in zip(counts, (dataset.at(index, epoch=0), alone[index]), strict=True):
            place = int(np.argmin(np.abs(np.asarray(parts_of(pair)[1]) - 5)))  # of one voxel
            count[place] = count.get(place, 0) + 1
    places = sorted({*counts[0], *counts[1]})
    table = np.array([[count.get(place, 0) for place in places] for count in counts])
    expected = table.sum(0) * table.sum(1, keepdims=True) / table.sum()
    freedom = len(places) - 1
    assert freedom > 0
    assert ((table - expected) ** 2 / expected).sum() < freedom + 6 * (2 * freedom) ** 0.5


@pytest.mark.filterwarnings("ignore")
def test_the_members_of_pytorch_3dunet_are_independent() -> None:
    dataset = of(Unet, KEYS)
    rows = []
    for index in range(KEYS):
        volume, mask = (part.numpy() for part in dataset.at(index, epoch=0))
        other = np.abs(volume - mask / 216)
        contrast = bool(other.max() > 1e-6)
        in_order = volume.ravel()[np.argsort(mask, axis=None)]
        assert (np.diff(in_order) > -1e-6).all()  # moved as the mask is
        rows.append((mask[0, 0, 0] < mask[-1, 0, 0], contrast))
    flipped, contrast = np.array(rows).T
    table = np.array([[np.sum((flipped == a) & (contrast == b)) for b in (0, 1)] for a in (0, 1)])
    expected = table.sum(1, keepdims=True) * table.sum(0, keepdims=True) / table.sum()
    assert ((table - expected) ** 2 / expected).sum() < UNLIKELY
