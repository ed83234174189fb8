"""Accelerate on two ranks: it shares the batches of a loader out itself, and each rank goes on where it stood."""

from __future__ import annotations

import json
from typing import Any

import pytest
from accelerated import EPOCHS, SAVED
from recorded import COUNT
from started import started

pytestmark = pytest.mark.trainers


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("ranks")
    torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2")
    done = started("accelerated.py", folder, by=torchrun)
    assert done.returncode == 0, done.stderr
    return [json.loads((folder / f"served-{rank}.json").read_text()) for rank in range(2)]


@pytest.mark.parametrize("stateful", ["False", "True"])
def test_both_ranks_serve_each_epoch_together(served: Any, stateful: str) -> None:
    for epoch in range(EPOCHS):
        half = len(served[0][stateful]["whole"]) // EPOCHS
        samples = [
            tuple(sample)
            for rank in served
            for batch in rank[stateful]["whole"][epoch * half : (epoch + 1) * half]
            for sample in batch
        ]
        assert set(samples) == {(index, epoch, 0) for index in range(COUNT)}
        assert len(samples) == COUNT + 1  # Accelerate fills the last batch up


@pytest.mark.parametrize("stateful", ["False", "True"])
def test_each_rank_goes_on_where_it_stood(served: Any, stateful: str) -> None:
    for rank in served:
        assert rank[stateful]["resumed"] == rank[stateful]["whole"][SAVED:]
