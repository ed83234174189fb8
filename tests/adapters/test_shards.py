"""Shards: what is left of an epoch goes on with any workers and ranks, and what cannot is an error."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
import torch.distributed
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.data import IterableDataset, get_worker_info
from torchdata.stateful_dataloader import StatefulDataLoader

from seedsafe_torch import AugmentedIterable, Shards, loader

SIZES = (3, 0, 1, 6, 2, 5)


def number_of(record: Any) -> int:
    return int(record["n"])


class Dividing(IterableDataset[Any]):
    """A shard that divides itself among workers, as webdataset's and Hugging Face's do, and has an order for each epoch."""

    def __init__(self, first: int, size: int) -> None:
        self.numbers, self.epoch = range(first, first + size), 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        for n in self.numbers[:: (-1) ** self.epoch][worker::workers]:
            yield {"n": n}


def shards() -> list[Any]:
    return [Dividing(sum(SIZES[:number]), size) for number, size in enumerate(SIZES)]


def reading(
    ranks: int = 1, rank: int = 0, workers: int = 0, size: int = 2, kind: Any = AugmentedIterable
) -> Any:
    source = Shards(shards(), num_replicas=ranks, rank=rank)
    return loader(kind(source, number_of, seed=1, id="n"), batch_size=size, num_workers=workers)


def all_of(batches: Any) -> list[int]:
    return [n for batch in batches for n in batch.tolist()]


WHOLE = list(range(sum(SIZES)))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(0, 4)), min_size=1, max_size=4))
def test_each_record_comes_once_whatever_ranks_read_it(pieces: list[tuple[int, int, int]]) -> None:
    """In one process, so that many are tried; each piece has its ranks, batch size and steps, the last one all the steps it takes."""
    states: Any = None
    seen: list[int] = []
    for piece, (ranks, size, steps) in enumerate(pieces, 1):
        loaders = [reading(ranks, rank, size=size) for rank in range(ranks)]
        for one in loaders:
            if states is None:
                one.set_epoch(3)
            else:
                one.load_state_dict(states)
        if loaders[0].state_dict()["epoch"] == 4:
            break
        passes = [iter(one) for one in loaders]
        for _ in range(99 if piece == len(pieces) else steps):
            seen += [n for one in passes for n in next(one, torch.empty(0)).tolist()]
        states = json.loads(json.dumps([one.state_dict() for one in loaders])) if piece % 2 else states
        states = states if piece % 2 else [one.state_dict() for one in loaders]
    assert sorted(seen) == WHOLE


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_workers_share_out_what_is_left(method: str) -> None:
    def made(workers: int) -> Any:
        stream = AugmentedIterable(Shards(shards()), number_of, seed=1, id="n")
        context = {"multiprocessing_context": method} if workers else {}
        return loader(stream, batch_size=2, num_workers=workers, **context)

    seen, state = [], None
    for workers, steps in ((2, 3), (0, 1), (3, 2), (1, 99)):
        loading = made(workers)
        if state is not None:
            loading.load_state_dict(state)
        batches = iter(loading)
        for _ in range(steps):
            seen += next(batches, torch.empty(0)).tolist()
        state = pickle.loads(pickle.dumps(loading.state_dict()))
    assert sorted(seen) == WHOLE
    assert sorted(all_of(loading)) == WHOLE  # the next epoch, as a whole
    assert state == {"epoch": 1}


def test_a_resumed_loader_knows_its_state_before_its_first_batch() -> None:
    loading = reading()
    batches = iter(loading)
    first = next(batches).tolist()
    for _ in range(3):
        state, loading = loading.state_dict(), reading()
        loading.load_state_dict(state)
    assert sorted(first + all_of(loading)) == WHOLE


def test_a_stream_without_the_librarys_loader() -> None:
    def stream() -> AugmentedIterable:
        return AugmentedIterable(Shards(shards()), number_of, seed=1, id="n")

    first, second = stream(), stream()
    first.set_epoch(1)
    records = iter(first)
    begun = [next(records) for _ in range(5)]
    assert begun == [2, 1, 0, 3, 9]  # the shards were told their epoch
    second.load_state_dict(first.state_dict())
    assert begun + list(second) == list(stream_of(1))
    loading = StatefulDataLoader(stream(), batch_size=2, num_workers=2)
    batches = iter(loading)
    begun = [*next(batches).tolist(), *next(batches).tolist()]
    resumed = StatefulDataLoader(stream(), batch_size=2, num_workers=2)
    resumed.load_state_dict(loading.state_dict())
    assert sorted(begun + all_of(resumed)) == WHOLE


def stream_of(epoch: int) -> Iterator[int]:
    for shard in shards():
        yield from shard.numbers[:: (-1) ** epoch]


class Even(AugmentedIterable):
    """A stream that leaves records out: its states count what it gave."""

    def __iter__(self) -> Iterator[Any]:
        yield from (n for n in super().__iter__() if not n % 2)


def test_a_subclass_that_leaves_records_out_is_read_again() -> None:
    loading, resumed = reading(kind=Even), reading(kind=Even)
    batches = iter(loading)
    first = next(batches).tolist()
    resumed.load_state_dict(loading.state_dict())
    assert first + all_of(resumed) == [n for n in WHOLE if not n % 2]


def test_errors() -> None:
    loading = reading()
    batches = iter(loading)
    next(batches)
    state = loading.state_dict()
    grown = loader(AugmentedIterable(Shards([*shards(), [{"n": 99}]]), number_of, seed=1, id="n"))
    grown.load_state_dict(state)
    with pytest.raises(ValueError, match="the state is of 6 shards, and there are 7"):
        list(grown)
    for other in ([{"n": 7}] * 3, [{"n": 0}], []):
        changed = loader(AugmentedIterable(Shards([other, *shards()[1:]]), number_of, seed=1, id="n"))
        changed.load_state_dict(state)
        with pytest.raises(ValueError, match="shard 0 does not begin with the records that it gave before"):
            list(changed)
    for _ in range(4):
        next(batches)
    moved = loader(AugmentedIterable(Shards(shards()[::-1]), number_of, seed=1, id="n"), num_workers=2)
    moved.load_state_dict(loading.state_dict())  # of those that ended nothing was to be read again
    with pytest.raises(ValueError, match=r"shard \d does not begin with the records that it gave before"):
        list(moved)
    states = []
    for rank in range(2):
        one = reading(2, rank)
        passing = iter(one)
        next(passing)
        states.append(one.state_dict())
    other_epoch = {**states[1], "epoch": 1}
    for wrong in ([], states[0], states[:1], [states[0]] * 2, [*states, states[0]], [states[0], other_epoch]):
        with pytest.raises(ValueError, match="states must come from all ranks after the same step, got"):
            reading().load_state_dict(wrong)
    with pytest.raises(ValueError, match="state must be a dict with 'epoch'"):
        reading().load_state_dict({"yielded": 3})
    with pytest.raises(ValueError, match="so split=True would lose records: leave it out"):
        AugmentedIterable(Shards(shards()), number_of, seed=1, split=True)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"shards": []}, TypeError, "shards must be a list of iterables, at least one"),
        ({"shards": "train.tar"}, TypeError, "shards must be a list of iterables"),
        ({"shards": ["train.tar"]}, TypeError, "shard 0 must be iterable, got the name 'train.tar'"),
        (
            {"shards": [[], iter([1])]},
            TypeError,
            "shard 1 must be iterable in every epoch, got list_iterator",
        ),
        ({"shards": [7]}, TypeError, "shard 0 must be iterable, got int"),
        ({"shards": [[]], "num_replicas": 0, "rank": 0}, ValueError, "num_replicas must be"),
        ({"shards": [[]], "num_replicas": 2, "rank": 2}, ValueError, "rank must be"),
        ({"shards": [[]], "num_replicas": 2}, ValueError, "num_replicas or rank is missing"),
    ],
)
def test_bad_arguments(arguments: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        Shards(**arguments)


def test_ranks_that_come_later_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Shards(shards())
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 3)
    monkeypatch.setattr(torch.distributed, "get_rank", lambda: 1)
    with pytest.raises(ValueError, match="this Shards was made for one rank, before torch"):
        iter(source)
    assert Shards(shards()).ranks[:2] == (3, 1)
