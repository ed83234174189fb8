"""Fabric: a loop over setup_dataloaders(loader), saved at any step and at an epoch's end, goes on where it stood."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fabric_ranks
import lightning
import pytest
from recorded import Batches, expected, from_loader, listed

pytestmark = [
    pytest.mark.trainers,
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("error:.*(set_epoch|served again|second batch)"),
]

EPOCHS, STEPS = 3, 4


def train(workers: int, folder: Path, resume: str = "") -> Batches:
    fabric = lightning.Fabric(accelerator="cpu", devices=1)
    return fabric_ranks.train(fabric, fabric.setup_dataloaders(from_loader(workers)), folder, resume)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loop_goes_on_from_any_state(workers: int, tmp_path: Path) -> None:
    whole = train(workers, tmp_path)
    assert whole == expected(EPOCHS)
    for step in range(1, EPOCHS * STEPS):
        name = f"{'step' if step % STEPS else 'end'}-{step}"
        assert train(workers, tmp_path, name) == whole[step:], name


def test_an_epoch_that_the_loop_sets_is_read() -> None:
    batches = from_loader(0)
    loading: Any = lightning.Fabric(accelerator="cpu", devices=1).setup_dataloaders(batches)
    batches.set_epoch(1)
    assert [listed(batch) for _ in range(2) for batch in loading] == expected(EPOCHS)[STEPS:]
