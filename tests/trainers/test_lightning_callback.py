"""Lightning with plain DataLoaders: ResumeCallback finds the place of any checkpoint, and says where there is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightning
import pytest
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from recorded import BATCH, COUNT, SEED, Batches, dataset, expected, from_loader, from_sampler
from test_lightning import EPOCHS, STEPS, Model
from torch.utils.data import DataLoader

from seedsafe import VALIDATION_EPOCH
from seedsafe_torch import KeyedSampler
from seedsafe_torch.lightning import ResumeCallback

pytestmark = [
    pytest.mark.trainers,
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("error:.*(set_epoch|served again|second batch)"),
]


class Validated(Model):
    """It writes down what it is validated on too."""

    def __init__(self, make: Callable[[], Any]) -> None:
        super().__init__(make)
        self.validated: Batches = []

    def val_dataloader(self) -> Any:
        keyed = KeyedSampler(range(COUNT), seed=SEED, epoch=VALIDATION_EPOCH)
        return DataLoader(dataset(), batch_size=BATCH, sampler=keyed)

    def validation_step(self, batch: torch.Tensor, batch_idx: int) -> None:
        self.validated.append(batch.tolist())
        self.log("mean", batch.float().mean())


def fit(
    make: Callable[[], Any],
    resume: Path | None = None,
    callbacks: Any = (),
    model_class: type[Any] = Validated,
    **options: Any,
) -> Any:
    model = model_class(make)
    trainer = lightning.Trainer(
        max_epochs=EPOCHS,
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        enable_checkpointing=bool(callbacks),
        callbacks=[*callbacks, ResumeCallback()],
        **options,
    )
    trainer.fit(model, ckpt_path=resume, weights_only=False)
    return model


def every_kind(folder: Path) -> list[ModelCheckpoint]:
    """After each step, in the middle of an epoch's validation, and at an epoch's end."""
    return [
        ModelCheckpoint(folder, "after-{step}", every_n_train_steps=1, save_top_k=-1),
        ModelCheckpoint(
            folder, "validation-{step}", monitor="mean", save_top_k=-1, save_on_train_epoch_end=False
        ),
        ModelCheckpoint(folder, "end-{step}", every_n_epochs=1, save_top_k=-1, save_on_train_epoch_end=True),
    ]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("reload", [0, 1])
def test_a_plain_loader_goes_on_from_any_checkpoint(workers: int, reload: int, tmp_path: Path) -> None:
    options = {"val_check_interval": 2, "reload_dataloaders_every_n_epochs": reload}
    whole = fit(lambda: from_sampler(workers), callbacks=every_kind(tmp_path), **options).seen
    assert whole == expected(EPOCHS)
    found = [path for path in tmp_path.iterdir() if int(path.stem.split("=")[1]) < EPOCHS * STEPS]
    assert len(found) == 11 + 5 + 2
    for path in found:
        rest = fit(lambda: from_sampler(workers), path, **options).seen
        assert rest == whole[int(path.stem.split("=")[1]) :], path.name


def test_part_of_an_epoch_is_resumed(tmp_path: Path) -> None:
    options = {"limit_train_batches": 3}
    whole = fit(lambda: from_sampler(2), callbacks=every_kind(tmp_path), **options).seen
    assert whole == [batch for at, batch in enumerate(expected(EPOCHS)) if at % STEPS < 3]
    for path in tmp_path.iterdir():
        step = int(path.stem.split("=")[1])
        if step < len(whole):
            assert fit(lambda: from_sampler(2), path, **options).seen == whole[step:], path.name


@pytest.mark.parametrize("make", [from_loader, from_sampler])
def test_the_sanity_check_and_validation_move_nothing(make: Any) -> None:
    model = fit(lambda: make(2), num_sanity_val_steps=2)
    assert model.seen == expected(EPOCHS)
    assert {sample[1] for batch in model.validated for sample in batch} == {VALIDATION_EPOCH}


@pytest.mark.parametrize("make", [from_loader, from_sampler])
@pytest.mark.parametrize("workers", [0, 2])
def test_overfit_batches_have_each_epochs_augmentation(make: Any, workers: int, tmp_path: Path) -> None:
    options = {"overfit_batches": 2, "model_class": Model}
    kinds = every_kind(tmp_path)
    whole = fit(lambda: make(workers), callbacks=[kinds[0], kinds[2]], **options).seen
    assert whole == [
        [[index, epoch, 0] for index in range(start, start + BATCH)]
        for epoch in range(EPOCHS)
        for start in (0, BATCH)
    ]
    assert fit(lambda: make(workers), tmp_path / "end-step=4.ckpt", **options).seen == whole[4:]
    with pytest.raises(ValueError, match="overfit_batches replaces the sampler"):
        fit(lambda: make(workers), tmp_path / "after-step=3.ckpt", **options)


def test_overfit_batches_without_the_callback_warn() -> None:
    trainer = lightning.Trainer(
        max_epochs=2, overfit_batches=2, accelerator="cpu", logger=False, enable_checkpointing=False
    )
    with pytest.warns(UserWarning, match="is read a second time in epoch 0"):
        trainer.fit(Model(lambda: from_loader(0)))
