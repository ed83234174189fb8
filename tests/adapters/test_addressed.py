"""The addressed order in samplers and loaders: shares of ranks, resumes, and datasets that no memory holds the order of."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from torch.utils.data import BatchSampler

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, DistributedKeyedSampler, EpochOrder, KeyedSampler, loader

SEED, N = 42, 23


class Made:
    """A dataset that makes its samples."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, index: int) -> Any:
        return np.array([index, int(ss.draws(name="made").integer(1000))])


def dataset(n: int = N) -> AugmentedDataset:
    return AugmentedDataset(Made(n), seed=SEED)


def make(n: int = N, **options: Any) -> Any:
    return loader(dataset(n), **{"batch_size": 4, "shuffle": True, "order": "addressed"} | options)


def order(epoch: int, n: int = N) -> list[int]:
    return ss.epoch_order(SEED, epoch, n, order="addressed")[:].tolist()


def rows(batches: Any) -> list[list[int]]:
    return [row for batch in batches for row in batch.tolist()]


def test_each_pass_has_the_order_of_its_epoch_with_any_number_of_workers() -> None:
    plain, workers = make(), make(num_workers=2)
    for epoch in range(2):
        found = rows(plain)
        assert [index for index, _ in found] == order(epoch)
        assert rows(workers) == found


@pytest.mark.parametrize("taken", [2, 3, 5, 6])
def test_a_run_resumes_at_a_place_of_the_order(taken: int) -> None:
    stopped, whole = make(), rows(make())
    batches = iter(stopped)
    for _ in range(taken):
        next(batches)
    state = stopped.state_dict()
    done = min(4 * taken, N)
    assert state == {"epoch": 0, "yielded": done, "order": f"addressed order of {N}, seed {SEED}"}
    resumed = make(batch_size=5, num_workers=2)
    resumed.load_state_dict(state)
    assert rows(resumed) == whole[done:]
    assert [index for index, _ in rows(resumed)] == order(1)


@pytest.mark.parametrize("ranks", [1, 2, 3, 8, 30])
@pytest.mark.parametrize("start", [0, 6])
def test_ranks_share_the_order_and_what_is_left_of_it(ranks: int, start: int) -> None:
    shares = []
    for rank in range(ranks):
        sampler = DistributedKeyedSampler(N, seed=SEED, num_replicas=ranks, rank=rank, order="addressed")
        state = {"epoch": 3, "yielded": start, "order": f"addressed order of {N}, seed {SEED}"}
        sampler.load_state_dict(state)
        shares.append(list(sampler))
    steps = [index for step in zip(*shares, strict=True) for index in step]
    left = order(3)[start:]
    assert [int(index) for index in steps[: len(left)]] == left
    again = [(int(index), index.occurrence) for index in steps[len(left) :]]
    assert again == [(order(3)[place % N], 1 + place // N) for place in range(len(again))]


def test_a_state_of_ranks_goes_to_other_ranks() -> None:
    two = [
        DistributedKeyedSampler(N, seed=SEED, num_replicas=2, rank=rank, order="addressed") for rank in (0, 1)
    ]
    for sampler in two:
        taken = iter(sampler)
        _ = [next(taken) for _ in range(3)]
    three = DistributedKeyedSampler(N, seed=SEED, num_replicas=3, rank=1, order="addressed")
    three.load_state_dict(two[0].state_dict())
    assert [int(index) for index in three][:5] == order(0)[7::3][:5]


def stored(n: int = N, seed: int = SEED) -> KeyedSampler:
    return KeyedSampler(EpochOrder(n, seed=seed), seed=seed)


def keyed(n: int = N, seed: int = SEED) -> KeyedSampler:
    return KeyedSampler(EpochOrder(n, seed=seed, order="addressed"), seed=seed)


def shared(n: int = N, seed: int = SEED, **options: Any) -> KeyedSampler:
    return DistributedKeyedSampler(n, seed=seed, num_replicas=1, rank=0, **{"order": "addressed"} | options)


@pytest.mark.parametrize(
    ("of", "into"),
    [
        (keyed(), keyed(N + 1)),
        (keyed(), keyed(seed=7)),
        (keyed(), stored()),
        (stored(), keyed()),
        (shared(), shared(N + 1)),
        (shared(), shared(seed=7)),
        (shared(), shared(repeats=2)),
        (shared(), shared(order="stored")),
        (shared(order="stored"), shared()),
        (shared(), shared(shuffle=False)),
    ],
    ids=list("abcdefghij"),
)
def test_another_order_number_or_seed_is_an_error(of: KeyedSampler, into: KeyedSampler) -> None:
    taken = iter(of)
    _ = [next(taken) for _ in range(3)]
    into.load_state_dict(of.state_dict())
    with pytest.raises(ValueError, match=r"use the\s+same dataset"):
        list(into)


def test_one_process_and_ranks_have_one_state() -> None:
    taken = iter(of := keyed())
    _ = [next(taken) for _ in range(3)]
    into = shared()
    into.load_state_dict(of.state_dict())
    assert [int(index) for index in into] == order(0)[3:]


def test_a_place_beyond_the_end_is_an_error() -> None:
    sampler = keyed()
    sampler.load_state_dict({"epoch": 0, "yielded": N + 1})
    with pytest.raises(ValueError, match=f"after {N + 1} entries of epoch 0"):
        list(sampler)


@pytest.mark.parametrize("make_sampler", [keyed, shared])
def test_a_place_in_the_middle_of_a_trillion_takes_no_memory(make_sampler: Any) -> None:
    n = 10**12
    sampler = make_sampler(n)
    tracemalloc.start()
    sampler.load_state_dict({"epoch": 2, "yielded": n // 2})
    items = iter(sampler)
    found = [next(items) for _ in range(5000)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    expected = ss.epoch_order(SEED, 2, n, order="addressed")[n // 2 : n // 2 + 5000]
    assert [int(index) for index in found] == expected.tolist()
    assert {(index.epoch, index.occurrence) for index in found} == {(2, 0)}
    assert peak < 4_000_000
    assert sampler.state_dict()["yielded"] == n // 2 + 5000


def test_batches_of_it_are_stamped_as_those_of_any_sampler() -> None:
    batches = KeyedSampler(BatchSampler(EpochOrder(N, seed=SEED, order="addressed"), 4, False), seed=SEED)
    assert [int(index) for batch in batches for index in batch] == order(0)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda: make(order="random"), 'order must be "stored" or "addressed"'),
        (lambda: make(shuffle=False), "order='addressed' is an order to shuffle in"),
        (lambda: make(n=0), "n must be at least 1"),
        (lambda: shared(n=0), "n must be at least 1"),
        (lambda: shared(order="random"), 'order must be "stored" or "addressed"'),
        (lambda: make(shuffle=False, sampler=keyed()), "order='addressed' is an order to shuffle in"),
    ],
    ids=["loader", "no shuffle", "loader of none", "ranks of none", "ranks", "a sampler"],
)
def test_bad_input(wrong: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        wrong()
