"""AugmentedIterable: streams through torch's loaders."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import pickle
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from multiprocessing import active_children
from typing import Any

import numpy as np
import pytest
from skimage import data
from streams import Stateful
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from torchdata.stateful_dataloader import StatefulDataLoader

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, AugmentedIterable, loader

PHOTOGRAPH = data.astronaut()[:64, :64]
AUGMENT = ss.Compose([ss.RandomCrop(32), ss.HorizontalFlip(), ss.GaussianNoise(std=9)])
LENGTH = 23
IMAGES = [PHOTOGRAPH] * LENGTH


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


def one_shard() -> Stateful:
    return Stateful(Shards(1))


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
        ValueError, match="a state of one process within epoch 5 cannot be resumed by 2 workers"
    ):
        iter(loader(stream, num_workers=2))


def whole() -> AugmentedIterable:
    return AugmentedIterable(Whole(), AUGMENT, seed=42, id=None, split=True)


def shards() -> AugmentedIterable:
    return AugmentedIterable(Shards(), AUGMENT, seed=42)


def counting() -> AugmentedIterable:
    return AugmentedIterable(Stateful(Shards(6)), AUGMENT, seed=42)


WAYS: list[dict[str, Any]] = [
    {},
    {"num_workers": 1},
    {"num_workers": 2},
    {"num_workers": 3, "batch_size": 2},
    {"num_workers": 2, "batch_size": None},
    {"num_workers": 2, "in_order": False},
    {"num_workers": 3, "persistent_workers": True},
    {"num_workers": 3, "drop_last": True},
]
SPAWNED: dict[str, Any] = {"num_workers": 2, "multiprocessing_context": "spawn", "persistent_workers": True}


def ordered(batches: Any) -> list[Any]:
    """Return what `seen` does, also of records without a batch."""
    return [one for batch in batches for one in seen([batched(batch)])]


def batched(batch: Any) -> Any:
    if isinstance(batch, dict):
        return batch if np.ndim(batch["n"]) else {"image": [batch["image"]], "n": [batch["n"]]}
    return batch if np.ndim(batch[1]) else ([batch[0]], [batch[1]])


@pytest.mark.parametrize(
    ("options", "make"),
    [(way, make) for way in WAYS for make in (shards, whole, counting)] + [(SPAWNED, shards)],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_loader_resumes_after_any_batch_in_the_same_order(make: Any, options: dict[str, Any]) -> None:
    options = {"batch_size": 4} | options
    spawned = "multiprocessing_context" in options
    running = loader(make(), **options)
    plain = list(running)
    batches = iter(running)
    taken: list[Any] = []
    states = [running.state_dict()]
    for batch in batches:
        taken.append(batch)
        states.append(running.state_dict())
    assert running.state_dict() == {"epoch": 2}
    if not options.get("drop_last"):
        assert Counter(ordered(plain)) == expected(0, int if make is whole else by_id)
        assert Counter(ordered(taken)) == expected(1, int if make is whole else by_id)
    states[0] = {"epoch": 1}
    resumed = loader(make(), **options)
    for cut in (5, 1) if spawned else range(len(states)):
        state = pickle.loads(pickle.dumps(states[cut]))
        if not (spawned or options.get("persistent_workers")):
            resumed = loader(make(), **options)
        resumed.load_state_dict(state)
        assert resumed.state_dict() == states[cut]
        rest, whole_rest = ordered(resumed), ordered(taken[cut:])
        if options.get("in_order", True):
            assert rest == whole_rest
        assert Counter(rest) == Counter(whole_rest)
    if cut == len(states) - 1 and options.get("in_order", True):
        assert ordered(resumed) == ordered(loading_of(make(), 2, options))


class Counted(Whole):
    def __len__(self) -> int:
        return LENGTH


def counted() -> AugmentedIterable:
    return AugmentedIterable(Counted(), AUGMENT, seed=42, id=None, split=True)


def listed() -> AugmentedIterable:
    return AugmentedIterable(list(Shards()), AUGMENT, seed=42)


@pytest.mark.parametrize("make", [counted, listed, shards, counting])
@pytest.mark.parametrize("workers", [0, 1, 2, 3])
@pytest.mark.parametrize("more", [{}, {"drop_last": True}, {"batch_size": None}], ids=str)
def test_a_loader_goes_on_after_a_number_of_steps(make: Any, workers: int, more: dict[str, Any]) -> None:
    options = {"batch_size": 4, "num_workers": workers} | more
    running = loader(make(), **options)
    taken = [list(running) for _ in range(2)]
    steps = (
        len(taken[0]) if make in (counted, listed) else 4
    )  # else its end is not known, but for full batches
    for step in {1, 3, steps - 1, steps}:
        resumed = loader(make(), **options)
        resumed.resume(step=step, epoch=1)
        assert ordered(resumed) == ordered(taken[1][step:]), step
        if make in (counted, listed):
            resumed.resume(step=len(taken[0]) + step - 1)
            assert ordered(resumed) == ordered(taken[1][step - 1 :]), step
            assert resumed.state_dict() == {"epoch": 2}
        else:
            with pytest.raises(ValueError, match=r"pass resume\(step=, epoch=\)"):
                resumed.resume(step=step)


def test_steps_that_say_nothing_are_refused() -> None:
    for make in (listed, lambda: AugmentedDataset(IMAGES, seed=42)):
        resumed = loader(make(), batch_size=4, num_workers=2, in_order=False)
        with pytest.raises(ValueError, match="in_order=False hands batches out in any order"):
            resumed.resume(step=3)
        resumed.resume(step=0, epoch=2)


def loading_of(stream: AugmentedIterable, epoch: int, options: dict[str, Any]) -> Any:
    loading = loader(stream, **options)
    loading.set_epoch(epoch)
    return loading


@pytest.mark.parametrize("workers", [(0, 3), (3, 0), (2, 3), (3, 2), (1, 0), (0, 1)])
def test_a_whole_source_resumes_in_another_number_of_workers_and_again(workers: tuple[int, int]) -> None:
    state: dict[str, Any] = {"epoch": 4}
    served: list[Any] = []
    for number in (*workers, workers[0], workers[0]):
        loading = loader(whole(), batch_size=2, num_workers=number)
        loading.load_state_dict(state)
        batches = iter(loading)
        served += [next(batches) for _ in range(3)]
        state = loading.state_dict()
    loading = loader(whole(), batch_size=2)
    loading.load_state_dict(json.loads(json.dumps(state)))
    assert Counter(seen([*served, *loading])) == expected(4, int)
    assert loading.state_dict() == {"epoch": 5}


@pytest.mark.parametrize("make", [shards, counting])
@pytest.mark.parametrize("workers", [(0, 2), (2, 0), (2, 3), (3, 2)])
def test_a_state_within_an_epoch_is_refused_where_the_source_divides_itself(
    make: Any, workers: tuple[int, int]
) -> None:
    before, after = (loader(make(), batch_size=2, num_workers=number) for number in workers)
    batches = iter(before)
    next(batches)
    after.load_state_dict(before.state_dict())
    with pytest.raises(
        ValueError, match=r"within epoch 0 cannot be resumed by .*store the state at an epoch's end"
    ):
        iter(after)
    list(batches)
    after.load_state_dict(before.state_dict())
    assert Counter(seen(after)) == expected(1, by_id)


@pytest.mark.parametrize(
    "options", [{"num_workers": 2}, {"num_workers": 2, "persistent_workers": True}], ids=str
)
def test_a_stream_that_workers_read_does_not_say_where_it_stands(options: dict[str, Any]) -> None:
    stream = shards()
    for loading in (loader(stream, batch_size=4, **options), DataLoader(stream, batch_size=4, **options)):
        batches = iter(loading)
        next(batches)
        with pytest.raises(
            RuntimeError, match=r"workers read this stream.* state of its loader, seedsafe_torch\.loader"
        ):
            stream.state_dict()
        list(batches)
    stream.set_epoch(7)
    assert stream.state_dict() == {"epoch": 7, "yielded": 0}
    list(loader(stream, batch_size=4, **options))
    assert stream.state_dict() == {"epoch": 8, "yielded": 0}


@pytest.mark.parametrize("workers", [0, 2])
def test_the_state_of_a_stream_under_its_loader(workers: int) -> None:
    stream = shards()
    loading = loader(stream, batch_size=4, num_workers=workers)
    stream.set_epoch(5)
    assert loading.state_dict() == {"epoch": 5}
    assert Counter(seen(loading)) == expected(5, by_id)
    stream.load_state_dict({"epoch": 3, "yielded": 0})
    assert Counter(seen(loading)) == expected(3, by_id)
    if not workers:
        next(batches := iter(loading))
        state = stream.state_dict()
        assert (state["epoch"], state["yielded"]) == (4, 4)
        del batches


def test_another_epoch_drops_the_place_that_was_loaded() -> None:
    stream = shards()
    stream.load_state_dict({"epoch": 3, "yielded": 8})
    stream.set_epoch(4)
    assert Counter(ordered(DataLoader(stream, batch_size=4))) == expected(4, by_id)
    loading = loader(stream, batch_size=4, num_workers=2)
    loading.load_state_dict({"epoch": 3, "yielded": [[4, 0]], "next": 1})
    loading.set_epoch(3)  # the state's own
    assert len(ordered(loading)) == LENGTH - 4
    loading.load_state_dict({"epoch": 3, "yielded": [[4, 0]], "next": 1})
    loading.set_epoch(9)
    assert Counter(ordered(loading)) == expected(9, by_id)


def test_a_plain_loader_with_workers_refuses_what_it_cannot_resume() -> None:
    stream = shards()
    stream.load_state_dict({"epoch": 3, "yielded": 8})
    assert len(ordered(DataLoader(stream, batch_size=4, num_workers=1))) == LENGTH - 8
    with pytest.raises(ValueError, match="does not say what each of them has read"):
        list(DataLoader(stream, batch_size=4, num_workers=2))
    fixed = AugmentedIterable(Shards(), AUGMENT, seed=42, epoch=3)
    fixed.load_state_dict({"epoch": 3, "yielded": 8})
    loading = DataLoader(fixed, batch_size=4, num_workers=1)
    assert [len(ordered(loading)) for _ in range(2)] == [LENGTH - 8, LENGTH]


def wait_for_another_epoch(worker: int) -> None:
    stream: Any = get_worker_info().dataset  # type: ignore[union-attr]
    stream.source.told.wait()


def test_an_epoch_belongs_to_its_pass_however_late_a_worker_begins() -> None:
    source = Shards()
    source.told = multiprocessing.get_context("fork").Event()  # type: ignore[attr-defined]
    stream = AugmentedIterable(source, AUGMENT, seed=42)
    loading = loader(stream, batch_size=4, num_workers=2, worker_init_fn=wait_for_another_epoch)

    def tell() -> None:
        while not active_children():
            pass
        stream.tell(9)
        source.told.set()  # type: ignore[attr-defined]

    telling = threading.Thread(target=tell)
    telling.start()
    assert Counter(seen(loading)) == expected(0, by_id)
    telling.join()


@pytest.mark.parametrize(
    "options", [{}, {"num_workers": 2}, {"num_workers": 2, "persistent_workers": True}], ids=str
)
def test_two_passes_over_one_loader_at_once_are_two_epochs(options: dict[str, Any]) -> None:
    loading = loader(shards(), batch_size=4, **options)
    pairs = list(zip(loading, loading, strict=True))
    assert Counter(seen(a for a, _ in pairs)) == expected(0, by_id)
    assert Counter(seen(b for _, b in pairs)) == expected(1, by_id)
    first, second = iter(loading), iter(loading)
    next(first), next(second)
    with pytest.raises(RuntimeError, match="use one loader each"):
        loading.state_dict()
    del first, second
    assert Counter(seen(loading)) == expected(4, by_id)


class Reordering(Shards):
    """A source whose order changes with every pass."""

    def __init__(self) -> None:
        super().__init__(1)
        self.passes = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        self.passes += 1
        records = list(super().__iter__())
        return iter(records[self.passes :] + records[: self.passes])


@pytest.mark.parametrize(
    ("options", "workers"), [({}, 0), ({}, 1), ({"split": True}, 0), ({"split": True, "id": None}, 0)]
)
def test_a_source_whose_order_does_not_repeat_cannot_resume(options: dict[str, Any], workers: int) -> None:
    class Distinct(Reordering):
        def __iter__(self) -> Iterator[dict[str, Any]]:
            return (record | {"n": 100 - record["n"]} for record in super().__iter__())

    stream = AugmentedIterable(Distinct(), AUGMENT, seed=42, **options)
    loading = loader(stream, batch_size=4, num_workers=workers, persistent_workers=workers > 0)
    batches = iter(loading)
    next(batches)
    state = loading.state_dict()
    list(batches)
    for others in (workers, 2) if options.get("split") else (workers,):
        resumed = loader(stream, batch_size=4, num_workers=others) if not workers else loading
        resumed.load_state_dict(state)
        with pytest.raises(ValueError, match="are not those that were yielded before the state was stored"):
            list(resumed)


def test_a_source_that_became_shorter_than_what_was_read_is_told() -> None:
    with pytest.raises(ValueError, match="the first 30 records of epoch 0 are not those"):
        list(_resumed({"epoch": 0, "yielded": [[30]]}))


def _resumed(state: Any) -> Any:
    loading = loader(shards(), batch_size=4)
    loading.load_state_dict(state)
    return loading


def test_a_source_that_two_passes_read_at_once_has_the_state_of_neither() -> None:
    loading = loader(AugmentedIterable(one_shard(), AUGMENT, seed=42), batch_size=4)
    first, second = iter(loading), iter(loading)
    next(first), next(second)
    list(first)
    with pytest.raises(RuntimeError, match="use one loader each"):
        loading.state_dict()
    list(second)
    assert loading.state_dict() == {"epoch": 2}


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("workers", [0, 2, 3])
def test_a_list_is_divided_among_the_workers(kind: Any, workers: int) -> None:
    stream = AugmentedIterable(kind(Shards(1)), AUGMENT, seed=42)
    loading = loader(stream, batch_size=4, num_workers=workers)
    for epoch in range(2):
        assert Counter(seen(loading)) == expected(epoch, by_id)
    batches = iter(loading)
    begun = [next(batches)]
    other = loader(stream, batch_size=4, num_workers=2)
    other.load_state_dict(loading.state_dict())
    assert Counter(seen([*begun, *other])) == expected(2, by_id)


def divide(worker: int) -> None:
    stream: Any = get_worker_info().dataset  # type: ignore[union-attr]
    stream.source = stream.source[worker::2]


def test_a_list_that_the_user_divides_is_not_divided_again() -> None:
    stream = AugmentedIterable(list(Shards(1)), AUGMENT, seed=42)
    assert Counter(seen(loader(stream, batch_size=4, num_workers=2, worker_init_fn=divide))) == expected(
        0, by_id
    )


class Undivided(Whole):
    """Records with ids; every worker reads all of them."""

    def __iter__(self) -> Iterator[Any]:
        yield from ({"__key__": f"s{n:03}", "image": image, "n": n} for image, n in super().__iter__())


def test_a_source_that_is_not_divided_warns_at_once_and_is_refused_at_the_end() -> None:
    batches = iter(loader(AugmentedIterable(Undivided(), AUGMENT, seed=42), batch_size=4, num_workers=3))
    next(batches)
    with pytest.warns(
        UserWarning, match="workers 0 and 1 begin epoch 0 with the same records.*split=True"
    ) as warned:
        next(batches)
    assert {one.filename for one in warned} == {__file__}
    with (
        pytest.warns(UserWarning, match="workers 0 and 2"),
        pytest.raises(ValueError, match=r"workers 0 and 1 gave the same records in epoch 0: .*split=True"),
    ):
        list(batches)
    split = AugmentedIterable(Undivided(), AUGMENT, seed=42, split=True)
    assert Counter(seen(loader(split, batch_size=4, num_workers=3))) == expected(0, by_id)


def test_an_id_that_records_share_warns_once() -> None:
    records = [{"label": n // 9, "image": PHOTOGRAPH} for n in range(20)]
    stream = AugmentedIterable(records, AUGMENT, seed=42, id="label")
    with pytest.warns(UserWarning, match="two of the first 2 records of epoch 0 have the same id") as warned:
        list(stream)
    stream.set_epoch(1)
    list(stream)
    list(AugmentedIterable(records, AUGMENT, seed=42, id=ss.content_id))
    assert [one.filename for one in warned] == [__file__]


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (3, "state must be a dict with 'epoch'"),
        ({"yielded": 3}, "state must be a dict with 'epoch'"),
        ({"epoch": -1}, "epoch must be"),
        ({"epoch": 1, "yielded": -2}, "yielded must be"),
        ({"epoch": 1, "yielded": [["x"]]}, "yielded must be"),
    ],
)
def test_what_is_no_state_is_refused(state: Any, message: str) -> None:
    for one in (shards(), loader(shards())):
        with pytest.raises((TypeError, ValueError), match=message):
            one.load_state_dict(state)


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


@pytest.mark.parametrize(
    ("source", "workers"),
    [*((Shards, count) for count in (0, 1, 2)), *((one_shard, count) for count in (0, 1))],
)
@pytest.mark.parametrize("cut", [0, 1, 3])
def test_a_stateful_loader_goes_on_where_it_stood(source: Any, workers: int, cut: int) -> None:
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
        (iter([]), {}, "iterable in every epoch"),
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
