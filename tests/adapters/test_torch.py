"""seedsafe_torch beside the contract: wrappers, samplers, epochs, views, resume and bad input."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from contract import AUGMENT, LENGTH, SEED, Photographs, digest, expected
from refused import refused
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    StackDataset,
    Subset,
    SubsetRandomSampler,
    WeightedRandomSampler,
    random_split,
)
from torch_driver import dataset, items
from torchdata.stateful_dataloader import StatefulDataLoader

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, KeyedSampler, loader, peek
from seedsafe_torch.delivery import KeyedLoader


def sample(epoch: int, index: int, *, seed: int = SEED, **place: int) -> bytes:
    return digest(AUGMENT(Photographs()[index][0], key=ss.SampleKey(seed, epoch, index, **place)))


# Wrappers, inside and outside


@pytest.mark.parametrize("workers", [0, 2])
def test_subset_outside_keeps_the_base_index(workers: int) -> None:
    chosen = [5, 3, 20]
    loading = loader(Subset(dataset(), chosen), batch_size=2, num_workers=workers)
    for epoch in range(2):
        assert items(loading) == [(i, sample(epoch, i)) for i in chosen]


def test_subset_inside_renumbers() -> None:
    augmented = AugmentedDataset(Subset(Photographs(), [5, 3]), AUGMENT, seed=SEED)
    image, label = augmented.at(1, epoch=2)
    assert label == 3
    assert digest(image) == digest(AUGMENT(Photographs()[3][0], key=ss.SampleKey(SEED, 2, 1)))


@pytest.mark.parametrize("workers", [0, 2])
def test_random_split_outside(workers: int) -> None:
    halves = random_split(dataset(), [10, 13], generator=torch.Generator().manual_seed(0))
    for half in halves:
        loading = loader(half, batch_size=4, shuffle=True, num_workers=workers)
        for epoch in range(2):
            seen = items(loading)
            assert sorted(seen) == sorted((i, sample(epoch, i)) for i in half.indices)


@pytest.mark.parametrize("workers", [0, 2])
def test_concatenated_datasets_are_told_apart_by_an_offset(workers: int) -> None:
    second = AugmentedDataset(Photographs(), AUGMENT, seed=SEED, index_offset=LENGTH)
    loading = loader(ConcatDataset([dataset(), second]), batch_size=4, num_workers=workers)
    seen = items(loading)
    assert seen[:LENGTH] == expected(0, shuffle=False)
    key = ss.SampleKey(SEED, 0, LENGTH + 4)
    assert seen[LENGTH + 4] == (4, digest(AUGMENT(Photographs()[4][0], key=key)))


def test_concatenated_datasets_that_share_keys_are_refused() -> None:
    with pytest.raises(ValueError, match=r"share the seed .* pass index_offset="):
        loader(ConcatDataset([dataset(), dataset()]))
    loader(ConcatDataset([dataset(), AugmentedDataset(Photographs(), AUGMENT, seed=1)]))
    for wrapped in (
        Subset(ConcatDataset([dataset(), dataset()]), [0, LENGTH]),
        StackDataset(ConcatDataset([dataset(), dataset()])),
        AugmentedDataset(ConcatDataset([dataset(), dataset()]), seed=SEED + 1),
    ):
        with pytest.raises(ValueError, match="share the seed"):
            loader(wrapped)


def test_folds_of_one_dataset_are_put_together() -> None:
    folds = random_split(dataset(), [8, 8, 7], generator=torch.Generator().manual_seed(0))
    seen = items(loader(ConcatDataset([folds[0], folds[2]]), batch_size=4))
    assert seen == [(i, sample(0, i)) for fold in (folds[0], folds[2]) for i in fold.indices]
    ids = AugmentedDataset(Photographs(), AUGMENT, seed=SEED, ids=range(100, 100 + LENGTH))
    loader(ConcatDataset([Subset(ids, [0, 1]), Subset(Subset(ids, [1, 2, 3]), [1, 2])]))
    for one in (dataset(), ids):
        with pytest.raises(ValueError, match="share the seed"):
            loader(ConcatDataset([Subset(one, [0, 1]), Subset(Subset(one, [1, 2, 3]), [0, 2])]))


def test_a_subset_that_repeats_an_index_is_refused() -> None:
    with pytest.raises(ValueError, match=r"an index more than once.*pass its indices as sampler="):
        loader(Subset(dataset(), [3, 5, 3]))
    loader(Subset(AugmentedDataset(Photographs(), seed=SEED), [3, 5, 3]))
    assert items(loader(dataset(), sampler=[3, 5, 3]))[2] == (3, sample(0, 3, occurrence=1))


@pytest.mark.parametrize("workers", [0, 2])
def test_stack_dataset(workers: int) -> None:
    stacked = StackDataset(photo=dataset(), number=torch.arange(LENGTH))
    loading = loader(stacked, batch_size=4, num_workers=workers)
    for epoch in range(2):
        for batch in loading:
            for image, label, number in zip(*batch["photo"], batch["number"], strict=True):
                assert int(label) == int(number)
                assert digest(image.numpy()) == sample(epoch, int(number))


def test_nested_datasets_need_different_seeds() -> None:
    with pytest.raises(ValueError, match="give one of them another seed"):
        AugmentedDataset(Subset(dataset(), [1, 2]), AUGMENT, seed=SEED)
    with pytest.raises(ValueError, match="give one of them another seed"):
        AugmentedDataset(ConcatDataset([Photographs(), dataset()]), AUGMENT, seed=SEED)
    inner = AugmentedDataset(Photographs(), ss.Compose([ss.RandomCrop(36)]), seed=SEED + 1)
    outer = AugmentedDataset(inner, ss.Compose([ss.RandomCrop(32)]), seed=SEED)
    first = items(loader(outer, batch_size=4, num_workers=2))
    assert first == items(loader(copy.deepcopy(outer), batch_size=5))
    assert first != [(i, digest(outer.at(i, epoch=1)[0])) for i in range(LENGTH)]


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_base_may_grow_between_passes(shuffle: bool) -> None:
    images = [np.full((2, 2), i, np.uint8) for i in range(5)]
    loading = loader(AugmentedDataset(images, seed=SEED), batch_size=2, shuffle=shuffle)
    for count in (5, 7):
        images += [np.full((2, 2), i, np.uint8) for i in range(len(images), count)]
        assert sorted(int(image[0, 0]) for batch in loading for image in batch) == list(range(count))
        assert len(loading) == -(-count // 2)


# Samplers


def test_weighted_sampler_gives_each_occurrence_its_own_augmentation() -> None:
    sampler = WeightedRandomSampler([1.0] * 3 + [0.0] * (LENGTH - 3), 30)
    seen = items(loader(dataset(), batch_size=4, sampler=sampler, num_workers=2))
    again = items(loader(dataset(), batch_size=7, sampler=sampler))
    assert seen == again
    count: Counter[int] = Counter()
    for index, content in seen:
        assert content == sample(0, index, occurrence=count[index])
        count[index] += 1
    assert max(count.values()) > 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: RandomSampler(range(LENGTH)),
        lambda: RandomSampler(range(LENGTH), replacement=True, num_samples=40),
        lambda: SubsetRandomSampler(range(2, LENGTH)),
        lambda: WeightedRandomSampler([1.0] * LENGTH, 40),
    ],
    ids=["random", "with replacement", "subset", "weighted"],
)
def test_order_of_a_sampler_with_a_generator_follows_the_epoch(make: Any) -> None:
    before = torch.get_rng_state()
    first, second = KeyedSampler(make(), seed=SEED), KeyedSampler(make(), seed=SEED)
    epochs = [list(map(int, first)) for _ in range(3)]
    second.set_epoch(1)
    torch.rand(5)
    assert list(map(int, second)) == epochs[1] != epochs[0]
    torch.set_rng_state(before)


def test_distributed_ranks_give_the_single_process_content() -> None:
    union: list[tuple[int, bytes]] = []
    for rank in range(3):
        sampler = DistributedSampler(dataset(), num_replicas=3, rank=rank, drop_last=True)
        loading = loader(dataset(), batch_size=2, sampler=sampler, num_workers=2)
        list(loading)
        union += items(loading)
    assert len({i for i, _ in union}) == 21
    assert all(content == sample(1, i) for i, content in union)


def test_batch_sampler() -> None:
    batches = BatchSampler(SequentialSampler(range(LENGTH)), 5, drop_last=False)
    loading = loader(dataset(), batch_sampler=batches, num_workers=2)
    assert [items(loading) for _ in range(2)] == [expected(epoch, shuffle=False) for epoch in range(2)]


def test_no_batches() -> None:
    loading = loader(dataset(), batch_size=None, shuffle=True, num_workers=2)
    for epoch in range(2):
        assert [(label, digest(np.asarray(image))) for image, label in loading] == expected(
            epoch, shuffle=True
        )


def test_plain_data_loader_with_a_keyed_sampler() -> None:
    keyed = KeyedSampler(SequentialSampler(range(LENGTH)), seed=SEED)
    loading = DataLoader(dataset(), batch_size=4, sampler=keyed, num_workers=2, persistent_workers=True)
    before = torch.get_rng_state()
    assert [items(loading) for _ in range(3)] == [expected(epoch, shuffle=False) for epoch in range(3)]
    torch.set_rng_state(before)


# Epochs


def test_set_epoch_overrides_the_next_pass_and_an_offset_shifts_it() -> None:
    keyed = KeyedSampler(range(2), seed=0, offset=-1)
    keyed.set_epoch(5)
    assert [{i.epoch for i in keyed} for _ in range(2)] == [{4}, {5}]
    with pytest.raises(ValueError, match=r"epoch \+ offset must be at least 0"):
        keyed.set_epoch(0)


def test_set_epoch_in_mid_pass_leaves_the_pass_alone() -> None:
    keyed = KeyedSampler(range(3), seed=0)
    under_way = iter(keyed)
    first = next(under_way)
    keyed.set_epoch(9)
    assert [first.epoch, *(index.epoch for index in under_way)] == [0, 0, 0]
    assert next(iter(keyed)).epoch == 9


def test_a_set_epoch_that_comes_too_late_warns() -> None:
    keyed = KeyedSampler(range(3), seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for epoch in range(2):
            keyed.set_epoch(epoch)
            list(keyed)
            keyed.set_epoch(epoch)  # the same epoch once more, on purpose
            next(iter(keyed))
        under_way = iter(keyed)
        next(under_way)
        keyed.set_epoch(2)
        list(under_way)
        keyed.set_epoch(3)  # trainers that name each epoch right after iter(loader) do no harm
        under_way = iter(keyed)
        next(under_way)
        keyed.set_epoch(3)
    with pytest.warns(
        UserWarning, match=r"epoch 3 is served again, because set_epoch came after.*before iter"
    ):
        next(iter(keyed))


def test_a_pass_begins_with_its_first_index() -> None:
    keyed = KeyedSampler(range(3), seed=0)
    iter(keyed), iter(keyed)
    assert {i.epoch for i in keyed} == {0}


def test_peek_does_not_begin_a_pass() -> None:
    loading = loader(dataset(), batch_size=4, shuffle=True, num_workers=2)
    first = items([peek(loading)])
    assert first == items([peek(loading)]) == expected(0, shuffle=True)[:4]
    assert items(loading) == expected(0, shuffle=True)
    assert items([peek(loading)]) == expected(1, shuffle=True)[:4]
    with pytest.raises(TypeError, match=r"make one with seedsafe_torch\.loader"):
        peek(DataLoader(dataset()))


@pytest.mark.parametrize("workers", [0, 2])
def test_a_pass_left_before_its_second_batch_warns_once(workers: int) -> None:
    loading = loader(dataset(), batch_size=2, num_workers=workers)
    with pytest.warns(UserWarning, match=r"use seedsafe_torch\.peek"):
        next(iter(loading))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        next(iter(loading))


def test_the_validation_epoch_is_reserved() -> None:
    keyed = KeyedSampler(range(2), seed=0)
    with pytest.raises(ValueError, match="the last one is reserved"):
        keyed.set_epoch(ss.VALIDATION_EPOCH)


def test_fixed_epoch() -> None:
    fixed = AugmentedDataset(Photographs(), AUGMENT, seed=SEED, epoch=ss.VALIDATION_EPOCH)
    loading = loader(fixed, batch_size=4, num_workers=2)
    passes = [items(loading) for _ in range(2)]
    assert passes[0] == passes[1] == expected(ss.VALIDATION_EPOCH, shuffle=False)


# Loaders that know nothing but the dataset


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_workers": 2},
        {"num_workers": 2, "persistent_workers": True},
        {"num_workers": 2, "persistent_workers": True, "multiprocessing_context": "spawn"},
        pytest.param(
            {"num_workers": 2, "persistent_workers": True, "multiprocessing_context": "forkserver"},
            marks=pytest.mark.fork,
        ),
    ],
    ids=str,
)
def test_set_epoch_of_the_dataset_reaches_workers(options: dict[str, Any]) -> None:
    augmented = dataset()
    loading = DataLoader(augmented, batch_size=4, generator=torch.Generator(), **options)
    for epoch in (0, 1, 5):
        augmented.set_epoch(epoch)
        assert items(loading) == expected(epoch, shuffle=False)


def test_an_epoch_served_twice_warns() -> None:
    augmented = dataset()
    loading = DataLoader(augmented, batch_size=4, generator=torch.Generator())
    list(loading)
    with pytest.warns(UserWarning, match=r"read a second time in epoch 0.*set_epoch"):
        list(loading)


def test_a_loop_by_hand_that_repeats_its_epoch_warns_and_a_second_look_does_not() -> None:
    augmented = dataset()
    for _ in range(3):
        augmented[4]
    for index in range(4):
        augmented[index]
    with pytest.warns(UserWarning, match=r"index \d is read a second time in epoch 0.*set_epoch"):
        list(map(augmented.__getitem__, range(4)))


def test_a_copy_has_an_epoch_of_its_own() -> None:
    augmented = dataset()
    for other in (copy.deepcopy(augmented), pickle.loads(pickle.dumps(augmented))):
        augmented.set_epoch(3)
        assert digest(other[4][0]) == sample(0, 4)
    assert digest(augmented[4][0]) == sample(3, 4)


# Resume


def test_stateful_data_loader_resumes_in_mid_epoch() -> None:
    def make() -> StatefulDataLoader[Any]:
        keyed = KeyedSampler(RandomSampler(range(LENGTH)), seed=SEED)
        return StatefulDataLoader(
            dataset(), batch_size=3, sampler=keyed, num_workers=2, generator=torch.Generator()
        )

    whole = make()
    epochs = [items(whole) for _ in range(2)]
    run = make()
    items(run)
    batches = iter(run)
    seen = items([next(batches) for _ in range(3)])
    state = run.state_dict()
    resumed = make()
    resumed.load_state_dict(state)
    assert seen + items(resumed) == epochs[1]


def test_resume_counts_the_occurrences_that_were_skipped() -> None:
    keyed = KeyedSampler([0, 1, 0, 1, 0], seed=0)
    keyed.load_state_dict({"epoch": 3, "yielded": 3})
    assert [(int(i), i.epoch, i.occurrence) for i in keyed] == [(1, 3, 1), (0, 3, 2)]
    assert keyed.state_dict() == {"epoch": 4, "yielded": 0}


def test_a_state_of_a_longer_pass_is_refused() -> None:
    keyed = KeyedSampler(range(4), seed=0)
    keyed.load_state_dict({"epoch": 0, "yielded": 4})
    assert list(keyed) == []
    keyed.load_state_dict({"epoch": 0, "yielded": 5})
    with pytest.raises(
        ValueError, match=r"5 entries of epoch 0 as yielded, but the pass has only 4: load it"
    ):
        list(keyed)


# Views


def test_views() -> None:
    augmented = AugmentedDataset(Photographs(), AUGMENT, seed=SEED, views=3)
    views, label = augmented.at(4, epoch=2)
    assert label == 4
    assert [digest(view) for view in views] == [sample(2, 4, view=v) for v in range(3)]
    outer, _ = augmented.at(4, epoch=2, view=1)
    assert [digest(view) for view in outer] == [sample(2, 4, view=3 + v) for v in range(3)]
    first, _ = peek(loader(augmented, batch_size=5, num_workers=2))
    assert len(first) == 3


def test_dict_samples_and_targets() -> None:
    image, label = Photographs()[0]
    named = AugmentedDataset([{"photo": image, "y": label}], AUGMENT, seed=SEED, targets={"photo": "image"})
    made = named.at(0, epoch=0)
    assert digest(made["photo"]) == sample(0, 0)
    assert made["y"] == label
    pair = AugmentedDataset(
        [(image, image[..., 0], label)],
        ss.Compose([ss.RandomCrop(32), ss.HorizontalFlip()]),
        seed=SEED,
        targets=("image", "mask", None),
    )
    photo, mask, _ = pair.at(0, epoch=0)
    np.testing.assert_array_equal(photo[..., 0], mask)


# Bad input


class Nothing:
    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> None:
        return None


class Stream(IterableDataset[int]):
    def __iter__(self) -> Any:
        return iter(range(3))


test_bad_input = refused(
    (lambda: dataset()[LENGTH], IndexError, f"index {LENGTH} is out of range: the dataset has {LENGTH}"),
    (lambda: dataset()[-LENGTH - 1], IndexError, "is out of range"),
    (lambda: dataset()[1.0], TypeError, "index must be an integer, got 1.0"),
    (lambda: dataset()[1:3], TypeError, "use torch.utils.data.Subset"),
    (lambda: AugmentedDataset(Nothing(), AUGMENT, seed=0)[1], ss.SampleError, "the dataset returned None"),
    (lambda: AugmentedDataset(Photographs(), AUGMENT, seed=-1), ValueError, "seed must be at least 0"),
    (lambda: AugmentedDataset(Photographs(), AUGMENT, seed=None), TypeError, "needs seed"),
    (lambda: AugmentedDataset(Photographs(), "crop", seed=0), TypeError, "augment must be a Compose"),
    (lambda: AugmentedDataset(iter([1]), AUGMENT, seed=0), TypeError, "base must be a map-style dataset"),
    (
        lambda: AugmentedDataset(Photographs(), AUGMENT, seed=0, views=0),
        ValueError,
        "views must be at least 1",
    ),
    (
        lambda: AugmentedDataset(Photographs(), seed=0, views=2),
        ValueError,
        "views=2 without an augmentation are all the same: pass augment=",
    ),
    (lambda: AugmentedDataset(Stream(), AUGMENT, seed=0), TypeError, "got Stream: a key needs an index"),
    (
        lambda: AugmentedDataset([torch.zeros(64, 64, 3)], AUGMENT, seed=0)[0],
        ss.SampleError,
        "looks like (H, W, C): pass tensor.permute(2, 0, 1)",
    ),
    (lambda: AugmentedDataset([(1, 2)], AUGMENT, seed=0)[0], ss.SampleError, "first element of a sample"),
    (lambda: AugmentedDataset([{"x": 1}], AUGMENT, seed=0)[0], ss.SampleError, "targets={key: target}"),
    (lambda: AugmentedDataset([1], AUGMENT, seed=0, targets=("img",)), ValueError, "got 'img'"),
    (lambda: loader(Stream()), TypeError, "dataset must be map-style"),
    (lambda: KeyedLoader(Stream()), TypeError, "or a stream in an AugmentedIterable"),
    (lambda: loader(Photographs()), ValueError, "pass seed="),
    (lambda: loader(dataset(), shuffle=True, sampler=[1]), ValueError, "cannot be used together"),
    (lambda: list(KeyedSampler(["a"], seed=0)), TypeError, "the sampler's index must be an integer, got 'a'"),
    (lambda: KeyedSampler(5, seed=0), TypeError, "sampler must be iterable"),
    (lambda: loader(dataset(), sampler=iter([1, 2])), TypeError, "in every epoch, got list_iterator"),
    (
        lambda: list(KeyedSampler([-1], seed=0)),
        ValueError,
        "index must be at least 0 and below 2**64, got -1",
    ),
    (
        lambda: loader(dataset(), batch_size=4, batch_sampler=[[0, 1]]),
        ValueError,
        "batch_size=4 and batch_sampler cannot be used together",
    ),
    (
        lambda: loader(dataset(), sampler=KeyedSampler([1], seed=0), epoch=3),
        ValueError,
        "got seed=None and epoch=3 as well: pass them to the sampler",
    ),
    (
        lambda: loader(AugmentedDataset(Photographs(), AUGMENT, seed=0, epoch=3), epoch=4),
        ValueError,
        "epoch=4 differs from the dataset's fixed epoch",
    ),
    (
        lambda: KeyedSampler([1], seed=0).load_state_dict({"epoch": 0}),
        ValueError,
        "state must have 'yielded', got {'epoch': 0}: pass the result of state_dict",
    ),
)


def test_what_spawned_workers_cannot_be_given_is_refused_in_the_parent() -> None:
    with pytest.raises(ValueError, match=r"collate_fn must be picklable.*without lambdas"):
        loader(dataset(), num_workers=1, multiprocessing_context="spawn", collate_fn=lambda batch: batch)


def test_an_error_in_a_worker_names_the_sample() -> None:
    too_large = AugmentedDataset(Photographs(), ss.Compose([ss.RandomCrop(64)]), seed=0)
    with pytest.raises(ss.SampleError, match=r"sample 0 failed .*pad_if_needed=True or a smaller size"):
        list(loader(too_large, num_workers=1, epoch=0))  # a fixed epoch: leaving the pass costs nothing
