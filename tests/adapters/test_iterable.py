"""AugmentedIterable: streams through torch's loaders."""

from __future__ import annotations

import hashlib
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from skimage import data
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from torchdata.stateful_dataloader import StatefulDataLoader

import seedsafe as ss
from seedsafe_torch import AugmentedIterable, loader

PHOTOGRAPH = data.astronaut()[:64, :64]
AUGMENT = ss.Compose([ss.RandomCrop(32), ss.HorizontalFlip(), ss.GaussianNoise(std=9)])
LENGTH = 23


class Shards(IterableDataset[Any]):
    """Records with ids, divided among the workers by shard, as webdataset does."""

    def __init__(self, shards: int = 5) -> None:
        self.shards = shards

    def __iter__(self) -> Iterator[dict[str, Any]]:
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        for shard in range(worker, self.shards, workers):
            for n in range(shard, LENGTH, self.shards):
                yield {"__key__": f"s{n:03}", "image": PHOTOGRAPH, "n": n}


class Whole(IterableDataset[Any]):
    """Records without ids; every worker reads all of them."""

    def __iter__(self) -> Iterator[tuple[Any, int]]:
        for n in range(LENGTH):
            yield PHOTOGRAPH, n


class Counting(Shards):
    """A source that tells its state."""

    def __init__(self) -> None:
        super().__init__(1)
        self.position = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for n, record in enumerate(super().__iter__()):
            if n >= self.position:
                self.position = n + 1
                yield record
        self.position = 0

    def state_dict(self) -> dict[str, int]:
        return {"position": self.position}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.position = state["position"]


def digest(image: Any) -> bytes:
    return hashlib.blake2b(np.ascontiguousarray(image).tobytes(), digest_size=8).digest()


def seen(batches: Any) -> list[tuple[int, bytes]]:
    found = []
    for batch in batches:
        images, numbers = (batch["image"], batch["n"]) if isinstance(batch, dict) else batch
        found += [(int(n), digest(image)) for n, image in zip(numbers, images, strict=True)]
    return found


def expected(epoch: int, index: Any) -> Counter[tuple[int, bytes]]:
    return Counter(
        (n, digest(AUGMENT(PHOTOGRAPH, key=ss.SampleKey(42, epoch, index(n))))) for n in range(LENGTH)
    )


def by_id(n: int) -> int:
    return ss.record_index(f"s{n:03}")


@pytest.mark.parametrize(
    ("workers", "options"),
    [
        (0, {}),
        (1, {}),
        (2, {}),
        (2, {"persistent_workers": True}),
        (3, {"multiprocessing_context": "spawn", "persistent_workers": True}),
    ],
    ids=str,
)
def test_each_epoch_is_the_same_multiset_for_any_workers(workers: int, options: dict[str, Any]) -> None:
    stream = AugmentedIterable(Shards(), AUGMENT, seed=42)
    loading = DataLoader(stream, batch_size=4, num_workers=workers, **options)
    for epoch in (0, 1, 7):
        stream.set_epoch(epoch)
        assert Counter(seen(loading)) == expected(epoch, by_id)


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_positions_of_a_source_that_every_worker_reads_whole(workers: int) -> None:
    stream = AugmentedIterable(Whole(), AUGMENT, seed=42, id=None, split=True)
    assert Counter(seen(DataLoader(stream, batch_size=4, num_workers=workers))) == expected(0, int)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_fixed_epoch_repeats_without_a_word(workers: int) -> None:
    stream = AugmentedIterable(Shards(), AUGMENT, seed=42, epoch=ss.VALIDATION_EPOCH)
    loading = DataLoader(stream, batch_size=4, num_workers=workers)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        passes = [Counter(seen(loading)) for _ in range(2)]
    assert passes == [expected(ss.VALIDATION_EPOCH, by_id)] * 2


@pytest.mark.parametrize(
    "options", [{}, {"num_workers": 2}, {"num_workers": 2, "persistent_workers": True}], ids=str
)
def test_each_pass_of_a_loader_is_the_next_epoch(options: dict[str, Any]) -> None:
    loading = loader(AugmentedIterable(Shards(), AUGMENT, seed=42), batch_size=4, **options)
    for epoch in range(2):
        assert Counter(seen(loading)) == expected(epoch, by_id)
    loading.set_epoch(9)
    assert Counter(seen(loading)) == expected(9, by_id)
    fixed = loader(AugmentedIterable(Shards(), AUGMENT, seed=42, epoch=5), batch_size=4, **options)
    assert [Counter(seen(fixed)) for _ in range(2)] == [expected(5, by_id)] * 2


@pytest.mark.parametrize("workers", [0, 1])
def test_a_loader_goes_on_in_the_epoch_that_its_stream_was_loaded_with(workers: int) -> None:
    stream = AugmentedIterable(Shards(), AUGMENT, seed=42)
    loading = loader(stream, batch_size=4, num_workers=workers)
    stream.load_state_dict({"epoch": 5, "yielded": 8})
    assert Counter(seen(loading)) < expected(5, by_id)
    assert Counter(seen(loading)) == expected(6, by_id)
    stream.load_state_dict({"epoch": 5, "yielded": 8})
    with pytest.raises(
        ValueError, match="a state after 8 records of one process cannot be resumed by 2 workers"
    ):
        iter(loader(stream, num_workers=2))


def test_a_loader_of_a_stream_takes_no_order() -> None:
    with pytest.raises(ValueError, match="epoch, shuffle cannot be set for a stream"):
        loader(AugmentedIterable(Shards(), AUGMENT, seed=42), shuffle=True, epoch=3)


def test_an_epoch_that_nobody_tells_warns() -> None:
    stream = AugmentedIterable(Shards(), AUGMENT, seed=42)
    list(stream)
    with pytest.warns(UserWarning, match="a second pass begins in epoch 0"):
        list(stream)


def test_the_sources_own_epoch_is_told() -> None:
    class Told(Shards):
        epoch = None

        def set_epoch(self, epoch: int) -> None:
            self.epoch = epoch

    source = Told()
    AugmentedIterable(source, AUGMENT, seed=42).set_epoch(5)
    assert source.epoch == 5


@pytest.mark.parametrize("source", [Shards, Counting])
@pytest.mark.parametrize("workers", [0, 1, 2])
@pytest.mark.parametrize("cut", [0, 1, 3])
def test_a_stateful_loader_goes_on_where_it_stood(source: Any, workers: int, cut: int) -> None:
    if workers == 2 and source is Counting:
        workers = 1  # it has one shard

    def loading() -> tuple[AugmentedIterable, Any]:
        stream = AugmentedIterable(source(), AUGMENT, seed=42)
        return stream, StatefulDataLoader(stream, batch_size=4, num_workers=workers)

    stream, first = loading()
    stream.set_epoch(3)
    batches = iter(first)
    begun = seen([next(batches) for _ in range(cut)])
    state = first.state_dict()
    rest = seen(batches)
    _, again = loading()
    again.load_state_dict(state)
    assert seen(again) == rest
    assert Counter(begun + rest) == expected(3, by_id)


def test_a_record_without_an_id_is_refused() -> None:
    with pytest.raises(ValueError, match="no entry '__key__' for its id; it is tuple: pass id="):
        list(AugmentedIterable(Whole(), AUGMENT, seed=42))


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (3, {}, "source must be iterable, got int"),
        (iter([]), {}, "iterable once for each epoch"),
        ([], {"id": None}, "id=None counts positions"),
        ([], {"split": "yes"}, "split must be True or False"),
        ([], {"seed": -1}, "seed must be at least 0"),
        ([], {"epoch": 2**32}, "epoch must be"),
        ([], {"targets": "mask"}, "targets must be"),
        ([], {"augment": None}, "function must be"),
    ],
)
def test_bad_arguments(source: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        AugmentedIterable(source, **({"augment": AUGMENT, "seed": 42} | options))
