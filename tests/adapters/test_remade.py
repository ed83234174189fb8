"""A loader that is made anew for each epoch serves epoch 0 again, and says so; what only looks like it does not."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    RandomSampler,
    Subset,
    SubsetRandomSampler,
    random_split,
)

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, AugmentedIterable, EpochOrder, KeyedSampler, loader, peek

AGAIN = "epoch 0 is served again.*`batches = loader"


class Marked:
    """Samples that tell their index and a number of their key."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        return np.array([index, ss.generator().integers(10**6)])


def number(record: dict[str, str]) -> Any:
    return np.array([int(record["__key__"]), ss.generator().integers(10**6)])


def marked() -> AugmentedDataset:
    return AugmentedDataset(Marked(), seed=42)


def stream() -> AugmentedIterable:
    return AugmentedIterable([{"__key__": str(one)} for one in range(8)], number, seed=42)


def served(batches: Any) -> list[Any]:
    return [batch.tolist() for batch in batches]


Make = Callable[[], Any]
Loop = Callable[[Make, int], list[list[Any]]]


def for_loop(make: Make, epochs: int) -> list[list[Any]]:
    result = []
    for _ in range(epochs):
        result.append([batch.tolist() for batch in make()])
    return result


def endless(make: Make, epochs: int) -> list[list[Any]]:
    result: list[list[Any]] = []
    while True:
        batches = make()
        steps = iter(batches)
        result.append([])
        with suppress(StopIteration):
            while True:
                result[-1].append(next(steps).tolist())
        del steps
        if len(result) == epochs:
            return result


def cells(make: Make, epochs: int) -> list[list[Any]]:
    """As a cell of a notebook that is run again."""
    names: dict[str, Any] = {"make": make}
    for _ in range(epochs):
        exec(compile("batches = [one.tolist() for one in make()]", __file__, "exec"), names)  # noqa: S102
    return [names["batches"]] * epochs


def rebound(make: Make, epochs: int) -> list[list[Any]]:
    result = []
    for _ in range(epochs):
        batches = make()
        result.append(served(batches))
    return result


def in_a_function(make: Make, epochs: int) -> list[list[Any]]:
    def train_epoch() -> list[Any]:
        batches = make()
        return [batch.tolist() for batch in batches]

    return [train_epoch() for _ in range(epochs)]


def while_loop(make: Make, epochs: int) -> list[list[Any]]:
    result: list[list[Any]] = [[]]
    batches = iter(make())
    while True:
        try:
            batch = next(batches)
        except StopIteration:
            if len(result) == epochs:
                return result
            batches = iter(make())
            result.append([])
            batch = next(batches)
        result[-1].append(batch.tolist())


def of_a_generator(make: Make, epochs: int) -> list[list[Any]]:
    def forever() -> Iterator[Any]:
        while True:
            yield from make()

    batches = forever()
    return [[next(batches).tolist() for _ in range(2)] for _ in range(epochs)]


def chained(make: Make, epochs: int) -> list[list[Any]]:
    batches = served(chain.from_iterable(make() for _ in range(epochs)))
    return [batches[2 * epoch : 2 * epoch + 2] for epoch in range(epochs)]


def counted(make: Make, epochs: int) -> list[list[Any]]:
    return [served(islice(make(), 2)) for _ in range(epochs)]


def keyed_by_hand(dataset: Any, **options: Any) -> Any:
    sampler = KeyedSampler(EpochOrder(dataset, seed=42), seed=42)
    return DataLoader(dataset, batch_size=4, sampler=sampler, **options)


KINDS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "loader": (marked, lambda dataset: loader(dataset, batch_size=4, shuffle=True)),
    "workers": (marked, lambda dataset: loader(dataset, batch_size=4, num_workers=2)),
    "persistent workers": (
        marked,
        lambda dataset: loader(dataset, batch_size=4, num_workers=2, persistent_workers=True),
    ),
    "batch sampler": (
        marked,
        lambda dataset: loader(dataset, batch_sampler=BatchSampler(RandomSampler(dataset), 4, False)),
    ),
    "Subset": (lambda: Subset(marked(), range(8)), lambda dataset: loader(dataset, batch_size=4)),
    "ConcatDataset": (lambda: ConcatDataset([marked()]), lambda dataset: loader(dataset, batch_size=4)),
    "a list": (
        lambda: [np.array([one]) for one in range(8)],
        lambda samples: loader(samples, batch_size=4, seed=42),
    ),
    "KeyedSampler": (marked, keyed_by_hand),
    "stream": (stream, lambda records: loader(records, batch_size=4)),
    "stream, workers": (stream, lambda records: loader(records, batch_size=2, num_workers=2)),
}


def check_told(loop: Loop, kind: str, epochs: int) -> None:
    make_dataset, make_loader = KINDS[kind]
    dataset = make_dataset()
    with pytest.warns(UserWarning, match=AGAIN) as told:
        result = loop(lambda: make_loader(dataset), epochs)
    assert len(told) == 1
    assert told[0].filename == __file__
    assert all(one == result[0] for one in result)  # it never goes on by itself


def with_a_default(make: Make, epochs: int) -> list[list[Any]]:
    result: list[list[Any]] = [[]]
    batches = iter(make())
    while len(result) <= epochs:
        batch = next(batches, None)
        if batch is None:
            batches = iter(make())
            result.append([next(batches).tolist()] if len(result) < epochs else [])
        else:
            result[-1].append(batch.tolist())
    return result[:epochs]


class Prefetcher:
    """It draws a batch ahead as it is made, and so the one before is not gone yet."""

    def __init__(self, batches: Any) -> None:
        self.steps = iter(batches)
        self.ahead = next(self.steps, None)

    def next(self) -> Any:
        batch, self.ahead = self.ahead, next(self.steps, None)
        return batch


def prefetched(make: Make, epochs: int) -> list[list[Any]]:
    result: list[list[Any]] = []
    for _ in range(epochs + 1):  # told an epoch later
        prefetcher = Prefetcher(make())
        result.append([])
        while (batch := prefetcher.next()) is not None:
            result[-1].append(batch.tolist())
    return result[1:]


LOOPS = [
    prefetched,
    for_loop,
    endless,
    cells,
    rebound,
    in_a_function,
    of_a_generator,
    chained,
    while_loop,
    with_a_default,
    counted,
]


@pytest.mark.parametrize(
    ("loop", "kind"),
    [(loop, kind) for kind in ("loader", "workers") for loop in LOOPS]
    + [(loop, "stream") for loop in LOOPS[:-1]],
)
def test_each_form_of_a_loop_is_told_at_the_second_epoch(loop: Loop, kind: str) -> None:
    check_told(loop, kind, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_loader_is_told(kind: str) -> None:
    check_told(for_loop, kind, 3)


def test_the_lines_of_the_warning_are_right() -> None:
    dataset = marked()
    batches = loader(dataset, batch_size=4, shuffle=True)
    epochs = [served(batches) for epoch in range(2)]
    assert epochs[0] != epochs[1]
    remade = []
    for epoch in range(2):
        batches = loader(dataset, batch_size=4, shuffle=True)
        batches.set_epoch(epoch)
        remade.append(served(batches))
    assert remade == epochs


# What is not told


@pytest.fixture
def silent() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.usefixtures("silent")
class TestNotTold:
    def test_the_first_block_of_the_readme(self) -> None:
        dataset = marked()
        for workers in (0, 2):
            batches = loader(dataset, batch_size=2, num_workers=workers)
            for _ in range(2):
                served(batches)

    def test_two_loaders_side_by_side(self) -> None:
        dataset = marked()
        one, two = loader(dataset, batch_size=4), loader(dataset, batch_size=4)
        for _ in range(2):
            for first, second in zip(one, two, strict=True):
                assert first.tolist() == second.tolist()
        for first, second in zip(loader(dataset, batch_size=4), loader(dataset, batch_size=4), strict=True):
            assert first.tolist() == second.tolist()

    def test_loaders_that_are_kept(self) -> None:
        dataset = marked()
        kept = [loader(dataset, batch_size=4) for _ in range(3)]
        assert len([served(one) for one in kept]) == 3

    def test_the_parts_of_random_split(self) -> None:
        for part in random_split(marked(), [4, 4]):
            served(loader(part, batch_size=2))
        for first in (0, 4):
            served(loader([np.array([first + one]) for one in range(4)], batch_size=2, seed=42))

    def test_folds(self) -> None:
        dataset = marked()
        for fold in ([0, 1, 2, 3], [4, 5, 6, 7]):
            served(loader(dataset, batch_size=2, sampler=SubsetRandomSampler(fold)))
            served(loader(Subset(dataset, fold), batch_size=2))
        many = AugmentedDataset(np.zeros(100), seed=42)
        for first in range(0, 100, 20):
            kept = [one for one in range(100) if not first <= one < first + 20]
            served(loader(many, batch_size=40, sampler=SubsetRandomSampler(kept)))

    def test_another_way_of_making_batches(self) -> None:
        dataset = marked()
        for in_place in (False, None):
            served(loader(dataset, batch_size=4, in_place=in_place))

    @pytest.mark.parametrize("make", [marked, stream])
    def test_a_pass_for_statistics_before_training(self, make: Any) -> None:
        dataset = make()

        def batches_of() -> Any:
            return loader(dataset, batch_size=4)

        mean = np.mean([batch.numpy().mean() for batch in batches_of()])
        batches = batches_of()
        for _ in range(2):
            for batch in batches:
                assert (batch - mean).isfinite().all()

    @pytest.mark.parametrize("make", [marked, stream])
    def test_one_function_that_reads_for_statistics_and_for_training(self, make: Any) -> None:
        dataset = make()

        def mean(batches: Any) -> float:
            return float(np.mean([batch.numpy().mean() for batch in batches]))

        mean(loader(dataset, batch_size=4))
        batches = loader(dataset, batch_size=4)
        assert mean(batches) != mean(batches)

    @pytest.mark.parametrize("make", [marked, stream])
    @pytest.mark.parametrize("epochs", [1, 2])
    def test_a_second_training(self, make: Any, epochs: int) -> None:
        dataset = make()

        def train() -> list[Any]:
            batches = loader(dataset, batch_size=4)
            return [served(batches) for _ in range(epochs)]

        class Trainer:
            def __init__(self) -> None:
                self.batches = loader(dataset, batch_size=4)

            def fit(self) -> list[Any]:
                return [self.train_epoch() for _ in range(epochs)]

            def train_epoch(self) -> list[Any]:
                return served(self.batches)

        assert [train() for _ in range(3)] == [Trainer().fit() for _ in range(3)]

    def test_one_pass_in_two_places_of_a_line(self) -> None:
        dataset = marked()
        assert in_a_function(lambda: loader(dataset), 1) == in_a_function(lambda: loader(dataset), 1)

    def test_other_options(self) -> None:
        dataset = marked()
        for options in ({"batch_size": 2}, {"batch_size": 4}, {"seed": 1}, {"shuffle": True}):
            served(loader(dataset, **options))

    def test_looks(self) -> None:
        dataset = marked()
        for _ in range(3):
            peek(loader(dataset, batch_size=8))
            loader(dataset, batch_size=8).peek(1)
        served(loader(dataset, batch_size=8))

    def test_a_pass_that_is_left(self) -> None:
        dataset = marked()
        for _ in range(3):
            served(islice(loader(dataset, batch_size=2), 2))

    @pytest.mark.parametrize("make", [marked, stream])
    def test_epochs_that_somebody_sets(self, make: Any) -> None:
        dataset = make()
        epochs = []
        for epoch in range(3):
            batches = loader(dataset, batch_size=4)
            batches.set_epoch(epoch)
            epochs.append(served(batches))
        for epoch in range(3):
            dataset.set_epoch(epoch)
            assert served(loader(dataset, batch_size=4)) == epochs[epoch]
        state, dataset = {"epoch": 0, "yielded": 0}, make()
        for epoch in range(3):
            batches = loader(dataset, batch_size=4)
            batches.load_state_dict(state)
            assert served(batches) == epochs[epoch]
            state = batches.state_dict()

    def test_a_fixed_epoch(self) -> None:
        dataset = marked()
        validation = AugmentedDataset(Marked(), seed=42, epoch=ss.VALIDATION_EPOCH)
        first = served(loader(dataset, batch_size=4, epoch=ss.VALIDATION_EPOCH))
        for _ in range(3):
            assert served(loader(dataset, batch_size=4, epoch=ss.VALIDATION_EPOCH)) == first
            assert served(loader(validation, batch_size=4)) == first

    def test_a_trainer_that_reloads_its_loader(self) -> None:
        """As Lightning does with reload_dataloaders_every_n_epochs=1: it sets the epoch on the sampler of each."""
        dataset = marked()
        epochs = []
        for epoch in range(3):
            batches = loader(dataset, batch_size=4)
            batches.sampler.set_epoch(epoch)
            epochs.append(served(batches))
        whole = loader(dataset, batch_size=4)
        assert epochs == [served(whole) for _ in range(3)]


def test_an_epoch_that_is_set_between_begins_the_count_anew() -> None:
    dataset = marked()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for epoch in (None, 5, None):
            batches = loader(dataset, batch_size=4)
            if epoch:
                batches.set_epoch(epoch)
            served(batches)
            del batches


# The order alone


def plain_epochs(
    dataset: AugmentedDataset, outer: Any, make: Make, workers: int, **options: Any
) -> list[list[Any]]:
    """Return the epochs of DataLoaders of torch that are made in a loop which sets the epoch, as a user who knows of it does."""
    result = []
    for epoch in range(3):
        dataset.set_epoch(epoch)
        batches = DataLoader(outer, batch_size=4, num_workers=workers, generator=make(), **options)
        result.append([index for batch in batches for index in batch[:, 0].tolist()])
    return result


def zero() -> Any:
    return torch.Generator().manual_seed(0)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_generator_that_is_set_before_each_epoch_is_told(wrapped: bool, workers: int) -> None:
    dataset = marked()
    outer = Subset(dataset, range(8)) if wrapped else dataset
    text = "generator once, before the loop" if workers == 0 else "a worker has .* begun an order"
    with pytest.warns(UserWarning, match=text) as told:
        epochs = plain_epochs(dataset, outer, zero, workers, shuffle=True)
    assert epochs[0] == epochs[1] == epochs[2]
    assert len(told) == 1
    assert told[0].filename == __file__


@pytest.mark.parametrize("workers", [0, 2])
def test_a_plain_loader_without_an_epoch_is_told_in_the_training_process(workers: int) -> None:
    dataset = marked()
    with pytest.warns(UserWarning, match="set_epoch") as told:
        epochs = for_loop(lambda: DataLoader(dataset, batch_size=4, num_workers=workers), 3)
    assert epochs[0] == epochs[1]
    assert len(told) == 1


@pytest.mark.parametrize("workers", [0, 2])
def test_orders_that_are_right_are_not_told(workers: int) -> None:
    generator = zero()
    half = [3, 0, 2, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for make, options in (
            (lambda: None, {"shuffle": True}),
            (lambda: generator, {"shuffle": True}),
            (zero, {}),  # in order
            (lambda: None, {"sampler": half}),
        ):
            dataset = marked()
            plain_epochs(dataset, dataset, make, workers, **options)
        dataset = marked()
        kept = DataLoader(
            dataset, batch_size=4, sampler=half, num_workers=workers, persistent_workers=workers > 0
        )
        for epoch in range(3):
            dataset.set_epoch(epoch)
            list(kept)
        assert len(dataset) == 8  # a worker's warning would be given here
