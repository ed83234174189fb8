"""Wrapped datasets in loaders that trainers build anew: every sample keeps its epoch, index and occurrence, or the read is refused."""

from __future__ import annotations

from typing import Any

import lightning
import pytest
import torch
from accelerate import Accelerator, skip_first_batches
from recorded import BATCH, SEED, dataset, listed
from torch.utils.data import Dataset, Subset, WeightedRandomSampler

from seedsafe_torch import loader

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("default")]

CHOSEN = [9, 1, 4, 7, 3, 0, 10]
EPOCHS = 2


class Wrapper(Dataset[Any]):
    def __init__(self) -> None:
        self.inside = dataset()

    def __len__(self) -> int:
        return len(CHOSEN)

    def __getitem__(self, index: int) -> Any:
        return self.inside[CHOSEN[index]]


class InBatches(Wrapper):
    def __getitems__(self, indices: Any) -> Any:
        return self.inside.__getitems__([CHOSEN[index] for index in indices])


KINDS = {"Subset": lambda: Subset(dataset(), CHOSEN), "own wrapper": Wrapper, "own __getitems__": InBatches}
ORDERS: dict[str, Any] = {
    "shuffled": lambda: {"shuffle": True},
    "weighted": lambda: {"sampler": WeightedRandomSampler([1.0, 2, 3, 1, 1, 1, 5], 10)},
}


def made(kind: str, order: str, workers: int) -> Any:
    return loader(KINDS[kind](), batch_size=BATCH, num_workers=workers, seed=SEED, **ORDERS[order]())


def wanted(order: str) -> list[list[list[int]]]:
    """Return what the sampler alone says."""
    batches = made("Subset", order, 0).batch_sampler
    return [
        [[CHOSEN[at], at.epoch, at.occurrence] for at in batch] for _ in range(EPOCHS) for batch in batches
    ]


def prepared(kind: str, order: str, workers: int) -> Any:
    loading = Accelerator(cpu=True).prepare(made(kind, order, workers))
    return [listed(batch) for _ in range(EPOCHS) for batch in loading]


def skipping(kind: str, order: str, workers: int) -> Any:
    loading = Accelerator(cpu=True).prepare(made(kind, order, workers))
    return [[], *(listed(batch) for batch in skip_first_batches(loading, 1))]


class Recording(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.seen: list[Any] = []

    def training_step(self, batch: Any, number: int) -> Any:
        self.seen.append(listed(batch))
        return self.weight.sum()

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), 0.1)


def fitted(kind: str, order: str, workers: int) -> Any:
    module = Recording()
    trainer = lightning.Trainer(
        max_epochs=EPOCHS,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(module, made(kind, order, workers))
    return module.seen


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("train", [prepared, skipping, fitted])
def test_every_sample_keeps_its_key(train: Any, kind: str, order: str, workers: int) -> None:
    if (kind, order) == ("own __getitems__", "weighted") and train is not fitted:
        with pytest.raises(RuntimeError, match=r"InBatches reads .*seedsafe_torch\.Envelope"):
            train(kind, order, workers)
        return
    found = train(kind, order, workers)
    expected = wanted(order)
    if train is skipping:
        found[0], expected = expected[0], expected[: len(found)]
    assert found == expected
    assert order == "shuffled" or any(sample[2] for batch in expected for sample in batch)
