"""Lightning: real trainings, stopped at every checkpoint and resumed from it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightning
import pytest
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from recorded import Batches, expected, from_loader, from_sampler, listed

pytestmark = [
    pytest.mark.trainers,
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("error:.*(set_epoch|served again|second batch)"),
]

EPOCHS, STEPS = 3, 4


class Model(lightning.LightningModule):
    """One weight; it writes down what it is trained on."""

    def __init__(self, make: Callable[[], Any]) -> None:
        super().__init__()
        self.make = make
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.seen: Batches = []

    def train_dataloader(self) -> Any:
        return self.make()

    def training_step(self, batch: torch.Tensor, batch_idx: int) -> torch.Tensor:
        self.seen.append(listed(batch))
        return (self.weight * batch.float().mean()).sum()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1)


def fit(
    make: Callable[[], Any],
    epochs: int,
    resume: Path | None = None,
    model_class: type[Model] = Model,
    **options: Any,
) -> Any:
    """Return a model that was trained."""
    model = model_class(make)
    options.setdefault("enable_checkpointing", "callbacks" in options)
    trainer = lightning.Trainer(
        max_epochs=epochs,
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        **options,
    )
    trainer.fit(model, ckpt_path=resume, weights_only=False)
    return model


@pytest.mark.parametrize(("workers", "reload"), [(0, 0), (2, 0), (2, 1)])
def test_a_run_resumed_from_any_checkpoint(workers: int, reload: int, tmp_path: Path) -> None:
    options = {"reload_dataloaders_every_n_epochs": reload}

    def make() -> Any:
        return from_loader(workers)

    steps = ModelCheckpoint(tmp_path, "{step}", every_n_train_steps=1, save_top_k=-1)
    ends = ModelCheckpoint(tmp_path, "{epoch}", every_n_epochs=1, save_top_k=-1)
    whole = fit(make, EPOCHS, callbacks=[steps, ends], **options).seen
    assert whole == expected(EPOCHS)
    for step in range(1, EPOCHS * STEPS):
        rest = fit(make, EPOCHS, tmp_path / f"step={step}.ckpt", **options).seen
        assert rest == whole[step:], f"after step {step}"
    for epoch in range(EPOCHS - 1):
        rest = fit(make, EPOCHS, tmp_path / f"epoch={epoch}.ckpt", **options).seen
        assert rest == whole[(epoch + 1) * STEPS :], f"after epoch {epoch}"


def test_another_number_of_workers_goes_on(tmp_path: Path) -> None:
    steps = ModelCheckpoint(tmp_path, "{step}", every_n_train_steps=1, save_top_k=-1)
    fit(lambda: from_loader(2), 2, callbacks=[steps])
    assert fit(lambda: from_loader(1), EPOCHS, tmp_path / "step=6.ckpt").seen == expected(EPOCHS)[6:]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_plain_loader_with_a_keyed_sampler_trains(workers: int) -> None:
    assert fit(lambda: from_sampler(workers), EPOCHS).seen == expected(EPOCHS)


def test_a_plain_loader_whose_workers_read_the_wrong_epoch_warns(tmp_path: Path) -> None:
    ends = ModelCheckpoint(tmp_path, "{epoch}", every_n_epochs=1, save_top_k=-1)
    fit(lambda: from_sampler(2), 2, callbacks=[ends])
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        with pytest.warns(UserWarning, match=r"set_epoch\(2\) came after workers began to read epoch 0"):
            fit(lambda: from_sampler(2), EPOCHS, tmp_path / "epoch=1.ckpt")
