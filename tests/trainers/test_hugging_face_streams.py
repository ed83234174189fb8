"""Hugging Face's Trainer over a stream: resumed in a later epoch if it has a length, else told."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import operators  # noqa: F401  # torchvision's, which transformers imports
import pytest
from recorded import BATCH, COUNT, SEED, Batches
from test_hugging_face import Model, arguments_of, collate
from torch.utils.data import get_worker_info
from transformers import Trainer

import seedsafe as ss
from seedsafe_torch import AugmentedIterable, loader

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("default")]

STEPS = 10


class Source:
    """Records, divided among workers."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        info = get_worker_info()
        for n in range(COUNT):
            if info is None or n % info.num_workers == info.id:
                yield {"n": n}


class Counted(Source):
    def __len__(self) -> int:
        return COUNT


class OnOurLoader(Trainer):
    def get_train_dataloader(self) -> Any:
        workers = self.args.dataloader_num_workers
        return self.accelerator.prepare(
            loader(self.train_dataset, batch_size=BATCH, num_workers=workers, collate_fn=collate)
        )


def noted(sample: Any) -> Any:
    return np.array([sample["n"], ss.current_key().epoch, 0])


def run(kind: type[Trainer], source: Any, folder: Path, workers: int, resume: int | None) -> Batches:
    model = Model()
    arguments = arguments_of(folder, workers, max_steps=STEPS)
    stream = AugmentedIterable(source, noted, seed=SEED, id="n")
    made = kind(model=model, args=arguments, train_dataset=stream, data_collator=collate)
    made.train(resume_from_checkpoint=None if resume is None else str(folder / f"checkpoint-{resume}"))
    return model.seen


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("kind", [Trainer, OnOurLoader])
def test_with_a_length_it_resumes_in_any_epoch(kind: type[Trainer], workers: int, tmp_path: Path) -> None:
    whole = run(kind, Counted(), tmp_path, workers, None)
    assert [batch[0][1] for batch in whole] == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]
    for step in (2, 4, 5):
        assert run(kind, Counted(), tmp_path, workers, step) == whole[step:], step


@pytest.mark.parametrize("kind", [Trainer, OnOurLoader])
def test_without_a_length_it_is_told(kind: type[Trainer], tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*without a length")
        run(kind, Source(), tmp_path, 0, None)
    with pytest.warns(UserWarning, match=r"skips 5 batches of epoch 0.*give the source a __len__"):
        run(kind, Source(), tmp_path, 0, 5)
