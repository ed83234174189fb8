"""Hugging Face's Trainer: on the dataset alone and on a keyed loader, resumed from every checkpoint."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import operators  # noqa: F401  # torchvision's, which transformers imports

os.environ["HF_HUB_OFFLINE"] = "1"

import pytest
import torch
from recorded import BATCH, Batches, dataset, expected, from_loader, listed
from transformers import Trainer, TrainingArguments

from seedsafe_torch.hugging_face import keyed

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("default")]

EPOCHS, STEPS = 3, 4


class Model(torch.nn.Module):
    """One weight; it writes down what it is trained on."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.seen: Batches = []

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        self.seen.append(listed(x))
        return {"loss": (self.weight * x.float().mean()).sum()}


def collate(samples: list[Any]) -> dict[str, torch.Tensor]:
    return {"x": torch.stack([torch.as_tensor(sample) for sample in samples])}


class OnOurLoader(Trainer):
    def get_train_dataloader(self) -> Any:
        return self.accelerator.prepare(from_loader(self.args.dataloader_num_workers, collate_fn=collate))


def arguments_of(folder: Path, workers: int, **more: Any) -> TrainingArguments:
    """Return the arguments of a run on the CPU with a checkpoint after each step."""
    return TrainingArguments(
        str(folder),
        per_device_train_batch_size=BATCH,
        use_cpu=True,
        report_to=[],
        save_strategy="steps",
        save_steps=1,
        disable_tqdm=True,
        dataloader_num_workers=workers,
        remove_unused_columns=False,
        logging_strategy="no",
        **more,
    )


def run(trainer: type[Trainer], folder: Path, workers: int, resume: int | None, told: bool) -> Batches:
    model, data = Model(), dataset()
    arguments = arguments_of(folder, workers, num_train_epochs=EPOCHS)
    made = trainer(model=model, args=arguments, train_dataset=data, data_collator=collate)
    if told:
        made = keyed(made)
    made.train(resume_from_checkpoint=None if resume is None else str(folder / f"checkpoint-{resume}"))
    return model.seen


@pytest.mark.parametrize("workers", [0, 2])
def test_the_dataset_alone_with_a_callback(workers: int, tmp_path: Path) -> None:
    whole = run(Trainer, tmp_path, workers, None, told=True)
    assert [{epoch for _, epoch, _ in batch} for batch in whole] == [
        {k // STEPS} for k in range(EPOCHS * STEPS)
    ]
    for step in (1, 2, 4, 6, 7, 8, 11):
        assert run(Trainer, tmp_path, workers, step, told=True) == whole[step:], f"after step {step}"


def test_without_it_the_epoch_is_wrong_so_the_callback_is_needed(tmp_path: Path) -> None:
    whole = run(Trainer, tmp_path, 0, None, told=False)
    assert run(Trainer, tmp_path, 0, 6, told=False) != whole[6:]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_keyed_loader(workers: int, tmp_path: Path) -> None:
    assert run(OnOurLoader, tmp_path, workers, None, told=False) == expected(EPOCHS)
    for step in (1, 4, 6, 11):
        rest = run(OnOurLoader, tmp_path, workers, step, told=False)
        assert rest == expected(EPOCHS)[step:], f"after step {step}"
