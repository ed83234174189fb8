"""Lightning's CombinedLoader: a shorter loader repeats nothing, also after a resume."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.utilities import CombinedLoader
from recorded import SEED, from_loader, listed, record
from test_lightning import Model, fit

from seedsafe_torch import AugmentedDataset, loader

pytestmark = [
    pytest.mark.trainers,
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("error:.*(set_epoch|served again|second batch)"),
]


def entry(batch: Any) -> Any:
    return None if batch is None else listed(batch)


def short(workers: int) -> Any:
    """Return a loader of two batches, which is read twice while the other one has four."""
    dataset = AugmentedDataset(np.zeros((5, 1)), record, seed=SEED)
    return loader(dataset, batch_size=3, shuffle=True, num_workers=workers)


class Both(Model):
    def training_step(self, batch: Any, batch_idx: int) -> torch.Tensor:
        super().training_step(batch["long"], batch_idx)
        self.seen[-1] = listed(batch["short"])
        return (self.weight * batch["long"].float().mean()).sum()


@pytest.mark.parametrize("workers", [0, 2])
def test_each_time_is_an_epoch_of_that_loader(tmp_path: Path, workers: int) -> None:
    def make() -> Any:
        return CombinedLoader({"long": from_loader(workers), "short": short(workers)}, "max_size_cycle")

    saving = ModelCheckpoint(dirpath=tmp_path, filename="{step}", every_n_train_steps=1, save_top_k=-1)
    whole = fit(make, 2, model_class=Both, callbacks=[saving]).seen
    alone = short(0)
    assert whole == [listed(batch) for _ in range(4) for batch in alone]
    for step in (1, 3, 4, 6):
        resumed = fit(make, 2, tmp_path / f"step={step}.ckpt", Both).seen
        assert resumed == whole[step:], step


class Three(Model):
    def training_step(self, batch: Any, batch_idx: int) -> torch.Tensor:
        self.seen.append([entry(batch[name]) for name in ("long", "short", "third")])
        return (self.weight * batch["long"].float().mean()).sum()


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("mode", ["max_size", "max_size_cycle", "min_size"])
def test_three_loaders_from_any_step(tmp_path: Path, mode: str, workers: int) -> None:
    def make() -> Any:
        third = loader(
            AugmentedDataset(np.zeros((7, 1)), record, seed=SEED), batch_size=3, num_workers=workers
        )
        return CombinedLoader({"long": from_loader(workers), "short": short(workers), "third": third}, mode)

    saving = ModelCheckpoint(dirpath=tmp_path, filename="{step}", every_n_train_steps=1, save_top_k=-1)
    whole = fit(make, 3, model_class=Three, callbacks=[saving]).seen
    assert len(whole) == (6 if mode == "min_size" else 12)
    for part in range(3):
        rows = [tuple(row) for step in whole for row in step[part] or ()]
        assert len(set(rows)) == len(rows)
    for step in (1, 2, 5) if mode == "min_size" else (1, 3, 6, 7, 11) if workers == 0 else (3, 7):
        resumed = fit(make, 3, tmp_path / f"step={step}.ckpt", Three).seen
        assert resumed == whole[step:], step
