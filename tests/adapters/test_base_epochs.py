"""The epoch of a read reaches a base with a set_epoch, in each process, and nothing else sets it."""

import random
import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
import torch
from torch.utils.data import ConcatDataset, Subset, random_split

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader, peek

WORKERS = ({}, {"num_workers": 2}, {"num_workers": 2, "persistent_workers": True})
SPAWN = {"num_workers": 2, "persistent_workers": True, "multiprocessing_context": "spawn"}


class Dated:
    """Samples that show the epoch of their dataset."""

    epoch = 0

    def __init__(self) -> None:
        self.calls: list[int] = []

    def set_epoch(self, epoch):
        self.calls.append(epoch)
        self.epoch = epoch

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index >= 8:
            raise IndexError
        return np.array([index, self.epoch, np.random.default_rng((5, self.epoch, index)).integers(1000)])


class Around:
    def __init__(self, inside):
        self.inside = inside

    def __len__(self):
        return len(self.inside)

    def __getitem__(self, index):
        return self.inside[index]


class Named(Dated):
    """It keeps its epoch under another name, and in shared memory."""

    def __init__(self):
        super().__init__()
        self.cells = torch.zeros(1, dtype=torch.int64).share_memory_()

    def set_epoch(self, epoch):
        self.cells[0] = epoch

    def __getitem__(self, index):
        return np.array([index, int(self.cells[0]), 0])


BASES = {
    "base": Dated,
    "subset": lambda: Subset(Dated(), [5, 1, 3, 2]),
    "concatenated": lambda: ConcatDataset([Dated(), Subset(Dated(), [1, 2])]),
    "own wrapper": lambda: Around(ConcatDataset([Dated(), Dated()])),
    "other name": Named,
}


def epochs_of(batches, passes=3):
    return [sorted({int(row[1]) for batch in batches for row in batch}) for _ in range(passes)]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("options", WORKERS, ids=str)
def test_epoch_of_reads(base, options):
    dataset = AugmentedDataset(BASES[base](), seed=1)
    assert epochs_of(loader(dataset, batch_size=2, shuffle=True, **options)) == [[0], [1], [2]]


def test_spawned_workers_and_bridge():
    dataset = AugmentedDataset(Around(Dated()), seed=1, bridge=True)
    assert epochs_of(loader(dataset, batch_size=2, **SPAWN)) == [[0], [1], [2]]


def test_one_call_for_each_epoch():
    base = Dated()
    batches = loader(AugmentedDataset(base, seed=1), batch_size=4)
    for _ in range(3):
        list(batches)
    assert base.calls == [0, 1, 2]


def test_images_augmented_at_once():
    class Pictures(Dated):
        def __getitem__(self, index):
            return np.full((8, 8, 3), self.epoch, np.uint8)

    pipeline = ss.Compose([ss.HorizontalFlip(), ss.VerticalFlip()])
    batches = loader(AugmentedDataset(Pictures(), pipeline, seed=1), batch_size=8)
    assert [int(batch.max()) for _ in range(3) for batch in batches] == [0, 1, 2]


def test_looks_and_chosen_epochs_are_not_handed_on():
    base = Dated()
    dataset = AugmentedDataset(base, seed=1)
    batches = loader(dataset, batch_size=4)
    list(batches)
    dataset.at(0, epoch=9)
    peek(batches)
    assert base.calls == [0]
    outer = AugmentedDataset(Around(dataset), seed=2)
    outer.at(0, epoch=9)
    peek(loader(outer, batch_size=4))
    assert base.calls == [0]


def test_validation_epoch_is_not_handed_on():
    base = Dated()
    validation = AugmentedDataset(base, seed=1, epoch=ss.VALIDATION_EPOCH)
    assert epochs_of(loader(validation, batch_size=4), passes=1) == [[0]]
    assert base.calls == []


def test_partners_are_of_the_epoch_of_their_sample():
    class Pictures(Dated):
        def __getitem__(self, index):
            return np.full((4, 4, 3), self.epoch, np.float32)

    base = Pictures()
    dataset = AugmentedDataset(base, ss.MixUp(label=None), seed=1)
    batches = loader(dataset, batch_size=8)
    assert [(float(batch.min()), float(batch.max())) for _ in range(2) for batch in batches] == [
        (0, 0),
        (1, 1),
    ]
    dataset.at(0, epoch=4)
    assert base.calls == [0, 1]


def test_two_datasets_of_one_base():
    base = Dated()
    training, other = (AugmentedDataset(part, seed=1) for part in random_split(base, [4, 4]))
    batches, others = loader(training, batch_size=2), loader(other, batch_size=2)
    seen = [epochs_of(one, passes=1)[0] for one in (batches, batches, others, batches)]
    assert seen == [[0], [1], [0], [2]]


def test_epoch_that_somebody_else_set_stays():
    base = Dated()
    batches = loader(AugmentedDataset(base, seed=1), batch_size=4)
    base.set_epoch(5)
    with pytest.warns(
        UserWarning, match="epoch of the Dated was set to 5 by other code, while epoch 0 is read"
    ):
        assert epochs_of(batches, passes=1) == [[5]]
    base.set_epoch(6)
    assert epochs_of(batches, passes=1) == [[6]]  # told once


def test_workers_tell_of_an_epoch_that_somebody_else_set():
    base = Dated()
    batches = loader(AugmentedDataset(base, seed=1), batch_size=4, num_workers=2)
    base.set_epoch(5)
    with pytest.raises(
        ss.NotReproducible, match="was set to 5 by other code"
    ):  # a warning, but for pytest's filter
        list(batches)


@pytest.mark.parametrize("options", WORKERS[:2], ids=str)
def test_same_epoch_set_by_hand_is_not_told(options):
    base = Dated()
    batches = loader(AugmentedDataset(base, seed=1), batch_size=4, **options)
    for epoch in range(3):
        base.set_epoch(epoch)
        assert epochs_of(batches, passes=1) == [[epoch]]


def test_epoch_set_in_the_middle_of_a_pass():
    base = Dated()
    batches = iter(loader(AugmentedDataset(base, seed=1), batch_size=2))
    next(batches)
    base.epoch = 3
    with pytest.warns(UserWarning, match="was set to 3 by other code, while epoch 0 is read"):
        next(batches)


def test_two_epochs_open_at_once():
    batches = loader(AugmentedDataset(Dated(), seed=1), batch_size=4)
    with pytest.warns(UserWarning, match="two epochs are read at once, 0 and 1") as told:
        pairs = [
            (set(one[:, 1].tolist()), set(other[:, 1].tolist()))
            for one, other in zip(batches, batches, strict=False)
        ]
    assert pairs == [({0}, {1})] * 2
    assert len(told) == 1


def test_two_epochs_in_two_threads():
    barrier = Barrier(2)

    class Slow(Dated):
        def __getitem__(self, index):
            barrier.wait()
            return super().__getitem__(index)

    dataset = AugmentedDataset(Slow(), seed=1, on_unkeyed="allow")
    with pytest.warns(UserWarning, match="two epochs are read at once"), ThreadPoolExecutor(2) as threads:
        list(threads.map(dataset.__getitem__, [ss.SampleIndex(0, 0), ss.SampleIndex(0, 1)]))


def test_second_training_in_one_process_is_not_told():
    dataset = AugmentedDataset(Dated(), seed=1)
    for _ in range(2):
        assert epochs_of(loader(dataset, batch_size=4), passes=2) == [[0], [1]]


class Undated(Dated):
    set_epoch = None


@pytest.mark.parametrize("options", WORKERS, ids=str)
def test_epoch_without_set_epoch(options):
    batches = loader(AugmentedDataset(Subset(Undated(), range(8)), seed=1), batch_size=4, **options)
    epochs_of(batches, passes=1)
    text = "the Undated has an attribute epoch, 0, .* no set_epoch: give it"
    told = pytest.raises(ss.NotReproducible, match=text) if options else pytest.warns(UserWarning, match=text)
    with told:  # a worker warns too, but for pytest's filter
        list(batches)
    epochs_of(batches, passes=1)


class Shuffled(Dated):
    """It draws an order in set_epoch."""

    def set_epoch(self, epoch):
        super().set_epoch(epoch)
        self.order = [*np.random.permutation(8).tolist(), random.randrange(100)]

    def __getitem__(self, index):
        return np.array([self.order[index], self.epoch, self.order[8]])


def test_draws_in_set_epoch_follow_a_bridge():
    runs = [
        [
            batch.tolist()
            for _ in range(2)
            for batch in loader(AugmentedDataset(Shuffled(), seed=1, bridge=True), batch_size=4, **options)
        ]
        for options in WORKERS[:2]
    ]
    assert runs[0] == runs[1]
    assert sorted(row[0] for batch in runs[1][:2] for row in batch) == list(range(8))


def test_draws_in_set_epoch_are_told():
    with pytest.warns(UserWarning, match="set_epoch of the Shuffled draws from Python's .* and NumPy's"):
        AugmentedDataset(Shuffled(), seed=1)[0]


def test_warning_as_error_is_no_fault_of_a_sample():
    dataset = AugmentedDataset(Undated(), seed=1, epoch=1, on_error="skip")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ss.NotReproducible, match="attribute epoch"):
            dataset[0]
