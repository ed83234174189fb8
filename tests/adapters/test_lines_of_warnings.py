"""A warning names the user's line, however many functions of ours, of torch and of trainers lie between."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, SequentialSampler

from seedsafe_torch import AugmentedDataset, AugmentedIterable, KeyedSampler, loader

LENGTH = 8
RECORDS = [{"__key__": str(number), "n": number} for number in range(LENGTH)]


def dataset() -> AugmentedDataset:
    return AugmentedDataset(np.arange(LENGTH), seed=0)


def lines_of(match: str, *steps: Callable[[], Any]) -> set[tuple[str, int]]:
    """Return the files and lines of the warnings with a text, each relative to the first line of the step that gave it."""
    found = set()
    for step in steps:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            step()
        first = step.__code__.co_firstlineno
        found |= {(one.filename, one.lineno - first) for one in caught if match in str(one.message)}
    return found


def plain(workers: int = 0) -> tuple[KeyedSampler, DataLoader[Any]]:
    keyed = KeyedSampler(SequentialSampler(range(LENGTH)), seed=0)
    batches = DataLoader(
        dataset(), batch_size=2, sampler=keyed, num_workers=workers, generator=torch.Generator()
    )
    return keyed, batches


class Outer:
    """A sampler of a user that passes the epoch on."""

    def __init__(self, keyed: Any) -> None:
        self.keyed = keyed

    def set_epoch(self, epoch: int) -> None:
        self.keyed.set_epoch(epoch)


def test_a_late_set_epoch() -> None:
    keyed, batches = plain(2)
    iterator = iter(batches)

    def late() -> None:
        keyed.set_epoch(5)

    assert lines_of("came after workers", late) == {(__file__, 1)}
    del iterator


def test_a_dropped_state() -> None:
    keyed, loading = KeyedSampler(range(LENGTH), seed=0), loader(dataset())

    def directly() -> None:
        keyed.set_epoch(1)

    def by_the_loader() -> None:
        loading.set_epoch(1)

    def from_a_sampler() -> None:
        Outer(keyed).set_epoch(1)

    for reader, step in ((keyed, directly), (loading, by_the_loader)):
        reader.load_state_dict({"epoch": 3, "yielded": 2})
        assert lines_of("drops the loaded state", step) == {(__file__, 1)}
    keyed.load_state_dict({"epoch": 3, "yielded": 2})
    (line,) = lines_of("drops the loaded state", from_a_sampler)
    assert line[0] == __file__


@pytest.mark.parametrize("workers", [0, 2])
def test_an_epoch_that_is_served_again(workers: int) -> None:
    keyed, batches = plain(workers)

    def late() -> None:
        keyed.set_epoch(0)

    def by_itself() -> None:
        next(iter(keyed))

    def by_a_loader() -> None:
        for _ in batches:
            pass

    for step in (by_itself, by_a_loader):
        keyed, batches = plain(workers)
        iterator = iter(keyed)
        next(iterator)
        late()
        assert lines_of("is served again", step) == {(__file__, 1)}


def test_a_pass_that_is_left() -> None:
    loading = loader(dataset(), batch_size=2)

    def leave() -> None:
        next(iter(loading))

    assert lines_of("left before its second batch", leave) == {(__file__, 1)}


def test_an_index_that_is_read_twice() -> None:
    read_by_hand, in_batches = dataset(), DataLoader(dataset(), batch_size=2)

    def by_hand() -> None:
        for number in (3, 3, 4, 4):
            read_by_hand[number]

    def by_a_loader() -> None:
        for _ in range(2):
            list(in_batches)

    assert lines_of("is read a second time", by_hand, by_a_loader) == {(__file__, 2)}


class Numbers(AugmentedIterable):
    """A stream of a user, with a function of theirs around ours."""

    def __iter__(self) -> Iterator[Any]:
        yield from super().__iter__()


def test_a_stream_that_is_read_twice() -> None:
    stream = AugmentedIterable(RECORDS, dict, seed=0)
    in_batches = DataLoader(AugmentedIterable(RECORDS, dict, seed=0), batch_size=2)

    def by_hand() -> None:
        for _ in range(2):
            list(stream)

    def by_a_loader() -> None:
        for _ in range(2):
            list(in_batches)

    assert lines_of("a second pass begins", by_hand, by_a_loader) == {(__file__, 2)}


@pytest.mark.parametrize("kind", [AugmentedIterable, Numbers])
def test_an_id_of_two_records(kind: Any) -> None:
    records = [{"__key__": "a"}] * 2
    stream, loading = kind(records, dict, seed=0), loader(kind(records, dict, seed=0), collate_fn=list)

    def by_hand() -> None:
        list(stream)

    def by_a_loader() -> None:
        list(loading)

    found = lines_of("have the same id", by_hand, by_a_loader)
    assert {file for file, _ in found} == {__file__}
    assert kind is Numbers or found == {(__file__, 1)}


def test_workers_that_give_the_same_records() -> None:
    class Whole:
        def __iter__(self) -> Iterator[Any]:
            return iter(RECORDS)

    loading = loader(AugmentedIterable(Whole(), dict, seed=0), batch_size=2, num_workers=2, collate_fn=list)

    def begin() -> None:
        for _ in zip(loading, range(2), strict=False):
            pass

    assert lines_of("begin epoch 0 with the same records", begin) == {(__file__, 1)}
