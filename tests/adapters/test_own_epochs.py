"""A stream that counts its epochs in ``__iter__``, or keeps a generator: workers that are made anew begin each with the same number."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import IterableDataset, get_worker_info

from seedsafe_torch import AugmentedIterable, loader


class Shuffled(IterableDataset[Any]):
    """Records in an order that follows from its own count of passes."""

    at_the_end = False

    def __init__(self) -> None:
        self.passes = 0

    def __iter__(self) -> Iterator[Any]:
        order = np.random.default_rng((5, self.passes)).permutation(24).tolist()
        self.passes += not self.at_the_end
        info = get_worker_info()
        yield from ({"id": one} for one in (order if info is None else order[info.id :: info.num_workers]))
        self.passes += self.at_the_end


class AtTheEnd(Shuffled):
    at_the_end = True


class OfTheClass(Shuffled):
    """One whose count begins as an attribute of the class."""

    passes = 0

    def __init__(self) -> None:
        pass


class Keeps(Shuffled):
    """One that keeps a generator, or seeds it anew for each pass from an epoch that it is told in another way."""

    def __init__(self, generator: Any, *, told: bool = False) -> None:
        self.generator, self.told = generator, told

    def __iter__(self) -> Iterator[Any]:
        if self.told:
            self.generator.seed(EPOCH[0])
        order = list(range(24))
        if hasattr(self.generator, "shuffle"):
            self.generator.shuffle(order)
        else:
            order = torch.randperm(24, generator=self.generator).tolist()
        info = get_worker_info()
        yield from ({"id": one} for one in (order if info is None else order[info.id :: info.num_workers]))


EPOCH = [0]


class Around(IterableDataset[Any]):
    """A stage around one that counts."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def __iter__(self) -> Iterator[Any]:
        return iter(self.dataset)


class Told(Shuffled):
    """One that is told its epoch."""

    def set_epoch(self, epoch: int) -> None:
        self.passes = epoch


class Records(Shuffled):
    """One that counts its records, in an order that is always the same."""

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        for one in range(24) if info is None else range(info.id, 24, info.num_workers):
            self.passes += 1
            yield {"id": one}


def identifier(record: dict[str, int]) -> int:
    return record["id"]


def epochs(source: Any, passes: int, **options: Any) -> list[list[int]]:
    batches = loader(AugmentedIterable(source, identifier, seed=42, id="id"), batch_size=4, **options)
    found = []
    for EPOCH[0] in range(passes):  # forked workers read it
        found.append([one for batch in batches for one in batch.tolist()])
    return found


TOLD: dict[str, Any] = {
    "counts": Shuffled,
    "counts at the end": AtTheEnd,
    "counts from its class": OfTheClass,
    "inside": lambda: Around(Shuffled()),
    "torch": lambda: Keeps(torch.Generator().manual_seed(3)),
    "NumPy": lambda: Keeps(np.random.default_rng(3)),
    "RandomState": lambda: Keeps(np.random.RandomState(3)),
    "Random inside": lambda: Around(Keeps(Random(3))),
}
RIGHT: dict[str, tuple[Any, dict[str, Any], int]] = {
    "one process": (Shuffled, {}, 3),
    "persistent": (Shuffled, {"num_workers": 2, "persistent_workers": True}, 3),
    "set_epoch": (Told, {"num_workers": 2}, 3),
    "counts records": (Records, {"num_workers": 2}, 1),
    "generator, one process": (lambda: Keeps(Random(3)), {}, 3),
    "generator, persistent": (lambda: Keeps(Random(3)), {"num_workers": 2, "persistent_workers": True}, 3),
    "generator, seeded": (lambda: Keeps(Random(3), told=True), {"num_workers": 2}, 3),
}


@pytest.mark.parametrize("make", TOLD.values(), ids=TOLD)
def test_it_is_told_once_after_the_second_epoch(make: Any) -> None:
    with pytest.warns(
        UserWarning, match=r"counts its passes itself or keeps a generator.*Give the source a set_epoch"
    ) as told:
        found = epochs(make(), 4, num_workers=2)
    assert len(told) == 1
    assert told[0].filename == __file__
    assert found[0] == found[1]


@pytest.mark.parametrize(("make", "options", "distinct"), RIGHT.values(), ids=RIGHT)
def test_what_is_right_is_not_told(make: Any, options: dict[str, Any], distinct: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = epochs(make(), 3, **options)
    assert len({tuple(one) for one in found}) == distinct


def test_the_way_out_gives_the_orders_of_one_process() -> None:
    alone = epochs(Told(), 3)
    assert [sorted(one) for one in alone] == [list(range(24))] * 3
    assert [set(one) for one in epochs(Told(), 3, num_workers=2)] == [set(one) for one in alone]
