"""Lightning's DDP on two ranks: each sample of an epoch is served under a key of its own, also after a resume."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from recorded import COUNT, SEED

from seedsafe_torch import DistributedKeyedSampler

pytestmark = pytest.mark.trainers


def run(folder: Path, kind: str, resume: str) -> subprocess.CompletedProcess[str]:
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parent / "bridge"), *filter(None, sys.path)])
    command = [sys.executable, str(here / "ranks.py"), str(folder), kind, resume]
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(command, check=False, env=environment, timeout=120, capture_output=True, text=True)


def train(folder: Path, kind: str, resume: str) -> list[Any]:
    done = run(folder, kind, resume)
    assert done.returncode == 0, done.stderr
    return [json.loads((folder / f"served-{resume}-{rank}.json").read_text()) for rank in range(2)]


@pytest.mark.parametrize("kind", ["shared", "loader"])
def test_two_ranks_go_on_where_they_stood(kind: str, tmp_path: Path) -> None:
    """The loader needs neither a callback nor an argument of Trainer."""
    whole = train(tmp_path, kind, "")
    for rank, served in enumerate(whole):
        keyed = DistributedKeyedSampler(COUNT, seed=SEED, num_replicas=2, rank=rank)
        keys = [[int(one), one.epoch, one.occurrence] for _ in range(3) for one in keyed]
        assert [sample for batch in served for sample in batch] == keys
    for resume, step in [("step=3.ckpt", 3), ("end-step=4.ckpt", 4)]:
        assert train(tmp_path, kind, resume) == [served[step:] for served in whole], resume


def test_a_sampler_that_lightning_would_share_out_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, "alone", "")
    assert done.returncode != 0
    assert "give the loader sampler=DistributedKeyedSampler(dataset, seed=…)" in done.stderr
