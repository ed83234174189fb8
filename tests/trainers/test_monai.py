"""MONAI's ThreadDataLoader over a bridge: draws of the training thread, and errors of the thread that reads."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch
from recorded import BATCH, COUNT, SEED, expected
from torch.utils.data import Subset

from seedsafe import SampleError
from seedsafe_torch import AugmentedDataset, Envelope, EpochOrder, KeyedSampler

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("ignore")]

EPOCHS = 3


class Noisy:
    """Volumes with noise from the generators of the process."""

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> Any:
        noise = sum(np.random.rand(64, 64) for _ in range(3)).sum() + torch.rand(8, 8).sum().item()
        return np.array([index, noise, np.random.randint(10**6), random.randrange(10**6)])


def keyed() -> AugmentedDataset:
    return AugmentedDataset(Noisy(), seed=SEED, bridge=True)


def train() -> None:
    for _ in range(100):
        torch.nn.functional.dropout(torch.ones(100))
        np.random.rand(10)
        random.random()


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("options", [{}, {"num_workers": 2, "use_thread_workers": True}, {"num_workers": 2}])
def test_the_training_threads_draws_do_not_enter(options: dict[str, Any], later: bool) -> None:
    from monai.data import ThreadDataLoader

    sampler = KeyedSampler(EpochOrder(COUNT, seed=SEED), seed=SEED)
    loading = ThreadDataLoader(keyed(), batch_size=BATCH, sampler=sampler, buffer_size=2, **options)
    served = []
    for epoch in range(EPOCHS):
        for batch in loading:
            served += batch.tolist()
            if epoch or not later:
                train()
    alone = keyed()
    keys = [(index, epoch) for batch in expected(EPOCHS) for index, epoch, _ in batch]
    assert served == [alone.at(index, epoch=epoch).tolist() for index, epoch in keys]


class Broken(Noisy):
    """One of its files cannot be read."""

    def __getitem__(self, index: int) -> Any:
        if index == COUNT - 1:
            raise OSError("a broken file")
        return super().__getitem__(index)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("kind", ["plain", "Subset", "Envelope"])
@pytest.mark.parametrize("options", [{}, {"num_workers": 2, "use_thread_workers": True}])
def test_an_error_in_its_thread_is_raised_where_training_runs(options: dict[str, Any], kind: str) -> None:
    from monai.data import ThreadDataLoader

    inside = AugmentedDataset(Broken(), seed=SEED, bridge=True)
    dataset: Any = {
        "plain": inside,
        "Subset": Subset(inside, range(COUNT)),
        "Envelope": Envelope(Subset(inside, range(COUNT))),
    }[kind]
    loading = ThreadDataLoader(dataset, batch_size=BATCH, shuffle=False, **options)
    other = ThreadDataLoader(keyed(), batch_size=BATCH, shuffle=False)
    read: list[Any] = []
    with pytest.raises(SampleError, match="a broken file"):
        read.extend(index for batch, _ in zip(loading, other, strict=False) for index in batch[:, 0].tolist())
    assert read == list(range(len(read)))
    assert len(list(other)) == 4
