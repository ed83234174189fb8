"""Streams whose subclass leaves records out, holds them back, repeats or reorders them resume exactly, or are refused."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from itertools import islice
from queue import Queue
from typing import Any

import numpy as np
import pytest
from torch.utils.data import get_worker_info
from torchdata.stateful_dataloader import StatefulDataLoader

import seedsafe as ss
from seedsafe_torch import AugmentedIterable, loader

RECORDS = [{"n": n, "image": np.full((4, 4), n, np.uint8)} for n in range(60)]
AUGMENT = ss.Compose([ss.HorizontalFlip(), ss.GaussianNoise(std=9)])


class Stateful:
    """A source that divides itself among workers, and has a state of its own."""

    def __init__(self) -> None:
        self.position = 0

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        share = RECORDS if info is None else RECORDS[info.id :: info.num_workers]
        start, self.position = self.position, 0
        for number, record in enumerate(share):
            if number >= start:
                self.position = number + 1
                yield record
        self.position = 0

    def state_dict(self) -> dict[str, int]:
        return {"position": self.position}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.position = state["position"]


class Late(Stateful):
    """A source whose class holds two records back, of which the state of the class above knows nothing."""

    def __iter__(self) -> Iterator[Any]:
        held: list[Any] = []
        for record in super().__iter__():
            held.append(record)
            if len(held) == 3:
                yield held.pop(0)
        yield from held


class Around:
    """A source around another one, whose state it passes on, and which it reads ahead."""

    def __init__(self) -> None:
        self.inside = Stateful()

    def __getattr__(self, name: str) -> Any:
        if name == "inside":
            raise AttributeError(name)
        return getattr(self.inside, name)

    def __iter__(self) -> Iterator[Any]:
        records = iter(self.inside)
        ahead = list(islice(records, 5))
        for record in records:
            yield ahead.pop(0)
            ahead.append(record)
        yield from ahead


class Filtered(AugmentedIterable):
    def __iter__(self) -> Iterator[Any]:
        return (record for record in super().__iter__() if record["n"] % 3)


class FilteredTwice(Filtered):
    def __iter__(self) -> Iterator[Any]:
        return (record for record in super().__iter__() if record["n"] % 2)


class Mixin:
    def __iter__(self) -> Iterator[Any]:
        for record in super().__iter__():  # type: ignore[misc]
            if record["n"] > 20:
                yield record


class Mixed(Mixin, AugmentedIterable):
    pass


class Below(Mixed):
    """It has no __iter__ of its own, but its base has."""


class Changed(AugmentedIterable):
    def __iter__(self) -> Iterator[Any]:
        return (record | {"more": 1} for record in super().__iter__())


class Unnamed(AugmentedIterable):
    """It takes the ids off."""

    def __iter__(self) -> Iterator[Any]:
        return ({"image": record["image"], "number": record["n"]} for record in super().__iter__())


class Held(AugmentedIterable):
    def __iter__(self) -> Iterator[Any]:
        buffer: list[Any] = []
        for record in super().__iter__():
            buffer.append(record)
            if len(buffer) == 8:
                yield buffer.pop(0)
        yield from buffer


class HeldOne(AugmentedIterable):
    """It holds one record back, and yields as many as it takes but for the first."""

    def __iter__(self) -> Iterator[Any]:
        records = super().__iter__()
        last = next(records)
        for record in records:
            yield last
            last = record
        yield last


class Sorted(AugmentedIterable):
    def __iter__(self) -> Iterator[Any]:
        yield from sorted(super().__iter__(), key=lambda record: -record["n"])


class Shuffled(AugmentedIterable):
    def __iter__(self) -> Iterator[Any]:
        rng, buffer = random.Random(7), []
        for record in super().__iter__():
            buffer.append(record)
            if len(buffer) > 8:
                yield buffer.pop(rng.randrange(8))
        yield from buffer


class Doubled(AugmentedIterable):
    def __iter__(self) -> Iterator[Any]:
        for record in super().__iter__():
            yield record
            yield dict(record)


class Repeated(AugmentedIterable):
    def __iter__(self) -> Iterator[Any]:
        for record in super().__iter__():
            yield record
            if record["n"] % 4 == 0:
                yield record


class Pairs(AugmentedIterable):
    def __iter__(self) -> Iterator[Any]:
        records = super().__iter__()
        for record in records:
            yield record | {"n": 100 * record["n"] + next(records, {"n": 0})["n"]}


class ReadAhead(AugmentedIterable):
    """It reads in a thread, up to 5 records ahead."""

    def __iter__(self) -> Iterator[Any]:
        queue: Queue[Any] = Queue(5)
        left = threading.Event()

        def read() -> None:
            for record in (*AugmentedIterable.__iter__(self), None):
                if left.is_set():
                    return
                queue.put(record)

        thread = threading.Thread(target=read)
        thread.start()
        try:
            while (record := queue.get()) is not None:
                yield record
        finally:
            left.set()
            while thread.is_alive():
                queue.empty() or queue.get_nowait()
            thread.join()


KINDS = [
    *(AugmentedIterable, Filtered, FilteredTwice, Mixed, Below, Changed, Unnamed, Held, HeldOne, Sorted),
    *(Shuffled, Doubled, Repeated, Pairs, ReadAhead),
]


def list_source() -> Any:
    return RECORDS


def stream_of(kind: Any, source: Any = list_source, **options: Any) -> Any:
    return kind(source(), AUGMENT, seed=1, id="n", **options)


def loading(kind: Any, workers: int, size: int | None = 4, source: Any = list_source, **options: Any) -> Any:
    return loader(stream_of(kind, source, **options), batch_size=size, num_workers=workers)


def delivered(batches: Any) -> list[Any]:
    return [
        (np.atleast_1d(batch.get("n", batch.get("number"))).tolist(), np.asarray(batch["image"]).tolist())
        for batch in batches
    ]


@pytest.mark.parametrize("source", [list_source, Stateful, Late, Around])
@pytest.mark.parametrize("kind", KINDS)
def test_a_resume_goes_on_after_the_last_record(kind: Any, source: Any) -> None:
    whole = delivered(loading(kind, 0, 4, source))
    for count in range(1, len(whole), 3):
        first = loading(kind, 0, 4, source)
        batches = iter(first)
        before = delivered(islice(batches, count))
        second = loading(kind, 0, 4, source)
        second.load_state_dict(first.state_dict())
        assert before + delivered(second) == whole
        del batches


@pytest.mark.parametrize("source", [list_source, Stateful])
@pytest.mark.parametrize("kind", KINDS)
def test_a_resume_goes_on_with_workers(kind: Any, source: Any) -> None:
    whole = delivered(loading(kind, 2, 3, source))
    first = loading(kind, 2, 3, source)
    batches = iter(first)
    before = delivered(islice(batches, 5))
    second = loading(kind, 2, 3, source)
    second.load_state_dict(first.state_dict())
    assert before + delivered(second) == whole


@pytest.mark.parametrize("kind", [Filtered, Held, Repeated])
def test_a_resume_goes_on_without_batches(kind: Any) -> None:
    whole = delivered(loading(kind, 0, None))
    first = loading(kind, 0, None)
    batches = iter(first)
    before = delivered(islice(batches, 9))
    second = loading(kind, 0, None)
    second.load_state_dict(first.state_dict())
    assert before + delivered(second) == whole


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_by_itself_resumes(kind: Any) -> None:
    first, second, whole = (stream_of(kind) for _ in range(3))
    records = iter(first)
    before = delivered(islice(records, 7))
    second.load_state_dict(first.state_dict())
    assert before + delivered(second) == delivered(whole)
    records.close()


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("kind", [AugmentedIterable, Filtered, Held, Repeated])
def test_a_stateful_loader_resumes(kind: Any, workers: int) -> None:
    whole, first, second = (
        StatefulDataLoader(stream_of(kind, Stateful), batch_size=4, num_workers=workers) for _ in range(3)
    )
    batches = iter(first)
    before = delivered(islice(batches, 5))
    second.load_state_dict(first.state_dict())
    assert before + delivered(second) == delivered(whole)


@pytest.mark.parametrize("kind", [Held, Sorted, Doubled])
def test_the_state_of_an_end_begins_the_next_epoch(kind: Any) -> None:
    first, second = loading(kind, 2), loading(kind, 2)
    list(first)
    assert first.state_dict() == {"epoch": 1}
    second.load_state_dict(first.state_dict())
    assert delivered(second) == delivered(first)


class Random(AugmentedIterable):
    def __iter__(self) -> Iterator[Any]:
        rng, records = random.Random(), list(super().__iter__())
        rng.shuffle(records)
        return iter(records)


class RandomImages(Random):
    """It takes the ids off, too."""

    def __iter__(self) -> Iterator[Any]:
        return ({"image": record["image"], "number": 0} for record in super().__iter__())


class LateRandomImages(AugmentedIterable):
    """Its first 16 records come in order, and have no ids."""

    def __iter__(self) -> Iterator[Any]:
        records = [{"image": record["image"], "number": 0} for record in super().__iter__()]
        rest = records[16:]
        random.Random().shuffle(rest)
        return iter(records[:16] + rest)


@pytest.mark.parametrize("kind", [Random, RandomImages, LateRandomImages])
@pytest.mark.parametrize("workers", [0, 2])
def test_an_order_that_does_not_repeat_is_refused(kind: Any, workers: int) -> None:
    first, second = loading(kind, workers), loading(kind, workers)
    batches = iter(first)
    list(islice(batches, 12))
    second.load_state_dict(first.state_dict())
    with pytest.raises(ValueError, match="are not those that were yielded before the state was stored"):
        list(second)


def test_what_becomes_shorter_is_refused() -> None:
    class Short(Filtered):
        def __iter__(self) -> Iterator[Any]:
            return islice(super().__iter__(), 3)

    first, second = loading(Filtered, 0), loading(Short, 0)
    next(iter(first))
    second.load_state_dict(first.state_dict())
    with pytest.raises(ValueError, match="the first 4 records of epoch 0 are not those"):
        list(second)


@pytest.mark.parametrize("split", [False, True])
def test_another_number_of_workers_is_refused(split: bool) -> None:
    first, second = loading(Held, 2, split=split), loading(Held, 0, split=split)
    next(iter(first))
    second.load_state_dict(first.state_dict())
    with pytest.raises(
        ValueError, match="a state of 2 workers within epoch 0 cannot be resumed by one process"
    ):
        list(second)


@pytest.mark.parametrize(
    ("kind", "source", "state"),
    [
        (Held, list_source, {"epoch": 3, "yielded": [[8]], "orders": [[7]]}),
        (Held, list_source, {"epoch": 3, "yielded": 8}),
        (Held, list_source, {"epoch": 3, "yielded": [[8]], "orders": [[7]], "unknown": "Held"}),
        (Held, Stateful, {"epoch": 3, "yielded": [[8]], "sources": [{"position": 8}]}),
        (AugmentedIterable, list_source, {"epoch": 3, "yielded": 8, "delivered": True}),
    ],
)
def test_a_state_that_counts_others_records_is_refused(kind: Any, source: Any, state: Any) -> None:
    for one in (loading(kind, 0, source=source), stream_of(kind, source)):
        with pytest.raises(
            ValueError, match="this state within epoch 3 cannot be resumed, because it does not"
        ):
            one.load_state_dict(dict(state))
        one.load_state_dict({"epoch": 3})
        one.load_state_dict({"epoch": 3, "yielded": 0})


@pytest.mark.parametrize("source", [Late, Around, list_source])
def test_a_sources_state_that_leaves_out_what_it_holds_is_refused(source: Any) -> None:
    state = {"epoch": 3, "yielded": [[8]], "sources": [{"position": 8}]}
    for one in (loading(AugmentedIterable, 0, source=source), stream_of(AugmentedIterable, source)):
        with pytest.raises(ValueError, match="holds back, and they would be lost"):
            one.load_state_dict(dict(state))


def test_states_of_older_releases_resume() -> None:
    for state in (
        {"epoch": 0, "yielded": [[8]], "sources": [{"position": 8}]},
        {"epoch": 0, "yielded": 8, "source": {"position": 8}},
        {"epoch": 0, "yielded": [[8]]},
    ):
        resumed = loading(AugmentedIterable, 0, source=Stateful)
        resumed.load_state_dict(state)
        assert delivered(resumed) == delivered(loading(AugmentedIterable, 0, source=Stateful))[2:]


class Opaque:
    """A record without an id, whose content cannot be compared."""


class Opaques(AugmentedIterable):
    def __iter__(self) -> Iterator[Any]:
        return (Opaque() for _ in super().__iter__())


class Opened(AugmentedIterable):
    """It reads its source itself."""

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        return (Opaque() for _ in (self.source if info is None else self.source[info.id :: 2]))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [Opaques, Opened])
def test_records_that_nobody_can_compare_are_not_taken_for_the_same(kind: Any) -> None:
    batches = loader(stream_of(kind), batch_size=4, num_workers=2, collate_fn=len)
    assert sum(batches) == len(RECORDS)


@pytest.mark.filterwarnings("error")
def test_equal_records_of_a_divided_source_are_not_taken_for_the_same() -> None:
    equal = AugmentedIterable([np.zeros((4, 4), np.uint8)] * 16, AUGMENT, seed=1, id=None, split=True)
    assert sum(map(len, loader(equal, batch_size=4, num_workers=2))) == 16


class Undivided(Stateful):
    def __iter__(self) -> Iterator[Any]:
        return iter(RECORDS)


def test_a_source_that_is_not_divided_is_refused_under_a_subclass_without_ids() -> None:
    batches = loader(stream_of(Opaques, Undivided), batch_size=4, num_workers=2, collate_fn=len)
    with (
        pytest.warns(UserWarning, match="workers 0 and 1 begin epoch 0 with the same records"),
        pytest.raises(ValueError, match="workers 0 and 1 gave the same records in epoch 0"),
    ):
        list(batches)
