"""Ranks: one global order for any number of them, repetitions numbered over all, and what is kept of a stopped run."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from contract import LENGTH, SEED, expected
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.data import DistributedSampler, Sampler
from torch_driver import dataset, items

from seedsafe_torch import DistributedKeyedSampler, EpochOrder, KeyedSampler, loader

Item = tuple[int, int, int]


def share(rank: int, ranks: int, length: int = LENGTH, **options: Any) -> DistributedKeyedSampler:
    return DistributedKeyedSampler(length, seed=SEED, num_replicas=ranks, rank=rank, **options)


def read(samplers: list[DistributedKeyedSampler], steps: int | None = None) -> list[Item]:
    """Return what ranks in step with each other serve, in the global order."""
    passes = [itertools.islice(sampler, steps) for sampler in samplers]
    return [(int(item), item.epoch, item.occurrence) for step in zip(*passes, strict=True) for item in step]


def order(epoch: int, length: int = LENGTH, repeats: int = 1) -> list[Item]:
    whole = EpochOrder(length, seed=SEED)
    whole.set_epoch(epoch)
    return [(index, epoch, copy) for index in whole for copy in range(repeats)]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 30])
@pytest.mark.parametrize("drop_last", [False, True])
def test_the_global_order_is_that_of_one_process(ranks: int, drop_last: bool) -> None:
    samplers = [share(rank, ranks, drop_last=drop_last) for rank in range(ranks)]
    for epoch in range(2):
        seen, whole = read(samplers), order(epoch)
        full = LENGTH // ranks * ranks
        assert seen[:LENGTH] == (whole[:full] if drop_last else whole)
        assert len(seen) == (full if drop_last else -(-LENGTH // ranks) * ranks)
        assert len(set(seen)) == len(seen), "two ranks share a stream"


@settings(max_examples=60)
@given(
    length=st.integers(1, 40),
    repeats=st.integers(1, 3),
    first=st.integers(1, 5),
    then=st.integers(1, 5),
    steps=st.integers(0, 45),
)
def test_elastic(length: int, repeats: int, first: int, then: int, steps: int) -> None:
    """Stopped after some steps and gone on with another number of ranks, every sample comes once."""
    before = [share(rank, first, length, repeats=repeats) for rank in range(first)]
    passes = [iter(sampler) for sampler in before]
    seen: list[Item] = []
    for _ in range(min(steps, len(before[0]))):
        seen += [(int(item), item.epoch, item.occurrence) for item in map(next, passes)]
    states = [sampler.state_dict() for sampler in before]
    assert all(state == states[0] for state in states)
    after = [share(rank, then, length, repeats=repeats) for rank in range(then)]
    for sampler in after:
        sampler.load_state_dict(states[0])
    rest = read(after)
    total = length * repeats
    assert (seen[:total] + rest)[:total] == order(0, length, repeats)
    assert len(rest) == -(-max(total - len(seen), 0) // then) * then
    assert read(after)[:total] == order(1, length, repeats)


def test_repeats_are_numbered_over_all_ranks() -> None:
    seen = read([share(rank, 2, 5, repeats=3) for rank in range(2)])
    assert Counter(seen[:15]) == Counter((index, 0, copy) for index in range(5) for copy in range(3))
    assert seen[15:] == [(seen[0][0], 0, 3)]


def test_a_loader_goes_on_with_other_ranks_and_workers() -> None:
    first = [
        loader(dataset(), batch_size=2, sampler=share(rank, 4), num_workers=2 * (rank % 2))
        for rank in range(4)
    ]
    passes = [iter(loading) for loading in first]
    seen = [items([next(batches), next(batches)]) for batches in passes]
    state = first[0].state_dict()
    assert state["yielded"] == 16
    assert all(loading.state_dict() == state for loading in first)
    done = [item for step in zip(*seen, strict=True) for item in step]
    second = [loader(dataset(), batch_size=3, sampler=share(rank, 2), num_workers=1) for rank in range(2)]
    rest = []
    for loading in second:
        loading.load_state_dict(state)
        rest.append(items(loading))
    done += [item for step in zip(*rest, strict=True) for item in step]
    assert done[:LENGTH] == expected(0, shuffle=True)


def test_a_state_of_other_data_is_refused() -> None:
    sampler = share(0, 2)
    under_way = iter(sampler)
    next(under_way)
    state = sampler.state_dict()
    for other in (share(0, 2, 24), share(0, 2, repeats=2), share(0, 2, shuffle=False)):
        other.load_state_dict(state)
        with pytest.raises(
            ValueError, match=r"the state, after 2 entries of epoch 0, does not belong to \d+ samples"
        ):
            next(iter(other))
    plain = KeyedSampler(DistributedSampler(range(LENGTH), num_replicas=2, rank=0), seed=SEED)
    passes = iter(plain)
    next(passes), next(passes)
    other_rank = KeyedSampler(DistributedSampler(range(LENGTH), num_replicas=3, rank=1), seed=SEED)
    other_rank.load_state_dict(plain.state_dict())
    with pytest.raises(ValueError, match="are not those that were yielded"):
        next(iter(other_rank))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"rank": 0},
            "torch.distributed is not initialised: call init_process_group first, make the sampler where",
        ),
        ({"num_replicas": 2}, "pass both"),
        ({"num_replicas": 2, "rank": 2}, "rank must be at least 0 and below 2, got 2: ranks count from 0"),
        ({"num_replicas": 0, "rank": 0}, "num_replicas must be at least 1"),
        ({"num_replicas": 1, "rank": 0, "repeats": 0}, "repeats must be at least 1"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        DistributedKeyedSampler(3, seed=0, **arguments)


@pytest.mark.parametrize("size", [None, "1"])
def test_a_process_without_ranks_is_the_only_one(size: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    if size is not None:
        monkeypatch.setenv("WORLD_SIZE", size)
    sampler = DistributedKeyedSampler(LENGTH, seed=SEED)
    assert (sampler.num_replicas, sampler.rank) == (1, 0)
    assert items(loader(dataset(), batch_size=4, sampler=sampler)) == expected(0, shuffle=True)


@pytest.mark.parametrize("size", ["2", "16", ""])
def test_ranks_that_the_environment_announces_are_waited_for(
    size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", size)
    with pytest.raises(
        ValueError, match=r"torch\.distributed is not initialised: call init_process_group first"
    ):
        DistributedKeyedSampler(LENGTH, seed=SEED)


def _late(rank: int, store: str, results: Any) -> None:
    sampler, told = DistributedKeyedSampler(LENGTH, seed=SEED), share(rank, 2)
    torch.distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    try:
        next(iter(sampler))
        results.put("served")
    except ValueError as error:
        results.put(str(error))
    results.put(len(list(told)))
    torch.distributed.destroy_process_group()


def test_ranks_that_come_later_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    ranks = [
        context.Process(target=_late, args=(rank, str(tmp_path / "store"), results)) for rank in range(2)
    ]
    for process in ranks:
        process.start()
    found = [results.get(timeout=120) for _ in range(4)]
    for process in ranks:
        process.join()
    texts = [one for one in found if isinstance(one, str)]
    assert len(texts) == 2
    assert all("made for one rank, before torch.distributed had its 2" in text for text in texts)
    assert found.count(len(share(0, 2))) == 2


# Other samplers that repeat


class Repeating(Sampler[int]):
    """Each sample three times, dealt out to ranks: as timm's, DeiT's and torchvision's samplers do."""

    def __init__(self, rank: int, ranks: int, marked: bool) -> None:
        self.rank, self.num_replicas, self.epoch = rank, ranks, 0
        if marked:
            self.num_selected_samples = 6

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Any:
        generator = torch.Generator().manual_seed(self.epoch)
        repeated = [i for i in torch.randperm(8, generator=generator).tolist() for _ in range(3)]
        return iter(repeated[self.rank :: self.num_replicas])


@pytest.mark.parametrize(("marked", "occurrence"), [(True, None), (False, "rank")])
def test_copies_on_several_ranks_differ(marked: bool, occurrence: Any) -> None:
    seen = [
        (int(item), item.occurrence)
        for rank in range(2)
        for item in KeyedSampler(Repeating(rank, 2, marked), seed=0, occurrence=occurrence)
    ]
    assert len(set(seen)) == len(seen) == 24
    with pytest.raises(
        ValueError, match='occurrence="rank" needs a sampler with rank and num_replicas, got list'
    ):
        KeyedSampler([1, 2], seed=0, occurrence="rank")
    with pytest.raises(ValueError, match="occurrence must be None or \"rank\", got 'no'"):
        KeyedSampler([1, 2], seed=0, occurrence="no")  # type: ignore[arg-type]


# Real processes


class Run:
    """Trainings with torchrun: what they served is in the checkpoint that each step replaces."""

    def __init__(self, folder: Path) -> None:
        self.checkpoint = folder / "checkpoint.json"

    def train(self, ranks: int, workers: int, **options: int) -> int:
        here = Path(__file__).parent
        settings = {"checkpoint": str(self.checkpoint), "workers": workers, "batch": 3, **options}
        paths = [
            str(here),
            str(here.parents[1]),
            str(here.parents[1] / "adapters"),
            str(here.parents[1] / "tools"),
        ]
        torchrun = [
            sys.executable,
            "-m",
            "torch.distributed.run",
            "--standalone",
            f"--nproc-per-node={ranks}",
        ]
        done = subprocess.run(
            [*torchrun, str(here / "ranks_training.py"), json.dumps(settings)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
            capture_output=True,
            check=False,
            text=True,
            timeout=240,
        )
        self.output = done.stdout + done.stderr
        return done.returncode

    def served(self) -> list[list[Any]]:
        """Return index, epoch, occurrence and digest of every sample, in the global order, without what fills up."""
        kept: list[list[Any]] = [
            one for one in json.loads(self.checkpoint.read_text())["served"] if not one[2]
        ]
        return kept


EPOCHS = 2


def whole() -> list[list[Any]]:
    return [
        [index, epoch, 0, content.hex()]
        for epoch in range(EPOCHS)
        for index, content in expected(epoch, shuffle=True)
    ]


def finish(run: Run, ranks: int, workers: int) -> None:
    assert run.train(ranks, workers, epochs=EPOCHS) == 0, run.output
    assert run.served() == whole()


@pytest.mark.parametrize(
    "ranks", [2, *(pytest.param(ranks, marks=pytest.mark.matrix) for ranks in (1, 3, 4))]
)
def test_torchrun_stopped_and_gone_on_with_other_ranks(ranks: int, tmp_path: Path) -> None:
    run = Run(tmp_path)
    assert run.train(ranks, 1, epochs=EPOCHS, stop=2) == 0, run.output
    assert 0 < len(run.served()) < EPOCHS * LENGTH
    finish(run, ranks % 4 + 1, 0)


@pytest.mark.matrix
@pytest.mark.parametrize("drop_last", [0, 1])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_torchrun_serves_the_same_with_any_number_of_ranks(
    ranks: int, drop_last: int, tmp_path: Path
) -> None:
    run = Run(tmp_path)
    assert run.train(ranks, 2, epochs=EPOCHS, drop_last=drop_last) == 0, run.output
    kept = LENGTH // ranks * ranks if drop_last else LENGTH
    assert run.served() == whole()[:kept] + whole()[LENGTH : LENGTH + kept]


def points(count: int) -> list[dict[str, int]]:
    """Return where to kill: a rank, one of its steps, a place in that step, and what the run goes on with."""
    chance = random.Random(20)
    found = []
    for _ in range(count):
        ranks = chance.randint(1, 4)
        steps = EPOCHS * -(-LENGTH // (3 * ranks))
        found.append(
            {
                "ranks": ranks,
                "workers": chance.randint(0, 2),
                "kill_rank": chance.randrange(ranks),
                "kill_step": chance.randrange(1, steps),
                "kill_place": chance.randrange(3),
                "then_ranks": chance.randint(1, 4),
                "then_workers": chance.randint(0, 2),
            }
        )
    return found


@pytest.mark.parametrize(
    "point",
    [
        pytest.param(
            point, id=" ".join(map(str, point.values())), marks=[pytest.mark.matrix] if number else []
        )
        for number, point in enumerate(points(20))
    ],
)
def test_killed_anywhere(point: dict[str, int], tmp_path: Path) -> None:
    run = Run(tmp_path)
    kill = {name: value for name, value in point.items() if name.startswith("kill")}
    assert run.train(point["ranks"], point["workers"], epochs=EPOCHS, **kill) != 0
    assert "SIGKILL" in run.output or "-9" in run.output, run.output
    assert run.served() == whole()[: len(run.served())]
    finish(run, point["then_ranks"], point["then_workers"])
