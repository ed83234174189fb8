"""Datasets of public kinds with nothing wrong, in our own words: none of them may be called faulty."""

from __future__ import annotations

import functools
import math
import multiprocessing
import random
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset, IterableDataset, Subset, get_worker_info

import seedsafe as ss
from seedsafe_torch import AugmentedDataset

COUNT = 24
PICTURES = np.random.default_rng(0).integers(0, 255, (COUNT, 10, 10, 3), dtype=np.uint8)
WAVES = np.random.default_rng(1).normal(size=(COUNT, 60)).astype(np.float32)


class Listed(Dataset):
    """A dataset that raises behind its end."""

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> Any:
        if not -COUNT <= index < COUNT:
            raise IndexError(index)
        return self.read(index)

    def read(self, index: int) -> Any:
        return PICTURES[index].copy(), index % 3


# As in torchvision: a folder of pictures with transform and target_transform.


class Folder(Listed):
    def __init__(self, transform: Any = None, target_transform: Any = None) -> None:
        self.samples = [(Path("photographs") / f"{number}.png", number % 3) for number in range(COUNT)]
        self.transform, self.target_transform = transform, target_transform

    def read(self, index: int) -> Any:
        path, target = self.samples[index]
        image = PICTURES[int(path.stem)].copy()
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target


class Chain:
    def __init__(self, *steps: Callable[[Any], Any]) -> None:
        self.steps = steps

    def __call__(self, image: Any) -> Any:
        for step in self.steps:
            image = step(image)
        return image


class FlipByTorch:
    """As torchvision's, from torch's generator."""

    def __init__(self, p: float) -> None:
        self.p = p

    def __call__(self, image: Any) -> Any:
        return image[:, ::-1].copy() if torch.rand(1).item() < self.p else image


class CropByRandom:
    @staticmethod
    def corner(room: int) -> tuple[int, int]:
        return random.randint(0, room), random.randint(0, room)

    def __call__(self, image: Any) -> Any:
        top, left = self.corner(2)
        return image[top : top + 8, left : left + 8].copy()


def turned_by_the_system(image: Any) -> tuple[Any, ...]:
    """Return four views, of which some are turned alike in two readings by chance; torch's draw changes nothing."""
    torch.rand(1)
    return tuple(np.rot90(image[:8, :8], random.SystemRandom().randrange(4)).copy() for _ in range(4))


def brighter(image: Any) -> Any:
    return np.clip(image * np.random.uniform(0.8, 1.2), 0, 255)


def as_tensor(image: Any) -> Any:
    return torch.from_numpy(np.ascontiguousarray(image)).permute(2, 0, 1) / 255


class ReadsByPass(Folder):
    """A draw for p=1 that changes nothing."""

    def read(self, index: int) -> Any:
        random.random()
        return super().read(index)


# As in Hugging Face's datasets: columns, a transform that is set, shuffling by seed and epoch in a stream.


class Columns(Listed):
    def __init__(self) -> None:
        self.columns = {
            "text": [f"sentence {number}" for number in range(COUNT)],
            "label": list(range(COUNT)),
        }
        self.transform: Any = None

    def with_transform(self, transform: Any) -> Columns:
        self.transform = transform
        return self

    def read(self, index: int) -> Any:
        row = {name: column[index] for name, column in self.columns.items()}
        return self.transform(row) if self.transform is not None else row

    def __getitems__(self, indices: list[int]) -> list[Any]:
        return [self[index] for index in indices]


def masked(row: Any) -> Any:
    tokens = np.frombuffer(row["text"].encode(), np.uint8).copy()
    tokens[np.random.random(len(tokens)) < 0.15] = 0
    return {**row, "tokens": tokens}


class Shuffled(IterableDataset):
    """Every worker makes the same order and takes its share."""

    def __init__(self, seed: int = 3) -> None:
        self.seed, self.epoch, self.rng = seed, 0, random.Random(seed)

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def order(self) -> list[int]:
        order = list(range(COUNT))
        random.Random(f"{self.seed}/{self.epoch}").shuffle(order)
        return order

    def __iter__(self) -> Any:
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for number in self.order()[first::step]:
            yield {"id": number, "wave": WAVES[number].copy()}


class ShuffledByAStoredGenerator(Shuffled):
    """The generator whose state all workers share is that of the order."""

    def set_epoch(self, epoch: int) -> None:
        self.rng.seed(f"{self.seed}/{epoch}")

    def order(self) -> list[int]:
        order = list(range(COUNT))
        self.rng.shuffle(order)
        return order


class CroppedByWorker(Shuffled):
    """Not right: the number of the worker decides the crop."""

    def __iter__(self) -> Any:
        info = get_worker_info()
        rng = np.random.default_rng((self.seed, self.epoch, info.id if info else 0))
        for record in super().__iter__():
            start = int(rng.integers(40))
            yield {"id": record["id"], "wave": record["wave"][start : start + 20]}


class Buffered(Shuffled):
    """A shuffle buffer: which record comes next is drawn."""

    def __iter__(self) -> Any:
        rng = np.random.default_rng((self.seed, self.epoch))
        buffer: list[Any] = []
        for record in super().__iter__():
            buffer.append(record)
            if len(buffer) > 4:
                yield buffer.pop(int(rng.integers(len(buffer))))
        yield from buffer


class CroppedByEpoch(Shuffled):
    """Each worker has a generator of the seed, the epoch and its number."""

    def __iter__(self) -> Any:
        info = get_worker_info()
        rng = np.random.default_rng((self.seed, self.epoch, info.id if info else 0))
        for record in super().__iter__():
            yield {**record, "wave": record["wave"] * rng.uniform(0.5, 2)}


class OneOrder(IterableDataset):
    """The order of all epochs follows from one seed; noise comes from torch's generator."""

    def __iter__(self) -> Any:
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for number in np.random.default_rng(0).permutation(COUNT)[first::step]:
            yield WAVES[number] + torch.randn(60).numpy()


class NoiseOfTheRecord(OneOrder):
    """As a validation set: a record's noise follows from its number."""

    def __iter__(self) -> Any:
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for number in range(first, COUNT, step):
            yield number, WAVES[number] + np.random.default_rng(number).normal(size=60)


# As in lhotse: a lazily made generator that a worker_init_fn seeds, cuts with ids, a cache of open files.


class Cuts(Listed):
    def __init__(self) -> None:
        self.rng: random.Random | None = None
        self.seed = 0

    def read(self, index: int) -> Any:
        if self.rng is None:
            self.rng = random.Random(self.seed)
        start = self.rng.randrange(40)
        return {"id": f"cut-{index}", "wave": WAVES[index, start : start + 20].copy()}


def seed_the_cuts(worker: int) -> None:
    info = get_worker_info()
    info.dataset.seed = info.seed
    info.dataset.rng = None


# As in fastMRI: a mask function with a generator of its own, which a worker_init_fn seeds.


class MaskFunction:
    def __init__(self) -> None:
        self.rng = np.random.RandomState()

    def __call__(self, shape: tuple[int, ...], seed: Any = None) -> Any:
        rng = self.rng if seed is None else np.random.RandomState(seed)
        return rng.uniform(size=shape) < 0.5


class Slices(Listed):
    def __init__(self, *, by_name: bool) -> None:
        self.mask, self.by_name = MaskFunction(), by_name

    def read(self, index: int) -> Any:
        seed = tuple(map(ord, f"file-{index}")) if self.by_name else None
        return WAVES[index] * self.mask(WAVES[index].shape, seed), f"file-{index}"


def seed_the_masks(worker: int) -> None:
    info = get_worker_info()
    info.dataset.mask.rng.seed(info.seed % 2**32)


# As in MONAI: every transform has a generator, which the dataset's set_random_state passes on.


class Randomized:
    def __init__(self) -> None:
        self.R = np.random.RandomState()

    def set_random_state(self, seed: int) -> None:
        self.R = np.random.RandomState(seed)

    def __call__(self, image: Any) -> Any:
        return image + self.R.normal(0, 0.1, image.shape)


class Transformed(Listed):
    def __init__(self, *transforms: Any) -> None:
        self.transforms = transforms

    def set_random_state(self, seed: int) -> None:
        for number, transform in enumerate(self.transforms):
            transform.set_random_state(seed + number)

    def read(self, index: int) -> Any:
        image = PICTURES[index] / 255
        for transform in self.transforms:
            image = transform(image)
        return {"image": image, "label": index}


def seed_the_transforms(worker: int) -> None:
    get_worker_info().dataset.set_random_state(get_worker_info().seed % 2**31)


class CachedBefore(Transformed):
    """As MONAI's CacheDataset: what draws nothing is kept."""

    def __init__(self) -> None:
        super().__init__(Randomized())
        self.kept: OrderedDict[int, Any] = OrderedDict()

    def read(self, index: int) -> Any:
        if index not in self.kept:
            self.kept[index] = PICTURES[index] / 255
        return self.transforms[0](self.kept[index].copy())


# Seeds of a sample: of the epoch and the index, of its name, of one moment for several cameras.


class ByKey(Listed):
    epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def rng(self, index: int) -> Any:
        return np.random.default_rng((7, self.epoch, index))

    def read(self, index: int) -> Any:
        return PICTURES[index] + self.rng(index).integers(0, 9, (10, 10, 3), dtype=np.uint8)


class ByKeyWithNoise(ByKey):
    def read(self, index: int) -> Any:
        return super().read(index) + np.random.normal(size=(10, 10, 3))


class OfAMoment(ByKey):
    """Three cameras of a moment share their numbers."""

    def rng(self, index: int) -> Any:
        return np.random.default_rng((7, self.epoch, index // 3))


class OfTorchByKey(ByKey):
    def read(self, index: int) -> Any:
        generator = torch.Generator().manual_seed(1_000_000 * self.epoch + index)
        return torch.rand(4, generator=generator), index


class OfItsName(Listed):
    """A validation set: the same noise for a file in every epoch."""

    def read(self, index: int) -> Any:
        return WAVES[index] + np.random.RandomState(index).normal(size=60)


class SharedSeed(Listed):
    """Picture and mask follow one seed, which is drawn for each sample."""

    def read(self, index: int) -> Any:
        seed = int(torch.randint(2**31, (1,)))
        parts = []
        for part in (PICTURES[index], PICTURES[index] > 100):
            rng = random.Random(seed)
            parts.append(part[:, ::-1].copy() if rng.random() < 0.5 else part.copy())
        return tuple(parts)


class PutsBack(Listed):
    """Seeds the global generator, and puts it back."""

    def read(self, index: int) -> Any:
        before = random.getstate()
        random.seed(index)
        shift = random.randrange(5)
        random.setstate(before)
        return np.roll(PICTURES[index], shift, 0)


class PutsBackTorchs(Listed):
    def read(self, index: int) -> Any:
        with torch.random.fork_rng([]):
            torch.manual_seed(index)
            return WAVES[index] + torch.rand(60).numpy()


class OpensLater(Listed):
    def __init__(self) -> None:
        self.file: Any = None

    def read(self, index: int) -> Any:
        if self.file is None:
            self.file = WAVES.copy()
        return self.file[index].copy()


class KeepsLast(Listed):
    """Notes what it drew last, as many transforms do, and never reads it."""

    def read(self, index: int) -> Any:
        self.last = np.random.rand()
        return WAVES[index] * self.last


class Retries(Listed):
    """A generator of its own, for what is read in place of a bad record."""

    def __init__(self) -> None:
        self.rng = random.Random(42)

    def read(self, index: int) -> Any:
        return WAVES[self.rng.randrange(COUNT) if index < 0 else index].copy()


@functools.lru_cache(maxsize=8)
def _decoded(index: int) -> Any:
    return PICTURES[index].astype(np.float32)


class DecodedOnce(Listed):
    def read(self, index: int) -> Any:
        return _decoded(index) + np.random.normal(size=(10, 10, 3))


class Pairs(Listed):
    """A partner from NumPy's generator, as MixUp in the dataset."""

    def read(self, index: int) -> Any:
        share, partner = np.random.beta(1, 1), np.random.randint(COUNT)
        return share * WAVES[index] + (1 - share) * WAVES[partner]


class OfOpenCV(Listed):
    """OpenCV's noise, whose generator a worker_init_fn seeds."""

    def read(self, index: int) -> Any:
        noise = cv2.randn(np.zeros((10, 10, 3), np.float32), 0.0, 5.0)
        return PICTURES[index] + noise


def seed_opencv(worker: int) -> None:
    cv2.setRNGSeed(torch.initial_seed() % 2**31)


def seed_numpy(worker: int) -> None:
    np.random.seed(torch.initial_seed() % 2**32)


class Span(IterableDataset):
    """As in torch's own documentation."""

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end

    def __iter__(self) -> Any:
        return iter(range(self.start, self.end))


def share_out(worker: int) -> None:
    info = get_worker_info()
    size = math.ceil((info.dataset.end - info.dataset.start) / info.num_workers)
    info.dataset.start += worker * size
    info.dataset.end = min(info.dataset.start + size, info.dataset.end)


def _loading(dataset: Any, init: Any = None, **options: Any) -> Any:
    return DataLoader(dataset, batch_size=4, num_workers=2, worker_init_fn=init, **options)


def keyed(bridge: bool = False) -> Any:
    base = Transformed(Randomized()) if bridge else PICTURES
    return AugmentedDataset(base, None if bridge else ss.RandomCrop(8), seed=1, bridge=bridge)


class EpochInSharedMemory(Listed):
    """The epoch reaches workers that persist, and every other process that has a copy."""

    def __init__(self) -> None:
        self.epoch = multiprocessing.get_context("spawn").Value("q", 0)

    def set_epoch(self, epoch: int) -> None:
        self.epoch.value = epoch

    def read(self, index: int) -> Any:
        return PICTURES[index] + np.random.default_rng((self.epoch.value, index)).integers(9, dtype=np.uint8)


RIGHT: dict[str, Callable[[], Any]] = {
    "folder": Folder,
    "epoch in shared memory": EpochInSharedMemory,
    "folder, transforms of torch": lambda: Folder(Chain(FlipByTorch(0.5), as_tensor)),
    "folder, transforms of random": lambda: Folder(Chain(CropByRandom(), FlipByTorch(0.5))),
    "folder, transforms of the system": lambda: Folder(turned_by_the_system),
    "folder, transforms of numpy": lambda: Folder(Chain(brighter, CropByRandom())),
    "folder, target_transform": lambda: Folder(brighter, target_transform=float),
    "folder, draws that change nothing": ReadsByPass,
    "folder, persistent workers": lambda: _loading(Folder(brighter), persistent_workers=True),
    "folder, worker_init_fn of numpy": lambda: _loading(Folder(brighter), seed_numpy),
    "subset": lambda: Subset(Folder(brighter), range(3, COUNT)),
    "two datasets": lambda: ConcatDataset([Folder(brighter), Folder(FlipByTorch(0.5))]),
    "tensors": lambda: torch.utils.data.TensorDataset(torch.from_numpy(WAVES), torch.arange(COUNT)),
    "columns": Columns,
    "columns, masked": lambda: Columns().with_transform(masked),
    "stream, shuffled": Shuffled,
    "stream, a stored generator of the order": ShuffledByAStoredGenerator,
    "stream, a buffer": Buffered,
    "stream, cropped by epoch": CroppedByEpoch,
    "stream, one order": OneOrder,
    "stream, noise of the record": NoiseOfTheRecord,
    "puts torch's generator back": PutsBackTorchs,
    "stream, shared out in worker_init_fn": lambda: _loading(Span(0, 40), share_out),
    "cuts": lambda: _loading(Cuts(), seed_the_cuts),
    "slices, seeded workers": lambda: _loading(Slices(by_name=False), seed_the_masks),
    "slices, seeds of names": lambda: Slices(by_name=True),
    "slices, seeds of names and seeded workers": lambda: _loading(Slices(by_name=True), seed_the_masks),
    "transforms, seeded workers": lambda: _loading(
        Transformed(Randomized(), Randomized()), seed_the_transforms
    ),
    "transforms, none": Transformed,
    "transforms behind a cache": lambda: _loading(CachedBefore(), seed_the_transforms),
    "a key": ByKey,
    "a key, seeded workers": lambda: _loading(ByKey(), seed_numpy),
    "a key, noise": ByKeyWithNoise,
    "a key of a moment": OfAMoment,
    "a key in torch": OfTorchByKey,
    "a seed of the name": OfItsName,
    "one seed for picture and mask": SharedSeed,
    "puts the generator back": PutsBack,
    "opens its file later": OpensLater,
    "notes what it drew": KeepsLast,
    "a generator for retries": Retries,
    "decoded once": DecodedOnce,
    "pairs": Pairs,
    "opencv, seeded workers": lambda: _loading(OfOpenCV(), seed_opencv),
    "a list": lambda: [WAVES[index] for index in range(COUNT)],
    "keyed": keyed,
    "keyed by a bridge": lambda: keyed(bridge=True),
}
