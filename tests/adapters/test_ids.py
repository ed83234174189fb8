"""Augmentation keyed by record id: a growing folder leaves old samples as they were, in both adapters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from contract import AUGMENT, IMAGES, LENGTH, SEED, Photographs, digest
from torch.utils.data import ConcatDataset, Subset, WeightedRandomSampler
from torch_driver import items
from torchdata.stateful_dataloader import StatefulDataLoader

import seedsafe as ss
from seedsafe_keras import AugmentedSequence
from seedsafe_torch import AugmentedDataset, KeyedSampler, loader

IDS = [ss.record_index(f"photographs/{index}.png") for index in range(LENGTH)]


def dataset(**options: Any) -> AugmentedDataset:
    return AugmentedDataset(Photographs(), AUGMENT, seed=SEED, ids=IDS, **options)


def sample(epoch: int, index: int, **place: int) -> bytes:
    return digest(AUGMENT(IMAGES[index], key=ss.SampleKey(SEED, epoch, IDS[index], **place)))


def write(root: Path, numbers: list[int]) -> None:
    (root / "one").mkdir(parents=True, exist_ok=True)
    for number in numbers:
        cv2.imwrite(str(root / "one" / f"{number:02}.png"), IMAGES[number])


def by_path(photographs: ss.ImageFolder, batches: Any) -> dict[str, bytes]:
    images = [np.asarray(image) for batch, _ in batches for image in batch]
    paths = [path for path, _ in photographs.samples]
    return {path: digest(image) for path, image in zip(paths, images, strict=True)}


@pytest.mark.parametrize("workers", [0, 2])
def test_a_folder_that_grows_leaves_old_samples_as_they_were(tmp_path: Path, workers: int) -> None:
    runs = []
    for numbers in ([1, 4, 9], [0, 2, 12]):
        write(tmp_path / "photographs", numbers)
        photographs = ss.ImageFolder(tmp_path / "photographs")
        augmented = AugmentedDataset(photographs, AUGMENT, seed=SEED, ids=photographs.record_ids)
        sequence = AugmentedSequence(
            photographs, AUGMENT, seed=SEED, ids=photographs.record_ids, batch_size=4, epoch=0
        )
        runs.append(by_path(photographs, loader(augmented, batch_size=4, num_workers=workers)))
        assert runs[-1] == by_path(photographs, [sequence[batch] for batch in range(len(sequence))])
        positions = AugmentedDataset(photographs, AUGMENT, seed=SEED)
        runs.append(by_path(photographs, loader(positions, batch_size=4)))
    keyed, by_position, keyed_later, by_position_later = runs
    assert len(keyed_later) == 6
    assert keyed.items() < keyed_later.items()
    assert not by_position.items() < by_position_later.items()  # what this is for


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_epochs_occurrences_and_workers(method: str) -> None:
    options: dict[str, Any] = {
        "num_workers": 2,
        "multiprocessing_context": method,
        "persistent_workers": True,
    }
    loading = loader(dataset(), batch_size=4, **options)
    for epoch in range(2):
        assert items(loading) == [(i, sample(epoch, i)) for i in range(LENGTH)]
    twice = loader(dataset(), batch_size=2, sampler=[5, 3, 5])
    assert items(twice) == [(5, sample(0, 5)), (3, sample(0, 3)), (5, sample(0, 5, occurrence=1))]
    weighted = WeightedRandomSampler([1.0] * 2 + [0.0] * (LENGTH - 2), 12)
    assert items(loader(dataset(), batch_size=5, sampler=weighted, num_workers=1)) == items(
        loader(dataset(), batch_size=3, sampler=weighted)
    )


def test_views_subsets_and_concatenation() -> None:
    views, _ = dataset(views=2).at(4, epoch=1)
    assert [digest(view) for view in views] == [sample(1, 4, view=view) for view in range(2)]
    assert items(loader(Subset(dataset(), [7, 2]), batch_size=2)) == [(7, sample(0, 7)), (2, sample(0, 2))]
    inside = AugmentedDataset(Subset(Photographs(), [7, 2]), AUGMENT, seed=SEED, ids=[IDS[7], IDS[2]])
    assert items(loader(inside, batch_size=2)) == [(7, sample(0, 7)), (2, sample(0, 2))]
    others = AugmentedDataset(Photographs(), AUGMENT, seed=SEED, ids=[i ^ 1 for i in IDS])
    both = items(loader(ConcatDataset([dataset(), others]), batch_size=4, num_workers=2))
    assert both[:LENGTH] == [(i, sample(0, i)) for i in range(LENGTH)]
    assert both[LENGTH + 3] == (3, digest(AUGMENT(IMAGES[3], key=ss.SampleKey(SEED, 0, IDS[3] ^ 1))))


@pytest.mark.parametrize(
    "second",
    [{"ids": [*range(100, 99 + LENGTH), IDS[4]]}, {"index_offset": min(IDS) - 3}],
    ids=["an id of both", "a position that is an id"],
)
def test_concatenated_datasets_that_share_keys_are_refused(second: Any) -> None:
    other = AugmentedDataset(Photographs(), AUGMENT, seed=SEED, **second)
    for parts in ([dataset(), other], [other, dataset()]):
        with pytest.raises(ValueError, match=r"share the seed .* would be augmented alike"):
            loader(ConcatDataset(parts))


def test_resume() -> None:
    def make() -> StatefulDataLoader[Any]:
        keyed = KeyedSampler(range(LENGTH), seed=SEED)
        return StatefulDataLoader(dataset(), batch_size=3, sampler=keyed, num_workers=2)

    run = make()
    batches = iter(run)
    seen = items([next(batches) for _ in range(2)])
    state = run.state_dict()
    resumed = make()
    resumed.load_state_dict(state)
    assert seen + items(resumed) == [(i, sample(0, i)) for i in range(LENGTH)]


def test_ids_of_64_bits_and_of_any_integer_type() -> None:
    largest = 2**64 - 1
    for ids in (
        [largest, 0],
        np.array([largest, 0], np.uint64),
        (7, 8),
        np.array([7, 8], np.int16),
        range(7, 9),
    ):
        augmented = AugmentedDataset(IMAGES[:2], AUGMENT, seed=SEED, ids=ids)
        key = ss.SampleKey(SEED, 3, int(ids[0]))
        assert digest(augmented.at(0, epoch=3)) == digest(AUGMENT(IMAGES[0], key=key))
        batch = AugmentedSequence(IMAGES[:2], AUGMENT, seed=SEED, ids=ids, batch_size=2, epoch=3)[0]
        assert digest(batch[0]) == digest(AUGMENT(IMAGES[0], key=key))


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([1, 2, 2], ValueError, "ids must differ, got 2 for the samples 1 and 2"),
        ([1, 2], ValueError, r"got the shape \(2,\) for a dataset of length 3"),
        ([1, 2, -3], ValueError, "an id of ids must be at least 0 and below .*, got -3"),
        ([0, 1, 2**64], ValueError, "got 18446744073709551616"),
        ([1.0, 2.0, 3.0], TypeError, "an id of ids must be an integer, got 1.0"),
        (["a", "b", "c"], TypeError, r"pass ImageFolder\.record_ids, or \[record_index\(id\)"),
        (np.ones((3, 1), np.uint64), ValueError, r"got the shape \(3, 1\)"),
        ([True, False, True], TypeError, "an integer, got True"),
        (5, TypeError, "a sequence of integers, got 5"),
        ({1, 2, 3}, TypeError, "a sequence of integers, got {1, 2, 3}"),
    ],
    ids=map(str, range(9)),
)
def test_bad_ids(ids: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        AugmentedDataset(IMAGES[:3], AUGMENT, seed=SEED, ids=ids)
    with pytest.raises(error, match=message):
        AugmentedSequence(IMAGES[:3], AUGMENT, seed=SEED, ids=ids, batch_size=2)


def test_ids_are_no_positions_and_do_not_outlast_a_growing_base() -> None:
    with pytest.raises(ValueError, match="ids and index_offset cannot be used together, got index_offset=5"):
        dataset(index_offset=5)
    images = list(IMAGES[:2])
    augmented = AugmentedDataset(images, AUGMENT, seed=SEED, ids=[7, 8], epoch=0)
    images.append(IMAGES[2])
    with pytest.raises(
        ValueError, match="there are 2 ids, but the base has 3 samples now: make the dataset again"
    ):
        augmented[2]
