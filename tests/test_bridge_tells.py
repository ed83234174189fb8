"""A bridge says what it keys, and that it keys nothing."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader


class Once:
    """Augments once, as it is made."""

    def __init__(self, length: int = 40) -> None:
        self.noisy = np.random.default_rng(0).random(length, np.float32)

    def __len__(self) -> int:
        return len(self.noisy)

    def __getitem__(self, index: int) -> Any:
        return self.noisy[index : index + 1]


class Drawing(Once):
    def __getitem__(self, index: int) -> Any:
        return self.noisy[index] + np.random.rand()


class Making(Once):
    """Draws from a generator without a seed, made in the read."""

    def __getitem__(self, index: int) -> Any:
        return self.noisy[index] + np.random.default_rng().random()


class Asking(Once):
    """Draws from its key."""

    def __getitem__(self, index: int) -> Any:
        return self.noisy[index] + ss.generator().random()


def told(dataset: Any, workers: int = 0, passes: int = 2, make: Any = loader) -> list[str]:
    """Return the warnings that passes give in this process."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        batches = make(dataset, batch_size=4, num_workers=workers)
        for _ in range(passes):
            for _ in batches:
                pass
    return [str(warning.message) for warning in given]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_dataset_that_draws_nothing_is_told_once(workers: int) -> None:
    dataset = AugmentedDataset(Once(), seed=42, bridge=True)
    (warning,) = told(dataset, workers)
    assert warning.startswith("nothing drew in 32 reads of the dataset Once, so its bridge keys nothing: ")
    assert "epoch=seedsafe.VALIDATION_EPOCH" in warning
    assert told(dataset, workers) == []
    assert dataset.reader.report() == "nothing drew in 32 reads; keyed: nothing yet"


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("base", [Drawing, Making, Asking])
def test_one_that_draws_is_not(base: Any, workers: int) -> None:
    dataset = AugmentedDataset(base(), seed=42, bridge=True)
    assert told(dataset, workers) == []
    assert ("numpy.random" in dataset.reader.report()) == (base is Drawing)


@pytest.mark.parametrize(
    "options",
    [
        {"epoch": ss.VALIDATION_EPOCH},
        {"epoch": 3},
        {"augment": ss.Compose([ss.GaussianNoise(1.0, p=0)])},
        {"bridge": ss.Bridge(verify=False)},
        {"bridge": False},
    ],
)
def test_neither_is_a_validation_set_or_one_with_an_augmentation(options: dict[str, Any]) -> None:
    assert told(AugmentedDataset(Once(), **{"seed": 42, "bridge": True} | options)) == []


def test_neither_is_one_around_another() -> None:
    inner = AugmentedDataset(Once(), ss.Compose([ss.GaussianNoise(1.0)]), seed=7)
    assert told(AugmentedDataset(inner, seed=42, bridge=True)) == []


def test_fewer_than_32_reads_say_nothing() -> None:
    dataset = AugmentedDataset(Once(15), seed=42, bridge=True)
    assert told(dataset) == []
    assert len(told(dataset, passes=1)) == 1


def test_the_worker_with_the_32nd_read_warns_in_a_loader_that_is_not_ours() -> None:
    dataset: Any = AugmentedDataset(Once(), seed=42, bridge=True)
    batches = DataLoader(dataset, batch_size=4, num_workers=2, worker_init_fn=_turn_into_errors)
    with pytest.raises(ss.SampleError, match="nothing drew in 32 reads of the dataset Once"):
        list(batches)


def _turn_into_errors(_: int) -> None:
    warnings.simplefilter("error")


class Stored(Once):
    def __init__(self) -> None:
        super().__init__()
        self.image = [np.random.RandomState(k) for k in range(3)]
        self.mask = [np.random.RandomState(k) for k in range(3)]
        self.alone = torch.Generator().manual_seed(3)

    def __getitem__(self, index: int) -> Any:
        return self.image[0].rand() + self.mask[0].rand() + np.random.rand()


def test_stored_generators_are_counted_with_their_groups() -> None:
    with pytest.warns(UserWarning, match="share one stream"):
        dataset = AugmentedDataset(Stored(), seed=42, bridge=True)
    found = "7 stored generators, 3 groups of 2 that move together"
    assert dataset.reader.report() == f"keyed: {found}"
    dataset.at(0, epoch=0)
    assert dataset.reader.report() == f"keyed: numpy.random, {found}"
    assert repr(dataset).endswith(f"None, seed=42, bridge=<keyed: numpy.random, {found}>)")
    assert dataset.manifest()["keyed"] == dataset.reader.report()
    assert "bridge" not in repr(AugmentedDataset(Once(), seed=42))


def test_a_copy_in_another_process_counts_anew_and_is_told() -> None:
    dataset = pickle.loads(pickle.dumps(AugmentedDataset(Once(), seed=42, bridge=True)))
    assert len(told(dataset)) == 1
