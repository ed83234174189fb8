"""Datasets with one fault each, for the audit."""

from __future__ import annotations

import os
import random
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset, IterableDataset, get_worker_info

IMAGES = np.random.default_rng(0).integers(0, 200, (32, 12, 12, 3), dtype=np.uint8)


class Base(Dataset):
    """Images and their labels, with nothing wrong."""

    def __init__(self, count: int = len(IMAGES)) -> None:
        self.images = IMAGES[:count].copy()

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> Any:
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self.sample(index)

    def sample(self, index: int) -> Any:
        return self.images[index].copy(), index % 10


class WithTransform(Base):
    """A transform in the usual place."""

    def __init__(self, transform: Any) -> None:
        super().__init__()
        self.transform = transform

    def sample(self, index: int) -> Any:
        image, label = super().sample(index)
        return (image if self.transform is None else self.transform(image)), label


class StoredGenerator(Base):
    def __init__(self) -> None:
        super().__init__()
        self.rng = np.random.default_rng(0)

    def sample(self, index: int) -> Any:
        return self.images[index] + self.rng.integers(0, 50, self.images[index].shape, dtype=np.uint8), index


class StoredFlip(Base):
    """Few outcomes: equal ones in two workers can be chance."""

    def __init__(self) -> None:
        super().__init__()
        self.rng = np.random.default_rng(0)

    def sample(self, index: int) -> Any:
        return (self.images[index, :, ::-1] if self.rng.random() < 0.5 else self.images[index]).copy()


class GlobalFlip(Base):
    def sample(self, index: int) -> Any:
        return (self.images[index, :, ::-1] if np.random.random() < 0.5 else self.images[index]).copy()


class GlobalNumpy(Base):
    def sample(self, index: int) -> Any:
        return self.images[index] + np.random.randint(0, 50, self.images[index].shape).astype(np.uint8), index


class Keyed(Base):
    """What is right: a generator of the epoch and the index."""

    epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def sample(self, index: int) -> Any:
        rng = np.random.default_rng((7, self.epoch, index))
        return self.images[index] + rng.integers(0, 50, self.images[index].shape, dtype=np.uint8), index


class SetFromOutside(Base):
    """The loop over epochs sets an attribute, in the main process."""

    epoch = 0

    def sample(self, index: int) -> Any:
        return self.images[index] + np.random.default_rng((7, self.epoch, index)).integers(50, dtype=np.uint8)


def train(dataset: Any, loading: Any) -> None:
    for epoch in range(2):
        dataset.epoch = epoch
        list(loading)


class Unseeded(Base):
    def sample(self, index: int) -> Any:
        return self.images[index] + np.random.default_rng().integers(0, 50, dtype=np.uint8)


class ConstantSeed(Base):
    def sample(self, index: int) -> Any:
        np.random.seed(0)
        return self.images[index] + np.random.randint(0, 50, self.images[index].shape).astype(np.uint8)


class InPlace(Base):
    def sample(self, index: int) -> Any:
        image = self.images[index]
        image += 1
        return image.copy()


class Saturates(Base):
    """Each reading brightens the kept image, but all images except one are white already."""

    def __init__(self) -> None:
        super().__init__()
        self.images = self.images.astype(int)
        self.images[np.arange(len(self.images)) != 7] = 255

    def sample(self, index: int) -> Any:
        image = self.images[index]
        image[:] = np.minimum(image + 10, 255)
        return image.copy()


class CachedDict(Base):
    """The cached sample is a dict whose entry is replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.samples = [{"image": image / 255} for image in self.images]

    def sample(self, index: int) -> Any:
        one = self.samples[index]
        one["image"] = one["image"] * 2
        return one["image"].copy()


_hidden = IMAGES.copy()


class HiddenInPlace(Base):
    """What is changed is not an attribute."""

    def sample(self, index: int) -> Any:
        _hidden[index] += 1
        return _hidden[index].copy()


class Buffer(Base):
    """A working buffer that is filled anew: harmless, unless it is given out."""

    def __init__(self) -> None:
        super().__init__()
        self.buffer = np.zeros((12, 12, 3), np.uint8)

    def sample(self, index: int) -> Any:
        self.buffer[:] = self.images[index]
        return self.buffer.copy()


class GivenBuffer(Buffer):
    def sample(self, index: int) -> Any:
        self.buffer[:] = self.images[index]
        return self.buffer


class Counts(Base):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def sample(self, index: int) -> Any:
        self.count += 1
        return super().sample(index)


class OpensLazily(Base):
    """What is right for files: each worker opens its own."""

    def __init__(self) -> None:
        super().__init__()
        self.file: Any = None
        self.table: Any = None

    def sample(self, index: int) -> Any:
        if self.file is None:
            self.file = open(os.devnull, "rb")  # noqa: SIM115
            self.table = {"images": [image.copy() for image in self.images]}
            self.rng = np.random.default_rng()
        return self.table["images"][index].copy()


class SometimesNone(Base):
    def sample(self, index: int) -> Any:
        return None if index == 5 else super().sample(index)


class DividesByZero(Base):
    def sample(self, index: int) -> Any:
        with np.errstate(all="ignore"):
            image = self.images[index].astype(np.float32) * (index != 7)
            return image / image.max()


class MissingFile(Base):
    def sample(self, index: int) -> Any:
        if index == 11:
            with open("/no/such/photo-11.jpg", "rb"):
                pass
        return super().sample(index)


class TooLong(Base):
    def __len__(self) -> int:
        return len(self.images) + 4

    def __getitem__(self, index: int) -> Any:
        if not -len(self.images) <= index < len(self.images):
            raise IndexError(f"index {index}")
        return self.sample(index)


class ManyObjects(Base):
    """A list of many paths: each is copied when it is first touched."""

    def __init__(self) -> None:
        super().__init__()
        self.paths = [f"folder/{number:09}.jpg" for number in range(40_000)]

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> Any:
        path = self.paths[index]
        return len(path)


class Leaks(Base):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[bytes] = []

    def sample(self, index: int) -> Any:
        self.seen.append(bytes(200))
        return index


class OpenCVGuarded(Base):
    def sample(self, index: int) -> Any:
        import cv2

        cv2.setNumThreads(0)
        large = np.zeros((1000, 1000), np.uint8)
        return cv2.resize(cv2.GaussianBlur(large, (9, 9), 0), (8, 8))


class SharedScratch(Base):
    """Threads write into the same place."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0

    def sample(self, index: int) -> Any:
        self.now = index
        for _ in range(2000):
            pass
        time.sleep(0)
        return self.images[self.now].copy()


class Unpicklable(Base):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


class HangsInWorkers(Base):
    def sample(self, index: int) -> Any:
        if get_worker_info() is not None and index == 3:
            waits_for_ever()
        return super().sample(index)


def waits_for_ever() -> None:
    threading.Event().wait()


class DiesInWorkers(Base):
    def sample(self, index: int) -> Any:
        if get_worker_info() is not None:
            os._exit(9)
        return super().sample(index)


class EndsTheProcess(Base):
    def sample(self, index: int) -> Any:
        os._exit(0)


class Stream(IterableDataset):
    """All items in each worker: the loader delivers each several times."""

    def __iter__(self) -> Any:
        yield from (image.copy() for image in IMAGES)


class NoisyStream(IterableDataset):
    def __iter__(self) -> Any:
        yield from (image + np.uint8(random.randrange(50)) for image in IMAGES)


class SplitStream(IterableDataset):
    def __iter__(self) -> Any:
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        yield from (image.copy() for image in IMAGES[first::step])


class Noise:
    """A transform that keeps its generator."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def __call__(self, image: np.ndarray) -> np.ndarray:
        return image + self.rng.integers(0, 50, image.shape, dtype=np.uint8)


class TransformedStream(IterableDataset):
    def __init__(self) -> None:
        self.transform = Noise()

    def __iter__(self) -> Any:
        yield from (self.transform(image) for image in IMAGES)


def to_nan(image: np.ndarray) -> np.ndarray:
    return image * (np.nan if image[0, 0, 0] == IMAGES[5][0, 0, 0] else 1.0)


class Reseeded(StoredGenerator):
    """A stored generator that a worker_init_fn seeds in the worker's dataset."""

    def set_seed(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)


def seed_by_method(worker: int) -> None:
    get_worker_info().dataset.set_seed(torch.initial_seed() % 2**32)


def seed_by_attribute(worker: int) -> None:
    get_worker_info().dataset.rng = np.random.default_rng(torch.initial_seed() % 2**32)


def seed_by_state(worker: int) -> None:
    get_worker_info().dataset.rng.bit_generator.state = np.random.PCG64(torch.initial_seed()).state


class Span(IterableDataset):
    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end

    def __iter__(self) -> Any:
        return iter(range(self.start, self.end))


def divide(worker: int) -> None:
    """As torch's own documentation of IterableDataset has it."""
    info = get_worker_info()
    share = -(-(info.dataset.end - info.dataset.start) // info.num_workers)
    info.dataset.start += worker * share
    info.dataset.end = min(info.dataset.start + share, info.dataset.end)


class KeepsPaths(Base):
    """pathlib keeps what it has computed in the paths."""

    def __init__(self) -> None:
        super().__init__()
        self.paths = [Path("photographs") / f"{number}.jpg" for number in range(len(self.images))]

    def sample(self, index: int) -> Any:
        return self.images[index].copy(), self.paths[index].name, hash(self.paths[index]) == 0


def same_seed_each_epoch(worker: int) -> None:
    np.random.seed(100 + worker)


def same_seed_in_all(worker: int) -> None:
    np.random.seed(100)


def make() -> Base:
    return Base()


def needs_argument(path: str) -> Base:
    return Base()


broken = 3
good = Base(16)
noisy = StoredGenerator()
empty: list[int] = []


class Sample:
    """A sample of a class of its own, with a reference to itself."""

    def __init__(self, image: np.ndarray, names: set[str]) -> None:
        self.image, self.names, self.own = image, names, self


class OwnSamples(Base):
    def sample(self, index: int) -> Any:
        return Sample(self.images[index] * (np.nan if index == 4 else 1.0), {f"name {index}", "photograph"})


class AlwaysRaises(Base):
    def sample(self, index: int) -> Any:
        raise RuntimeError(f"no sample {index}")


class IgnoresTermination(Base):
    """Starts a process of its own that nothing ends."""

    def sample(self, index: int) -> Any:
        if index == 0:
            subprocess.Popen(["sleep", "600"])
        return super().sample(index)
