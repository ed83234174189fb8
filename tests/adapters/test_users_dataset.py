"""The user's dataset stays the user's: what is set on it takes effect or is an error, and who builds another loader of it reads it right."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    Subset,
    WeightedRandomSampler,
    get_worker_info,
    random_split,
)

import seedsafe as ss
from seedsafe.reading import outermost
from seedsafe_torch import AugmentedDataset, AugmentedIterable, Envelope, KeyedSampler, frames, loader
from seedsafe_torch.cell import Changes, Shared
from seedsafe_torch.in_place import RowByRow

LENGTH, BATCH = 12, 3
FLIP, NONE = ss.Compose([ss.HorizontalFlip(p=1)]), ss.Compose([ss.HorizontalFlip(p=0)])
ROWS = np.arange(2 * LENGTH, dtype=np.uint8).reshape(LENGTH, 1, 2)


class Base(Dataset[Any]):
    mosaic = True

    def __init__(self, transform: Any = None) -> None:
        self.transform = transform

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> Any:
        image = ROWS[index] if self.mosaic else 255 - ROWS[index]
        return image if self.transform is None else self.transform(image)


def rows(loading: Any) -> Any:
    return np.concatenate([np.asarray(batch) for batch in loading])


def whole() -> AugmentedDataset:
    return AugmentedDataset(Base(), NONE, seed=1)


def halves() -> Any:
    return random_split(whole(), [6, 6], torch.Generator().manual_seed(0))[0]


def without_mosaic(worker: int) -> None:
    info = get_worker_info()
    assert info is not None
    assert type(info.dataset) is AugmentedDataset
    info.dataset.mosaic = False


def set_augment(data: Any) -> None:
    data.augment = FLIP


def set_transform(data: Any) -> None:
    data.transform = np.invert


def set_mosaic(data: Any) -> None:
    data.mosaic = False


def set_inside(data: Any) -> None:
    data.dataset.augment = FLIP


FORMS: dict[str, tuple[Callable[[], Any], Callable[[Any], None], Callable[[Any], Any]]] = {
    "augment": (whole, set_augment, lambda data: ROWS[:, :, ::-1]),
    "transform": (whole, set_transform, lambda data: 255 - ROWS),
    "mosaic": (whole, set_mosaic, lambda data: 255 - ROWS),
    "random_split": (halves, set_inside, lambda data: ROWS[data.indices][:, :, ::-1]),
}
WAYS: dict[str, dict[str, Any]] = {
    "0 workers": {},
    "fork": {"num_workers": 2, "multiprocessing_context": "fork"},
    "spawn": {"num_workers": 1, "multiprocessing_context": "spawn"},
}


@pytest.mark.parametrize(
    ("form", "way"),
    [(form, way) for form in FORMS for way in WAYS if way != "spawn" or form in ("mosaic", "random_split")],
)
def test_what_is_set_on_the_loaders_dataset_is_read(form: str, way: str) -> None:
    make, change, wanted = FORMS[form]
    data = make()
    loading = loader(data, batch_size=BATCH, **WAYS[way])
    assert loading.dataset is data
    before = rows(loading)
    change(loading.dataset)
    assert np.array_equal(rows(loading), wanted(data))
    assert not np.array_equal(before, wanted(data))


@pytest.mark.parametrize("form", ["augment", "transform", "mosaic", "random_split"])
def test_persistent_workers_refuse_what_was_set_after_they_began(form: str) -> None:
    make, change, wanted = FORMS[form]
    data = make()
    loading = loader(data, batch_size=BATCH, epoch=0, **WAYS["fork"], persistent_workers=True)
    change(loading.dataset)
    assert np.array_equal(rows(loading), wanted(data))
    change(loading.dataset)
    name = "augment" if form == "random_split" else form
    with pytest.raises(
        RuntimeError, match=f"{name} was set after the workers began, .* set it before the first"
    ):
        rows(loading)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_the_workers_of_any_loader_refuse_it_too(method: str) -> None:
    data = whole()
    plain = DataLoader(
        data,
        batch_size=BATCH,
        sampler=KeyedSampler(range(LENGTH), seed=1),
        num_workers=1,
        persistent_workers=True,
        multiprocessing_context=method,
    )
    data.mosaic = False
    assert np.array_equal(rows(plain), 255 - ROWS)
    data.mosaic = True
    with pytest.raises(RuntimeError, match="an attribute was set after the workers began"):
        rows(plain)
    assert np.array_equal(rows(loader(data, batch_size=BATCH, num_workers=1)), ROWS)


def test_a_fixed_epoch_is_refused_in_workers_too() -> None:
    data = AugmentedDataset(Base(), NONE, seed=1, epoch=ss.VALIDATION_EPOCH)
    plain = DataLoader(data, batch_size=BATCH, num_workers=1, persistent_workers=True)
    assert np.array_equal(rows(plain), ROWS)
    data.augment = FLIP
    with pytest.raises(RuntimeError, match="an attribute was set"):
        rows(plain)


@pytest.mark.parametrize("way", ["fork", "spawn"])
@pytest.mark.parametrize("persistent", [False, True])
def test_a_worker_changes_its_own_copy(way: str, persistent: bool) -> None:
    data = whole()
    options = {**WAYS[way], "persistent_workers": persistent, "worker_init_fn": without_mosaic}
    loading = loader(data, batch_size=BATCH, **options)
    for _ in range(2):
        assert np.array_equal(rows(loading), 255 - ROWS)
    assert np.array_equal(rows(loader(data, batch_size=BATCH)), ROWS)
    assert data.mosaic
    assert loading.worker_init_fn is without_mosaic


class Reporting(Base):
    def __getitem__(self, index: int) -> Any:
        info = get_worker_info()
        return type(info.dataset).__name__, type(info.dataset.dataset).__name__ if info else "-"  # type: ignore[attr-defined,union-attr]


def test_a_worker_knows_the_users_dataset() -> None:
    data = Subset(AugmentedDataset(Reporting(), seed=1), range(4))
    for batch in loader(data, batch_size=2, num_workers=1, collate_fn=list):
        assert batch == [("Subset", "AugmentedDataset")] * 2


class Cases(Base):
    def __init__(self) -> None:
        super().__init__()
        self.scale, self.names, self.shift = 1.5, ["a"], np.zeros(3)
        self._private = 0


def test_a_change_by_the_bases_own_name_is_told_once() -> None:
    for name, value in (("scale", 2.5), ("names", ["b"]), ("shift", np.ones(3))):
        base = Cases()
        data = AugmentedDataset(base, NONE, seed=1)
        loading = loader(Subset(data, range(6)), batch_size=BATCH, num_workers=1, persistent_workers=True)
        list(loading)
        base._private = 1
        list(loading)
        setattr(base, name, value)
        with pytest.warns(
            UserWarning, match=f"{name} of the Cases changed after the persistent workers"
        ) as told:
            list(loading)
        assert len(told) == 1
        assert told[0].filename == __file__
        list(loading)


class Dated(Cases):
    def __init__(self) -> None:
        super().__init__()
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch


@pytest.mark.parametrize("way", [{}, {"multiprocessing_context": "spawn"}])
def test_an_epoch_that_the_loop_sets_on_the_base_too_is_no_change(way: Any) -> None:
    base = Dated()
    loading = loader(AugmentedDataset(base, NONE, seed=1), num_workers=1, persistent_workers=True, **way)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for epoch in range(3):
            base.set_epoch(epoch)
            list(loading)
    base.epoch, base.scale = 3, 2.5
    with pytest.warns(UserWarning, match="scale of the Dated changed after the persistent workers"):
        list(loading)


# One rule for attributes


def test_what_cannot_reach_the_base_is_an_error() -> None:
    data: Any = AugmentedDataset(Subset(Base(), range(4)), seed=1)
    with pytest.raises(
        AttributeError, match="mosaic is an attribute of the Base inside, which an AugmentedDataset"
    ):
        data.mosaic = False
    assert data.dataset.mosaic
    data.indices = [3]
    assert data.base.indices == [3]
    data.mine = 1
    assert data.mine == 1


class Source(list[Any]):
    scale = 1

    def __iter__(self) -> Iterator[Any]:
        return iter([ROWS[0] * self.scale])


def test_an_envelope_and_a_stream_pass_attributes_on() -> None:
    data = whole()
    envelope: Any = Envelope(data)
    envelope.augment = FLIP
    assert data.augment is FLIP
    assert envelope.mosaic
    assert pickle.loads(pickle.dumps(envelope)).seed == 1
    assert not hasattr(envelope, "nothing")
    around = AugmentedDataset(data, seed=2)
    assert list(outermost(Envelope(around))) == [around]

    source = Source()
    stream: Any = AugmentedIterable(source, NONE, seed=1, id=None, split=True)
    stream.scale = 3
    assert source.scale == stream.scale == 3
    assert np.array_equal(rows(loader(stream)), [ROWS[0] * 3])
    assert copy.copy(stream).scale == 3
    with pytest.raises(AttributeError, match="nor its source, a Source, has the attribute 'nothing'"):
        _ = stream.nothing


def test_a_streams_persistent_workers_refuse_what_was_set() -> None:
    stream: Any = AugmentedIterable(list(ROWS), NONE, seed=1, id=None, split=True)
    loading = loader(stream, batch_size=BATCH, num_workers=1, persistent_workers=True)
    assert np.array_equal(rows(loading), ROWS)
    stream.augment = FLIP
    with pytest.raises(RuntimeError, match="an attribute was set after the workers began"):
        rows(loading)
    assert np.array_equal(rows(loader(stream, batch_size=BATCH, num_workers=1)), ROWS[:, :, ::-1])


def weighted() -> WeightedRandomSampler:
    return WeightedRandomSampler([1.0] * LENGTH, 20)


@pytest.mark.parametrize("workers", [0, 1])
def test_weights_reach_the_sampler(workers: int) -> None:
    sampler = weighted()
    loading: Any = loader(whole(), batch_size=BATCH, sampler=sampler, num_workers=workers)
    loading.sampler.weights = torch.eye(LENGTH)[5]
    assert loading.sampler.weights is sampler.weights
    assert np.array_equal(rows(loading), np.repeat(ROWS[5:6], 20, 0))


def test_attributes_of_a_batch_sampler() -> None:
    batches = BatchSampler(weighted(), 4, drop_last=False)
    loading: Any = loader(whole(), batch_sampler=batches)
    loading.batch_sampler.batch_size = 5
    assert batches.batch_size == 5
    assert [len(batch) for batch in loading] == [5] * 4
    with pytest.raises(AttributeError, match="weights is an attribute of the WeightedRandomSampler inside"):
        loading.batch_sampler.weights = 1
    plain: Any = loader(whole(), batch_size=4)
    plain.batch_sampler.batch_size = 6
    reading = iter(plain)
    assert len(next(reading)) == plain.state_dict()["yielded"] == 6
    list(reading)


def test_the_number_of_changes_in_a_copy_is_its_own() -> None:
    changes = Changes(Shared(1))
    changes.note("augment")
    other = pickle.loads(pickle.dumps(changes))
    changes.note("augment")
    other.begin(0)
    changes.begin(0)
    other.note("base")
    other.begin(1)
    changes.begin(1)
    assert (changes.count, changes.name, other.name) == (2, "augment", "base")


# Who builds a loader of the dataset and the sampler


def told_key(part: Any, key: Any) -> Any:
    return np.array([key.epoch, key.index, key.occurrence])


class Wrapper(Dataset[Any]):
    def __init__(self, inside: Any) -> None:
        self.inside, self.positions = inside, [9, 1, 4, 7, 3, 0]

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, index: int) -> Any:
        return self.inside[self.positions[index]]


class InBatches(Wrapper):
    def __getitems__(self, indices: Any) -> Any:
        return self.inside.__getitems__([self.positions[index] for index in indices])


class Skipping:
    """As Accelerate's SkipBatchSampler."""

    def __init__(self, batches: Any, skip: int) -> None:
        self.batch_sampler, self.skip = batches, skip

    def __iter__(self) -> Iterator[Any]:
        for number, batch in enumerate(self.batch_sampler):
            if number >= self.skip:
                yield batch


def of_parts(loading: Any) -> Any:
    """As Accelerate's prepare."""
    return DataLoader(
        loading.dataset,
        batch_sampler=loading.batch_sampler,
        num_workers=loading.num_workers,
        collate_fn=loading.collate_fn,
    )


def skipping(loading: Any) -> Any:
    """As Accelerate's skip_first_batches."""
    return DataLoader(
        loading.dataset,
        batch_sampler=Skipping(loading.batch_sampler, 1),  # type: ignore[arg-type]
        num_workers=loading.num_workers,
        collate_fn=loading.collate_fn,
    )


def of_class(loading: Any) -> Any:
    """As Lightning: the loader's class, called with the attributes that have its arguments' names."""
    names = {*inspect.signature(type(loading)).parameters, *inspect.signature(DataLoader).parameters}
    arguments = {name: value for name, value in vars(loading).items() if name in names}
    return type(loading)(**{**arguments, "batch_sampler": None, "sampler": loading.sampler})


TRAINERS = {"prepare": (of_parts, 0), "skip_first_batches": (skipping, 1), "its class": (of_class, 0)}
CHOSEN = [9, 1, 4, 7, 3, 0]


def keys_of(order: str, data: Any) -> list[tuple[int, int, int]]:
    """Return epoch, index and occurrence of each sample of epoch 0, from the sampler alone."""
    return [(at.epoch, CHOSEN[at], at.occurrence) for at in loading_of(order, data, 0).sampler]


def loading_of(order: str, data: Any, workers: int, **options: Any) -> Any:
    if order == "shuffled":
        options["shuffle"] = True
    else:
        options["sampler"] = WeightedRandomSampler([1.0, 2, 3, 1, 1, 1], 14)
    return loader(data, batch_size=4, num_workers=workers, **options)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("order", ["shuffled", "weighted"])
@pytest.mark.parametrize("kind", ["Subset", "own wrapper", "own __getitems__", "Subset of a Subset"])
@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_loader_that_a_trainer_builds_reads_the_same_keys(
    trainer: str, kind: str, order: str, workers: int
) -> None:
    keyed = AugmentedDataset(Base(), told_key, seed=1)
    data: Any = {
        "Subset": lambda: Subset(keyed, CHOSEN),
        "own wrapper": lambda: Wrapper(keyed),
        "own __getitems__": lambda: InBatches(keyed),
        "Subset of a Subset": lambda: Subset(Subset(keyed, [*CHOSEN[::-1], 2]), [5, 4, 3, 2, 1, 0]),
    }[kind]()
    wanted = keys_of(order, data)
    build, skip = TRAINERS[trainer]
    anew = build(loading_of(order, data, workers))
    if kind == "own __getitems__" and order == "weighted" and trainer != "its class":
        with pytest.raises(RuntimeError, match=r"InBatches reads .* occurrences .*seedsafe_torch\.Envelope"):
            rows(anew)
        return
    assert list(map(tuple, rows(anew).tolist())) == wanted[skip * 4 :]
    assert order == "shuffled" or max(occurrence for _, _, occurrence in wanted) > 0
    assert anew.dataset is data


def test_a_subset_of_an_own_wrapper_keeps_its_occurrences() -> None:
    data = Subset(Wrapper(AugmentedDataset(Base(), told_key, seed=1)), range(6))
    for workers in (0, 1):
        anew = of_parts(loading_of("weighted", data, workers))
        assert list(map(tuple, rows(anew).tolist())) == keys_of("weighted", data)


def no_frames() -> Any:
    raise AssertionError("a frame was read")


def test_no_frame_is_read_for_samples_that_are_stamped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "fetch_under_way", no_frames)
    keyed = AugmentedDataset(Base(), told_key, seed=1)
    chosen = Subset(keyed, CHOSEN)
    for data in (chosen, Wrapper(keyed), InBatches(keyed)):
        loading = loading_of("weighted", data, 0, in_place=False)
        assert list(map(tuple, rows(loading).tolist())) == keys_of("weighted", data)
    rows(DataLoader(keyed, batch_size=4, sampler=KeyedSampler(weighted(), seed=1)))
    anew = of_parts(loading_of("weighted", chosen, 2, in_place=False))
    assert list(map(tuple, rows(anew).tolist())) == keys_of("weighted", chosen)


def test_other_reads_of_a_batch_do_not_get_its_stamps() -> None:
    keyed = AugmentedDataset(Base(), told_key, seed=1)

    def reading(samples: Any) -> Any:
        return np.stack(keyed.__getitems__([7, 8, 9, 10]))

    for workers in (0, 1):
        sampler = KeyedSampler([0, 0, 1, 1], seed=1)
        plain = DataLoader(
            Subset(keyed, CHOSEN), batch_size=4, sampler=sampler, collate_fn=reading, num_workers=workers
        )
        with pytest.raises(RuntimeError, match="Subset reads the dataset inside by plain indices"):
            list(plain)


class Nested(Dataset[Any]):
    """Reads a DataLoader of its own in each sample."""

    def __init__(self, outer: Any) -> None:
        self.outer = outer

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Any:
        inner = DataLoader(self.outer, batch_size=2, sampler=KeyedSampler([1, 0], seed=1, epoch=7))
        return next(iter(inner))


def test_a_loader_inside_a_worker_is_not_the_workers_own() -> None:
    keyed = AugmentedDataset(Base(), told_key, seed=1)
    plain = DataLoader(
        Nested(Subset(keyed, [5, 6])), batch_size=2, sampler=KeyedSampler(range(4), seed=1), num_workers=1
    )
    for batch in plain:
        assert batch.tolist() == [[[7, 6, 0], [7, 5, 0]]] * 2


def test_the_rows_are_what_the_iterator_reads() -> None:
    loading = loader(whole(), batch_size=BATCH)
    assert type(loading._outer) is RowByRow
    assert loading._outer.dataset is loading.dataset
    assert not hasattr(loading.dataset, "_users")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(loading)) == 4
