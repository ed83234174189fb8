"""Which epoch a pass has: loaders that begin late, epochs set on the sampler inside or on the dataset, left passes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch
from contract import AUGMENT, LENGTH, SEED, Photographs, digest, expected
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
)
from torch_driver import dataset, items

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, KeyedSampler, loader, peek


def epochs_of(loading: Any, passes: int) -> list[int]:
    """Return the epochs of the next passes, found by their content."""
    found = []
    for _ in range(passes):
        index, content = items(loading)[-1]
        found.append(
            next(
                epoch
                for epoch in range(12)
                if digest(AUGMENT(Photographs()[index][0], key=ss.SampleKey(SEED, epoch, index))) == content
            )
        )
    return found


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_an_iterator_that_hands_out_nothing_begins_no_pass(workers: int) -> None:
    loading = loader(dataset(), batch_size=4, num_workers=workers)
    for _ in range(3):
        iter(loading)
    first, second = iter(loading), iter(loading)
    begun = [next(second), next(second)]
    assert items([*begun, *second]) == expected(0, shuffle=False)
    assert items(first) == expected(1, shuffle=False)


@pytest.mark.parametrize("workers", [0, 2])
def test_set_epoch_after_iter_is_followed(workers: int) -> None:
    loading = loader(dataset(), batch_size=4, shuffle=True, num_workers=workers)
    batches = iter(loading)
    loading.sampler.set_epoch(5)
    assert items(batches) == expected(5, shuffle=True)
    assert items(loading) == expected(6, shuffle=True)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_pass_that_ends_in_an_error_of_a_sample_is_not_a_left_one(workers: int) -> None:
    small = AugmentedDataset(Photographs(), ss.Compose([ss.RandomCrop(64)]), seed=SEED)
    loading = loader(small, batch_size=4, num_workers=workers)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ss.SampleError):
            next(iter(loading))


def test_a_pass_of_one_batch_is_not_a_left_one() -> None:
    loading = loader(dataset(), batch_size=LENGTH)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert items([next(iter(loading))]) == expected(0, shuffle=False)


def test_a_failed_batch_is_made_again_unless_training_went_on() -> None:
    class Broken(Photographs):
        def __getitem__(self, index: int) -> Any:
            if index == 5:
                raise RuntimeError("a fault")
            return super().__getitem__(index)

    loading = loader(AugmentedDataset(Broken(), AUGMENT, seed=SEED), batch_size=2)
    batches = iter(loading)
    next(batches), next(batches)
    with pytest.raises(ss.SampleError):
        next(batches)
    assert loading.state_dict()["yielded"] == 4
    next(batches)
    assert loading.state_dict()["yielded"] == 8


def test_a_pass_that_no_loader_read_is_told_when_a_loader_begins() -> None:
    sampler = KeyedSampler(range(LENGTH), seed=SEED)
    assert sum(1 for _ in sampler) == LENGTH  # as TorchIO's Queue asks for a length
    loading = DataLoader(dataset(), sampler=sampler)
    with pytest.warns(UserWarning, match="to its end, which counted as epoch 0"):
        served = items(loading)
    assert served == expected(1, shuffle=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert items(loading) == expected(2, shuffle=False)


# Set elsewhere


@pytest.mark.parametrize("workers", [0, 2])
def test_set_epoch_of_the_sampler_inside_is_followed(workers: int) -> None:
    sampler = DistributedSampler(dataset(), num_replicas=2, rank=0)
    sampler.set_epoch(5)  # before it is wrapped
    loading = loader(dataset(), batch_size=4, sampler=sampler, num_workers=workers)
    assert epochs_of(loading, 2) == [5, 6]
    sampler.set_epoch(9)
    assert epochs_of(loading, 2) == [9, 10]
    sampler.set_epoch(10)  # what it was told last, this time by its owner
    assert epochs_of(loading, 1) == [10]
    for epoch in (3, 3, 4):
        sampler.set_epoch(epoch)
        assert epochs_of(loading, 1) == [epoch]


def test_the_order_of_a_set_epoch_inside_is_that_of_the_sampler_alone() -> None:
    plain = DistributedSampler(range(LENGTH), num_replicas=2, rank=1)
    plain.set_epoch(5)
    wrapped = DistributedSampler(range(LENGTH), num_replicas=2, rank=1)
    keyed = KeyedSampler(wrapped, seed=0)
    wrapped.set_epoch(5)
    assert list(map(int, keyed)) == list(plain)


def test_the_sampler_inside_a_batch_sampler_is_heard() -> None:
    sampler = DistributedSampler(range(LENGTH), num_replicas=2, rank=0)
    keyed = KeyedSampler(BatchSampler(sampler, 4, drop_last=False), seed=0)
    sampler.set_epoch(7)
    assert next(iter(keyed))[0].epoch == 7


class Copying(Sampler[int]):
    """A sampler that keeps a copy of the epoch, not the object that it was told."""

    def __init__(self) -> None:
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch + 0

    def __iter__(self) -> Any:
        return iter(range(2))


def test_a_sampler_that_copies_the_epoch_is_heard_by_its_number() -> None:
    sampler = Copying()
    keyed = KeyedSampler(sampler, seed=0)
    assert [next(iter(keyed)).epoch for _ in range(2)] == [0, 1]
    sampler.set_epoch(8)
    assert [next(iter(keyed)).epoch for _ in range(2)] == [8, 9]


@pytest.mark.parametrize("workers", [0, 2])
def test_set_epoch_of_the_dataset_is_followed(workers: int) -> None:
    augmented = dataset()
    augmented.set_epoch(4)
    loading = loader(augmented, batch_size=4, shuffle=True, num_workers=workers)
    validation = loader(augmented, batch_size=4, epoch=ss.VALIDATION_EPOCH, num_workers=workers)
    assert items([peek(loading)]) == expected(4, shuffle=True)[:4]
    assert [items(loading) for _ in range(2)] == [expected(4, shuffle=True), expected(5, shuffle=True)]
    augmented.set_epoch(5)
    assert items(validation) == expected(ss.VALIDATION_EPOCH, shuffle=False)
    assert items(loading) == expected(5, shuffle=True)
    augmented.set_epoch(5)
    assert items(loading) == expected(5, shuffle=True)
    assert items(loading) == expected(6, shuffle=True)


def test_two_epochs_for_one_pass_are_refused() -> None:
    augmented = dataset()
    loading = loader(augmented, batch_size=4)
    augmented.set_epoch(3)
    loading.sampler.set_epoch(3)  # the same one twice is one
    assert items(loading) == expected(3, shuffle=False)
    augmented.set_epoch(4)
    loading.sampler.set_epoch(5)
    with pytest.raises(
        ValueError, match=r"two epochs were set for one pass, 5 and, on the dataset, 4: set only one"
    ):
        next(iter(loading))


# Workers of other loaders that are ahead


def test_a_set_epoch_that_workers_have_overtaken_warns() -> None:
    keyed = KeyedSampler(SequentialSampler(range(LENGTH)), seed=SEED)
    loading = DataLoader(dataset(), batch_size=4, sampler=keyed, num_workers=2, generator=torch.Generator())
    batches = iter(loading)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        keyed.set_epoch(0)  # as trainers do, right after iter(loader)
        assert items(batches) == expected(0, shuffle=False)
        assert items(loading) == expected(1, shuffle=False)
    batches = iter(loading)
    with pytest.warns(
        UserWarning, match=r"set_epoch\(7\) came after workers began to read epoch 2.*before iter"
    ):
        keyed.set_epoch(7)
    assert items(batches) == expected(2, shuffle=False)
    batches = iter(loading)
    next(batches)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        keyed.set_epoch(3)
    assert items(loading) == expected(3, shuffle=False)


def test_the_empty_rest_of_an_epoch_keeps_no_epoch() -> None:
    keyed = KeyedSampler(SequentialSampler(range(LENGTH)), seed=SEED)
    loading = DataLoader(dataset(), batch_size=4, sampler=keyed, num_workers=2, generator=torch.Generator())
    keyed.load_state_dict({"epoch": 2, "yielded": LENGTH})
    batches = iter(loading)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        keyed.set_epoch(3)  # as Lightning does after an epoch that was stored at its end
    assert list(batches) == []
    assert items(loading) == expected(3, shuffle=False)


@pytest.mark.parametrize("length", [3, 8, 11])
def test_so_does_one_that_comes_after_they_have_drawn_the_whole_pass(length: int) -> None:
    keyed = KeyedSampler(range(length), seed=SEED)
    loading = DataLoader(dataset(), batch_size=4, sampler=keyed, num_workers=2)
    batches = iter(loading)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        keyed.set_epoch(0)
    del batches
    batches = iter(loading)
    with pytest.warns(UserWarning, match=r"set_epoch\(7\) came after workers began to read epoch 1"):
        keyed.set_epoch(7)
    assert len(list(batches)) == -(-length // 4)


# What samplers are made of


class NumpyOrder(Sampler[int]):
    """A sampler with a NumPy generator, as many users write it."""

    def __init__(self) -> None:
        self.generator = np.random.default_rng(7)

    def __iter__(self) -> Any:
        return iter(self.generator.permutation(LENGTH).tolist())


class ReadOnly(RandomSampler):
    """Its generator cannot be set."""

    @property
    def generator(self) -> torch.Generator:  # type: ignore[override]
        return torch.Generator().manual_seed(3)

    @generator.setter
    def generator(self, value: Any) -> None:
        if value is not None:
            raise AttributeError("read-only")


def test_generators_that_are_not_torchs_stay_alone() -> None:
    wanted = [np.random.default_rng(7).permutation(LENGTH).tolist()]
    keyed = KeyedSampler(NumpyOrder(), seed=0)
    assert [list(map(int, keyed))] == wanted
    assert isinstance(keyed.sampler.generator, np.random.Generator)
    fixed = ReadOnly(range(LENGTH))
    assert list(map(int, KeyedSampler(fixed, seed=0))) == list(fixed)


def test_a_resume_in_another_order_is_refused() -> None:
    keyed = KeyedSampler(NumpyOrder(), seed=0)
    list(keyed)
    under_way = iter(keyed)
    for _ in range(5):
        next(under_way)
    state = keyed.state_dict()
    assert (state["epoch"], state["yielded"]) == (1, 5)
    resumed = KeyedSampler(NumpyOrder(), seed=0)
    resumed.load_state_dict(state)
    with pytest.raises(
        ValueError, match=r"first 5 entries of epoch 1 are not those .* same dataset, sampler and seed"
    ):
        next(iter(resumed))


def test_a_resume_with_another_seed_or_length_is_refused() -> None:
    loading = loader(dataset(), batch_size=4, shuffle=True)
    batches = iter(loading)
    next(batches), next(batches)
    shorter = AugmentedDataset(
        [image for image, _ in map(Photographs().__getitem__, range(12))], AUGMENT, seed=SEED
    )
    for other in (
        loader(dataset(), batch_size=4, shuffle=True, seed=1),
        loader(shorter, batch_size=4, shuffle=True),
    ):
        other.load_state_dict(loading.state_dict())
        with pytest.raises(ValueError, match="are not those that were yielded"):
            next(iter(other))


def test_a_sampler_that_yields_more_than_indices_is_refused_by_name() -> None:
    pairs = [[(3, 0.5), (4, 0.5)]]
    with pytest.raises(
        TypeError, match=r"must hold indices, got \(3, 0.5\): let the sampler yield indices alone"
    ):
        list(KeyedSampler(pairs, seed=0))
    for options in ({"batch_size": 2}, {"batch_size": None}, {}):
        for sampler in ([(3, 4), (5, 6)], BatchSampler(SequentialSampler(range(4)), 2, drop_last=False)):
            loading = loader(dataset(), sampler=sampler, **options)
            with pytest.raises(TypeError, match=r"the sampler must yield indices, got .*: .*batch_sampler="):
                next(iter(loading))


def test_states_within_an_epoch_need_an_order() -> None:
    loading = loader(dataset(), batch_size=4, num_workers=2, in_order=False)
    batches = iter(loading)
    next(batches), next(batches)
    with pytest.raises(ValueError, match="in_order=False hands batches out in any order"):
        loading.state_dict()
    list(batches)
    assert loading.state_dict() == {"epoch": 1, "yielded": 0}


class Strided(SequentialSampler):
    """A sampler of somebody else that has a word of KeyedSampler's."""

    stride = 2


@pytest.mark.parametrize("what", [3, None, [1], DataLoader([1]), DataLoader([1], sampler=Strided([1]))])
def test_peek_wants_a_loader(what: Any) -> None:
    with pytest.raises(
        TypeError, match=r"loading must be a DataLoader with a KeyedSampler, got .*: make one with"
    ):
        peek(what)


def test_peek_at_nothing() -> None:
    with pytest.raises(ValueError, match="its next pass is empty"):
        peek(loader(dataset(), sampler=[]))
