"""Accelerate on two ranks: it shares the batches of a loader out itself, and each rank goes on where it stood."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from accelerated import EPOCHS, SAVED
from recorded import COUNT

pytestmark = pytest.mark.trainers


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder, here = tmp_path_factory.mktemp("ranks"), Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parent / "bridge"), *filter(None, sys.path)])
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    command = [*torchrun, str(here / "accelerated.py"), str(folder)]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, check=False, env=environment, timeout=120, capture_output=True, text=True)
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
