"""Lightning's DDP on two ranks: each sample of an epoch is served under a key of its own, also after a resume."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from recorded import COUNT, SEED
from started import started

from seedsafe_torch import DistributedKeyedSampler

pytestmark = pytest.mark.trainers


def train(folder: Path, kind: str, resume: str) -> list[Any]:
    done = started("ranks.py", folder, kind, resume)
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


@pytest.mark.parametrize("kind", ["alone", "plain", "sharing"])
def test_a_sampler_that_lightning_would_share_out_is_refused(kind: str, tmp_path: Path) -> None:
    """Of our loader as of a plain one, with the samples of all ranks or a share of them."""
    done = started("ranks.py", tmp_path, kind, "")
    assert done.returncode != 0
    assert "give the loader sampler=DistributedKeyedSampler(dataset, seed=…)" in done.stderr
