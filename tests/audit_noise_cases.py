"""Each kind of fault that the linter knows, as decisions that noise of a good generator covers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

PICTURES = np.random.default_rng(0).integers(0, 255, (40, 16, 16)).astype(np.uint8)


def by_numpy(image: Any) -> Any:
    return image + np.random.normal(size=image.shape)


def by_torch(image: Any) -> Any:
    return image + torch.randn(image.shape).numpy()


def by_random(image: Any) -> Any:
    return image + random.gauss(0, 1)


def by_entropy(image: Any) -> Any:
    return image + np.random.default_rng().normal(size=image.shape)


def by_opencv(image: Any) -> Any:
    return image + cv2.randn(np.zeros(image.shape), 0, 1)


def seeds_opencv(worker: int) -> None:
    cv2.setRNGSeed(torch.initial_seed() % 2**31)


NOISES: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "numpy": (by_numpy, None),
    "torch": (by_torch, None),
    "random": (by_random, None),
    "entropy": (by_entropy, None),
    "opencv": (by_opencv, seeds_opencv),
}
"""Each noise, and what makes it fresh in workers."""


class Cropped(Dataset):
    """Crops at a place that `place` draws, and covers the crop by noise."""

    noise: Callable[[Any], Any]

    def __len__(self) -> int:
        return len(PICTURES)

    def __getitem__(self, index: int) -> Any:
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        place = int(self.place(index)) % 9
        return self.noise(PICTURES[index, place : place + 8, place : place + 8].astype(np.float64)), index

    def place(self, index: int) -> Any:
        raise NotImplementedError


class StoredGenerator(Cropped):
    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def place(self, index: int) -> Any:
        return self.rng.integers(9)


class StoredRandomState(Cropped):
    def __init__(self) -> None:
        self.rng = np.random.RandomState(0)

    def place(self, index: int) -> Any:
        return self.rng.randint(9)


class StoredRandom(Cropped):
    def __init__(self) -> None:
        self.rng = random.Random(0)

    def place(self, index: int) -> Any:
        return self.rng.randrange(9)


class StoredTorch(Cropped):
    def __init__(self) -> None:
        self.generator = torch.Generator().manual_seed(0)

    def place(self, index: int) -> Any:
        return torch.randint(9, (1,), generator=self.generator)


class InATransform(Cropped):
    def __init__(self) -> None:
        self.transforms = [StoredGenerator()]

    def place(self, index: int) -> Any:
        return self.transforms[0].place(index)


class Flips(Cropped):
    """Two outcomes."""

    def __init__(self) -> None:
        self.rng = random.Random(1)

    def place(self, index: int) -> Any:
        return 4 if self.rng.random() < 0.5 else 0


class MadeOnFirstUse(Cropped):
    rng: Any = None

    def place(self, index: int) -> Any:
        if self.rng is None:
            self.rng = np.random.default_rng(0)
        return self.rng.integers(9)


OF_THE_MODULE = np.random.default_rng(3)


class OfTheModule(Cropped):
    def place(self, index: int) -> Any:
        return OF_THE_MODULE.integers(9)


class OfOpenCV(Cropped):
    def place(self, index: int) -> Any:
        return cv2.randu(np.zeros(1, np.int32), 0, 9)[0]


class ConstantSeed(Cropped):
    def place(self, index: int) -> Any:
        return np.random.default_rng(5).integers(9)


class ConstantGlobalSeed(Cropped):
    def place(self, index: int) -> Any:
        before = random.getstate()
        random.seed(3)
        place = random.randrange(9)
        random.setstate(before)
        return place


class ConstantTorchSeed(Cropped):
    def place(self, index: int) -> Any:
        return torch.randint(9, (1,), generator=torch.Generator().manual_seed(3))


class AddedSeeds(Cropped):
    epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def place(self, index: int) -> Any:
        return np.random.default_rng(5 + self.epoch + index).integers(9)


class SeededFromItself(Cropped):
    """A thousand seeds, of which each follows from the one before."""

    def place(self, index: int) -> Any:
        seed = random.randint(0, 999)
        random.seed(seed)
        return random.randrange(9)


class NobodySetsTheEpoch(Cropped):
    def __init__(self) -> None:
        self.epoch = 0

    def place(self, index: int) -> Any:
        return np.random.default_rng((5, self.epoch, index)).integers(2**40)


class TheEpochIsSet(NobodySetsTheEpoch):
    """Right without workers that persist."""

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch


class OfNumpy(Cropped):
    def place(self, index: int) -> Any:
        return np.random.randint(9)


class Stream(IterableDataset):
    """Crops a worker's share of the pictures at places that one generator draws, which `begin` makes for each epoch anew."""

    noise: Callable[[Any], Any]

    def begin(self, worker: int) -> Any:
        return np.random.default_rng(0)

    def __iter__(self) -> Any:
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        rng = self.begin(worker)
        for number in range(worker, len(PICTURES), workers):
            place = int(rng.uniform(0, 9))
            yield self.noise(PICTURES[number, place : place + 8].astype(np.float64)), number


class StreamOfRandom(Stream):
    def begin(self, worker: int) -> Any:
        return random.Random(3)


class StreamOfTheGlobal(Stream):
    def begin(self, worker: int) -> Any:
        random.seed(3)
        return random


class StreamOfTheWorker(Stream):
    def begin(self, worker: int) -> Any:
        return np.random.RandomState(100 + worker if get_worker_info() else 7)


def same_in_each_epoch(worker: int) -> None:
    np.random.seed(100 + worker)


def same_in_all(worker: int) -> None:
    np.random.seed(100)


KINDS: dict[str, tuple[type[Any], str, str, dict[str, Any] | None]] = {
    "stored generator": (StoredGenerator, "duplicates", "self.rng.integers(9)", None),
    "stored RandomState": (StoredRandomState, "duplicates", "self.rng.randint(9)", None),
    "stored Random": (StoredRandom, "duplicates", "self.rng.randrange(9)", None),
    "stored torch.Generator": (StoredTorch, "duplicates", "generator=self.generator)", None),
    "in a transform": (InATransform, "duplicates", "self.rng.integers(9)", None),
    "flips": (Flips, "duplicates", "self.rng.random()", None),
    "made on first use": (MadeOnFirstUse, "duplicates", "self.rng.integers(9)", None),
    "of the module": (OfTheModule, "duplicates", "OF_THE_MODULE.integers(9)", None),
    "OpenCV": (OfOpenCV, "duplicates", "cv2.randu(", None),
    "constant seed": (ConstantSeed, "duplicates", "default_rng(5).integers", None),
    "constant global seed": (ConstantGlobalSeed, "duplicates", "random.seed(3)", None),
    "constant seed of torch": (ConstantTorchSeed, "duplicates", "manual_seed(3)", None),
    "added seeds": (AddedSeeds, "epochs", "default_rng(5 + self.epoch", None),
    "seeded from itself": (SeededFromItself, "duplicates", "random.randint(0, 999)", None),
    "nobody sets the epoch": (NobodySetsTheEpoch, "epochs", "default_rng((5, self.epoch", None),
    "persistent workers": (
        TheEpochIsSet,
        "epochs",
        "default_rng((5, self.epoch",
        {"persistent_workers": True},
    ),
    "a stream's generator": (Stream, "duplicates", "return np.random.default_rng(0)", None),
    "a stream's Random": (StreamOfRandom, "duplicates", "return random.Random(3)", None),
    "a stream's global seed": (StreamOfTheGlobal, "duplicates", "random.seed(3)", None),
    "a stream's seed of the worker": (StreamOfTheWorker, "epochs", "RandomState(100 + worker if", None),
    "worker_init_fn, epochs": (
        OfNumpy,
        "epochs",
        "np.random.randint(9)",
        {"worker_init_fn": same_in_each_epoch},
    ),
    "worker_init_fn, workers": (
        OfNumpy,
        "duplicates",
        "np.random.randint(9)",
        {"worker_init_fn": same_in_all},
    ),
}
"""Each kind: the dataset, the question that finds it, a part of the line to name, and the options of its loader."""


def make(kind: str, noise: str) -> Any:
    cls, _, _, options = KINDS[kind]
    cover, init = NOISES[noise]
    dataset: Any = cls()
    dataset.noise = cover
    if options is None and init is None:
        return dataset
    return DataLoader(dataset, batch_size=4, num_workers=2, **{"worker_init_fn": init, **(options or {})})
