"""Callables that augment whole samples."""

import keras
import numpy as np
import pytest

import seedsafe as ss
from seedsafe.reading import KeyedReader
from seedsafe_keras import AugmentedSequence
from seedsafe_torch import AugmentedDataset, loader

RECORDS = [{"input_ids": list(range(n, n + 3 + n % 4)), "label": n % 2} for n in range(12)]


def mask(sample, *, key):
    kept = ~ss.draws(key, name="mask").chance(0.5, len(sample["input_ids"]))
    return {**sample, "input_ids": np.where(kept, sample["input_ids"], -1).tolist()}


def flip(sample, *, key):
    values, label = sample
    return (-values, 1 - label) if ss.draws(key, name="flip").chance(0.5) else sample


@pytest.mark.parametrize("bridge", [False, True])
@pytest.mark.parametrize("workers", [0, 2])
def test_a_dict_without_targets_goes_through_a_callable(workers, bridge):
    dataset = AugmentedDataset(RECORDS, mask, seed=42, bridge=bridge)
    loading = loader(dataset, batch_size=4, num_workers=workers, collate_fn=list)
    found = [[sample for batch in loading for sample in batch] for _ in range(2)]
    expected = [
        [mask(record, key=ss.SampleKey(42, epoch, index)) for index, record in enumerate(RECORDS)]
        for epoch in range(2)
    ]
    assert found == expected
    assert found[0] != found[1]
    assert RECORDS[0] == {"input_ids": [0, 1, 2], "label": 0}


def test_a_dict_with_targets_goes_through_as_before():
    records = [{"image": np.zeros((2, 2), np.uint8), "label": 1}]
    seen = []

    def keep(sample, *, key):
        seen.append(sample)
        return sample

    AugmentedDataset(records, keep, seed=42)[0]
    AugmentedDataset([{"photo": records[0]["image"]}], keep, seed=42, targets={"photo": "image"})[0]
    assert [list(sample) for sample in seen] == [["image", "label"], ["image"]]


@pytest.mark.parametrize(
    "sample", [(np.arange(3), 1), [np.arange(3), 1], ([1, 2, 3], 1), "text", 7, [], {"tokens": [1, 2]}]
)
def test_a_callable_may_ask_for_the_whole_sample(sample):
    seen = []

    def look(whole, *, key):
        seen.append(whole)
        return "result"

    assert AugmentedDataset([sample], look, seed=42, targets="sample")[0] == "result"
    assert seen[0] is sample


def test_the_label_is_augmented_with_its_sample():
    pairs = [(np.array([n, n + 1]), n % 2) for n in range(32)]
    dataset = AugmentedDataset(pairs, flip, seed=42, targets="sample")
    found = [dataset.at(index, epoch=0) for index in range(32)]
    assert all((values[0] < 0) == (label != n % 2) for n, (values, label) in enumerate(found) if n)
    assert 4 < sum(values[0] < 0 for values, _ in found) < 28


def test_views_are_a_tuple_of_whole_samples():
    for dataset in (
        AugmentedDataset(RECORDS, mask, seed=42, views=2),
        AugmentedDataset(RECORDS, mask, seed=42, views=2, targets="sample"),
    ):
        keys = [ss.SampleKey(42, 0, 5, view=view) for view in range(2)]
        assert dataset.at(5, epoch=0) == tuple(mask(RECORDS[5], key=key) for key in keys)


def test_keras_reads_whole_samples():
    pairs = [(np.array([n, n + 1]), n % 2) for n in range(8)]
    sequence = AugmentedSequence(pairs, flip, seed=42, batch_size=4, epoch=0, targets="sample")
    expected = [flip(pair, key=ss.SampleKey(42, 0, n)) for n, pair in enumerate(pairs)]
    values, labels = sequence[1]
    assert np.asarray(values).tolist() == [values.tolist() for values, _ in expected[4:]]
    assert np.asarray(labels).tolist() == [label for _, label in expected[4:]]


class Batches(keras.utils.PyDataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return {"tokens": np.zeros((4, 3)), "label": np.zeros(4)}


def test_ready_batches_have_no_whole_samples():
    with pytest.raises(ValueError, match="pass a base of samples with batch_size="):
        AugmentedSequence(Batches(), mask, seed=42, epoch=0, targets="sample")[0]


def test_errors_name_the_way_out():
    for augment in (ss.Compose([ss.HorizontalFlip()]), ss.HorizontalFlip(), None):
        with pytest.raises(
            ValueError, match=r'targets="sample" gives the whole sample to a callable.*leave targets out'
        ):
            AugmentedDataset([np.zeros((2, 2))], augment, seed=42, targets="sample")
    with pytest.raises(ValueError, match="leave targets out"):
        ss.keyed_map(ss.HorizontalFlip(), seed=42, epoch=0, targets="sample")
    with pytest.raises(ss.SampleError, match="augment returned None"):
        KeyedReader(RECORDS, lambda sample, key: None, seed=42).sample(ss.SampleIndex(0, epoch=0))
    with pytest.raises(ss.SampleError, match=r"name the parts with targets=\{key: target\}"):
        AugmentedDataset(RECORDS, ss.HorizontalFlip(), seed=42)[0]
