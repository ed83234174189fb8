"""The epoch of a validation set: an argument that nobody moves."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, AugmentedIterable, loader


class Noisy:
    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"x": torch.tensor([np.random.normal()])}


def bridged(**options: Any) -> AugmentedDataset:
    return AugmentedDataset(Noisy(), seed=42, bridge=True, **options)


def passed_on(record: Any) -> Any:
    return record


def stream() -> AugmentedIterable:
    return AugmentedIterable([{"__key__": "a"}], passed_on, seed=1)


@pytest.mark.parametrize(
    "made", [bridged, stream, lambda: loader(stream())], ids=["dataset", "stream", "loader of a stream"]
)
def test_it_cannot_be_set_where_others_set_epochs(made: Any) -> None:
    one = made()
    with pytest.raises(
        ValueError, match=r"make an Augmented\w+ for validation with epoch=seedsafe.VALIDATION_EPOCH"
    ):
        one.set_epoch(ss.VALIDATION_EPOCH)
    one.set_epoch(ss.VALIDATION_EPOCH - 1)


class Prepared:
    """A trainer's loader in the form of Accelerate's, with what the Trainer of Hugging Face does around it.

    It counts its own passes and sets that number on the dataset before each, then reads all of it with workers that it keeps.
    """

    def __init__(self, dataset: Any, workers: int) -> None:
        self.dataset, self.iteration = dataset, 0
        self.batches = DataLoader(dataset, batch_size=4, num_workers=workers, persistent_workers=workers > 0)

    def set_epoch(self, epoch: int) -> None:
        if self.iteration != epoch:
            self.iteration = epoch
        if hasattr(self.dataset, "set_epoch"):
            self.dataset.set_epoch(epoch)

    def __iter__(self) -> Any:
        self.set_epoch(self.iteration)
        yield from self.batches
        self.iteration += 1


@pytest.mark.parametrize("workers", [0, 2])
def test_the_argument_holds_whatever_a_trainer_sets(workers: int) -> None:
    train, valid = bridged(), bridged(epoch=ss.VALIDATION_EPOCH)
    expected = [float(valid.at(index, epoch=ss.VALIDATION_EPOCH)["x"]) for index in range(8)]
    trained, evaluated = Prepared(train, workers), Prepared(valid, workers)
    for epoch in range(3):
        served = torch.cat([batch["x"] for batch in trained]).flatten().tolist()
        assert served == [float(train.at(index, epoch=epoch)["x"]) for index in range(8)]
        assert torch.cat([batch["x"] for batch in evaluated]).flatten().tolist() == expected


def test_an_epoch_that_is_set_all_the_same_is_no_change_of_the_dataset() -> None:
    valid = bridged(epoch=ss.VALIDATION_EPOCH)
    batches = loader(valid, batch_size=4, num_workers=1, persistent_workers=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for epoch in range(2):
            valid.set_epoch(epoch)
            assert len(list(batches)) == 2
