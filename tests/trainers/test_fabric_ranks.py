"""Fabric on two ranks: each serves its share, and goes on from a state, also alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from recorded import COUNT, SEED
from started import started

from seedsafe_torch import DistributedKeyedSampler

pytestmark = pytest.mark.trainers

SCRIPT = "fabric_ranks.py"


def train(folder: Path, workers: int, resume: str = "", ranks: int = 2) -> list[Any]:
    done = started(SCRIPT, folder, "shared", workers, ranks, resume)
    assert done.returncode == 0, done.stderr
    return [json.loads((folder / f"served-{resume}-{rank}.json").read_text()) for rank in range(ranks)]


def flat(batches: Any) -> list[list[int]]:
    return [sample for batch in batches for sample in batch]


def test_two_ranks_go_on_where_they_stood(tmp_path: Path) -> None:
    whole = train(tmp_path, 0)
    for rank, served in enumerate(whole):
        keyed = DistributedKeyedSampler(COUNT, seed=SEED, num_replicas=2, rank=rank)
        assert flat(served) == [[int(one), one.epoch, one.occurrence] for _ in range(3) for one in keyed]
    for step, name in [(3, "step-3"), (2, "end-2")]:
        assert train(tmp_path, 1, name) == [served[step:] for served in whole], name


def test_one_rank_serves_what_two_left(tmp_path: Path) -> None:
    begun = train(tmp_path, 0)
    (rest,) = train(tmp_path, 0, "step-1", ranks=1)
    first = [sample for served in begun for sample in flat(served[:1])] + flat(rest)[: COUNT - 6]
    assert sorted(first) == [[index, 0, 0] for index in range(COUNT)]


def test_a_plain_loader_that_fabric_would_share_out_is_refused(tmp_path: Path) -> None:
    done = started(SCRIPT, tmp_path, "plain", 2, 2, "")
    assert done.returncode != 0
    assert "DistributedSamplerWrapper shares out a KeyedSampler" in done.stderr
