"""Ways to draw random numbers in a loader's workers.

Each is a dataset as people write it. A sample is its index and the numbers drawn for it, and a run is what a real DataLoader, or
Keras's `fit`, delivers: nothing about a way is computed. Starting workers costs more than training does, so a sample draws the
numbers of SETS trainings at once.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch.utils.data import DataLoader, Dataset

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader

__all__ = ["NUMBERS", "SETS", "WAYS", "Counts", "Loading", "Run", "count", "run"]

NUMBERS = 7
"""How many numbers in [0, 1) each sample draws for a training."""

SETS = 10
"""For how many trainings a sample draws."""

_SHAPE = (SETS, NUMBERS)


class Loading(NamedTuple):
    """How a training set is loaded."""

    size: int
    epochs: int
    batch: int = 20
    workers: int = 4
    shuffle: bool = True


class Run(NamedTuple):
    """What was loaded: indices of shape (epochs, size), and the numbers of shape (epochs, size, SETS, NUMBERS)."""

    indices: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.float64]


class _Numbers(Dataset[Any]):
    """Numbers from NumPy's global generator."""

    def __init__(self, size: int, seed: int) -> None:
        self.size, self.seed = size, seed

    def __len__(self) -> int:
        return self.size

    def begin(self, epoch: int) -> None:
        """Do what the training loop does before an epoch."""

    def draw(self, index: int) -> Any:
        return np.random.random(_SHAPE)

    def __getitem__(self, index: int) -> Any:
        return index, self.draw(index)


class _Alike(_Numbers):
    """A generator seeded by the index."""

    def draw(self, index: int) -> Any:
        return np.random.default_rng((self.seed, index)).random(_SHAPE)


class _Stored(_Numbers):
    """A generator in the dataset."""

    def __init__(self, size: int, seed: int) -> None:
        super().__init__(size, seed)
        self.rng = np.random.default_rng(seed)

    def draw(self, index: int) -> Any:
        return self.rng.random(_SHAPE)


class _SeededByEpoch(_Stored):
    """A generator in the dataset, seeded anew by the loop before each epoch."""

    def begin(self, epoch: int) -> None:
        self.rng = np.random.default_rng((self.seed, epoch))


class _Keyed(_Numbers):
    """The sample's own generator."""

    def draw(self, index: int) -> Any:
        return ss.generator().random(_SHAPE)


def _collate(samples: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    indices, numbers = zip(*samples, strict=True)
    return np.array(indices), np.stack(numbers)


def _plain(kind: type[_Numbers], *, seeded: bool = False) -> Callable[[Loading, int], Run]:
    def load(how: Loading, seed: int) -> Run:
        dataset = kind(how.size, seed)

        def seed_worker(worker: int) -> None:
            np.random.seed(seed + worker)

        loading = DataLoader(
            dataset,
            batch_size=how.batch,
            shuffle=how.shuffle,
            num_workers=how.workers,
            collate_fn=_collate,
            worker_init_fn=seed_worker if seeded else None,
            generator=torch.Generator().manual_seed(seed),
        )
        return _epochs(loading, how, dataset.begin)

    return load


def _keyed(how: Loading, seed: int) -> Run:
    dataset = AugmentedDataset(_Keyed(how.size, seed), seed=seed)
    loading = loader(
        dataset,
        batch_size=how.batch,
        shuffle=how.shuffle,
        num_workers=how.workers,
        collate_fn=_collate,
    )
    return _epochs(loading, how, lambda epoch: None)


def _epochs(loading: Any, how: Loading, begin: Callable[[int], None]) -> Run:
    indices, numbers = [], []
    for epoch in range(how.epochs):
        begin(epoch)
        batches = list(loading)
        indices.append(np.concatenate([batch[0] for batch in batches]))
        numbers.append(np.concatenate([batch[1] for batch in batches]))
    return Run(np.stack(indices), np.stack(numbers))


def _keras(how: Loading, seed: int) -> Run:
    """Draw in Keras's processes from NumPy's global generator. Which process is free decides, so no two runs are equal."""
    os.environ.setdefault("KERAS_BACKEND", "torch")
    import keras  # it reads its backend at import

    order = np.random.default_rng(seed)

    class Numbers(keras.utils.PyDataset):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(workers=how.workers, use_multiprocessing=True)
            self.order = np.arange(how.size)
            self.on_epoch_end()

        def __len__(self) -> int:
            return math.ceil(how.size / how.batch)

        def on_epoch_end(self) -> None:
            if how.shuffle:
                self.order = order.permutation(how.size)

        def __getitem__(self, index: int) -> Any:
            indices = self.order[index * how.batch : (index + 1) * how.batch]
            return indices, np.random.random((len(indices), *_SHAPE))

    batches: list[Any] = []

    class Record(keras.Model):  # type: ignore[misc]
        def train_step(self, data: Any) -> Any:
            batches.append([part.numpy() for part in data])
            return {"loss": 0.0}

    model = Record()
    model.built = True  # it has no weights
    model.compile(run_eagerly=True)
    np.random.seed(seed)  # the training process's, as a script begins
    model.fit(Numbers(), epochs=how.epochs, shuffle=False, verbose=0)
    indices, numbers = (np.concatenate(part) for part in zip(*batches, strict=True))
    return Run(
        indices.astype(np.int64).reshape(how.epochs, how.size),
        numbers.astype(np.float64).reshape(how.epochs, how.size, *_SHAPE),
    )


WAYS: dict[str, Callable[[Loading, int], Run]] = {
    "alike": _plain(_Alike),
    "stored": _plain(_Stored),
    "worker": _plain(_Numbers, seeded=True),
    "epoch": _plain(_SeededByEpoch),
    "keras": _keras,
    "torch": _plain(_Numbers),
    "keyed": _keyed,
}
"""The ways by name: they load with a seed."""


def run(way: str, how: Loading, seed: int) -> Run:
    """Load some epochs.

    Args:
        way: a name in WAYS.
        how: the training set and its loader.
        seed: the seed of the run.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="This DataLoader will create")  # more workers than cores
        warnings.filterwarnings("ignore", message="This process .* is multi-threaded")
        return WAYS[way](how, seed)


class Counts(NamedTuple):
    """How many different augmentations there are.

    Args:
        first: those in the first epoch.
        second: those of the second epoch that the first one had not.
        image: those that an image gets in all epochs, on average.
    """

    first: int
    second: int
    image: float


def count(loaded: Run) -> Counts:
    """Count the different augmentations of a run of at least two epochs. Those of all trainings repeat alike."""
    drawn = loaded.numbers[:, :, 0]
    first, second = (set(map(tuple, epoch.tolist())) for epoch in drawn[:2])
    images = np.unique(np.c_[loaded.indices.ravel(), drawn.reshape(-1, NUMBERS)], axis=0)
    return Counts(len(first), len(second - first), len(images) / loaded.indices.shape[1])
