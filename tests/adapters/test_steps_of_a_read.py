"""What each step of a read hands on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, KeyedSampler, sampler
from seedsafe_torch.callers import Caller

SEED, LENGTH = 42, 6
IMAGES = np.random.default_rng(0).integers(0, 256, (LENGTH, 16, 16, 3), np.uint8)
PAIRS = [(image, number) for number, image in enumerate(IMAGES)]
CROP = ss.Compose([ss.RandomCrop(8), ss.GaussianNoise(9)])


class Cropped:
    """A base that augments by itself, at the key of the read."""

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> Any:
        return CROP(IMAGES[index]), index


def at(index: int, occurrence: int = 0, view: int = 0) -> ss.SampleKey:
    return ss.SampleKey(SEED, 3, index, occurrence=occurrence, view=view)


def test_each_view_has_the_occurrence_of_its_sample() -> None:
    data = AugmentedDataset(PAIRS, CROP, seed=SEED, views=2)
    views, _ = data.at(4, epoch=3, occurrence=5)
    for view, image in enumerate(views):
        np.testing.assert_array_equal(image, CROP(IMAGES[4], key=at(4, 5, view)))


def test_a_bridged_base_is_read_at_the_key_of_each_view() -> None:
    first, second = AugmentedDataset(Cropped(), seed=SEED, views=2, bridge=True).at(4, epoch=3)[0]
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(
        first, AugmentedDataset(Cropped(), seed=SEED, bridge=True).at(4, epoch=3)[0]
    )


def test_a_callable_whose_first_calls_draw_without_the_key_is_refused() -> None:
    def drawing(image: Any, *, key: ss.SampleKey) -> Any:
        return image + np.uint8(np.random.randint(100))  # the fault

    with pytest.raises(ss.NotReproducible):
        AugmentedDataset(PAIRS, drawing, seed=SEED)[0]


def test_a_repeated_call_gets_no_key_of_a_read_around_it() -> None:
    keys = []

    def asking(image: Any, *, key: ss.SampleKey) -> Any:
        keys.append(ss.current_key())
        np.random.rand()  # it moves, so the call is repeated
        return image

    inside = AugmentedDataset(PAIRS, asking, seed=7)
    AugmentedDataset(inside, seed=SEED)[ss.SampleIndex(0, epoch=3)]
    assert len(keys) > 1
    assert set(keys) == {None}


def test_an_empty_pipeline_refuses_a_dict_that_any_pipeline_refuses() -> None:
    for augment in (ss.Compose([]), ss.Compose([ss.Invert()])):
        with pytest.raises(ss.SampleError, match="none of the sample's keys"):
            AugmentedDataset([{"photo": IMAGES[0]}], augment, seed=SEED)[0]


def test_a_callable_that_returns_none_is_told() -> None:
    with pytest.raises(ss.SampleError, match="augment returned None"):
        AugmentedDataset(list(IMAGES), lambda image, key: None, seed=SEED)[0]


def test_a_sampler_keeps_the_view_of_an_index() -> None:
    (index,) = KeyedSampler([ss.SampleIndex(4, epoch=9, view=2)], seed=SEED)
    assert (int(index), index.epoch, index.occurrence, index.view) == (4, 0, 0, 2)


def test_set_epoch_of_the_loaded_epoch_keeps_the_position() -> None:
    keyed = KeyedSampler(range(4), seed=SEED)
    keyed.load_state_dict({"epoch": 7, "yielded": 1})
    keyed.set_epoch(7)
    assert [(int(index), index.epoch) for index in keyed] == [(1, 7), (2, 7), (3, 7)]


def test_a_look_leaves_the_state_of_the_pass_under_way() -> None:
    keyed = KeyedSampler(range(4), seed=SEED)
    under_way = iter(keyed)
    next(under_way)
    before = keyed.state_dict()
    with keyed.peeked():
        next(iter(keyed))
    assert keyed.state_dict() == before
    assert len(keyed.open_passes) == 1


def test_passes_of_a_fixed_epoch_count_nothing() -> None:
    keyed = KeyedSampler(range(2), seed=SEED, epoch=5)
    before = keyed.state_dict()
    assert {index.epoch for index in [*keyed, *keyed]} == {5}
    assert keyed.state_dict() == before


def test_the_reserved_epoch_is_no_epoch_of_training() -> None:
    keyed = KeyedSampler(range(2), seed=SEED)
    keyed.load_state_dict({"epoch": ss.VALIDATION_EPOCH, "yielded": 0})
    with pytest.raises(ValueError, match="is reserved for validation"):
        list(keyed)


def test_two_passes_under_way_have_no_state() -> None:
    keyed = KeyedSampler(range(4), seed=SEED)
    passes = [iter(keyed), iter(keyed)]
    for each in passes:
        next(each)
    del passes[1:]
    next(passes[0])
    passes.append(iter(keyed))
    next(passes[1])
    with pytest.raises(RuntimeError, match="another pass began while one was open"):
        keyed.state_dict()


def test_each_epoch_has_another_order_of_a_torch_generator() -> None:
    from torch.utils.data import RandomSampler

    keyed = KeyedSampler(RandomSampler(range(50)), seed=SEED)
    first, second = list(map(int, keyed)), list(map(int, keyed))
    keyed.set_epoch(0)
    assert first != second
    assert first == list(map(int, keyed))


class Counts(Caller):
    only_counts = True


def test_entries_that_are_only_counted_begin_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    keyed = KeyedSampler(range(4), seed=SEED)
    with monkeypatch.context() as patch:
        patch.setattr(sampler, "caller_of", lambda _: Counts())
        assert len(list(keyed)) == 4
    assert {index.epoch for index in keyed} == {0}
