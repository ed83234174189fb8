"""Streams whose subclass leaves records out, holds them back, repeats or reorders them resume exactly, or are refused."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from queue import Queue
from typing import Any

import numpy as np
import pytest
from streams import Shares, Stateful
from torchdata.stateful_dataloader import StatefulDataLoader

import seedsafe as ss
from seedsafe_torch import AugmentedIterable, loader

RECORDS = [{"n": n, "image": np.full((4, 4), n, np.uint8)} for n in range(60)]
AUGMENT = ss.Compose([ss.HorizontalFlip(), ss.GaussianNoise(std=9)])


class Divided(Stateful):
    """A source that divides itself among workers, and has a state of its own."""

    def __init__(self) -> None:
        super().__init__(Shares(RECORDS))


class Late(Divided):
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
        self.inside = Divided()

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


def passing(name: str, through: Callable[[Any], Any], base: Any = AugmentedIterable) -> Any:
    """Return a subclass whose iterator is one made of its base's records."""
    own = {"__iter__": lambda self: iter(through(base.__iter__(self))), "__module__": __name__}
    return type(name, (base,), own)


Filtered = passing("Filtered", lambda records: (one for one in records if one["n"] % 3))
FilteredTwice = passing("FilteredTwice", lambda records: (one for one in records if one["n"] % 2), Filtered)
Changed = passing("Changed", lambda records: (one | {"more": 1} for one in records))
Unnamed = passing(  # it takes the ids off
    "Unnamed", lambda records: ({"image": one["image"], "number": one["n"]} for one in records)
)
Doubled = passing("Doubled", lambda records: (copy for one in records for copy in (one, dict(one))))
Repeated = passing(
    "Repeated", lambda records: (one for one in records for _ in range(2 - bool(one["n"] % 4)))
)


class Mixin:
    def __iter__(self) -> Iterator[Any]:
        for record in super().__iter__():  # type: ignore[misc]
            if record["n"] > 20:
                yield record


class Mixed(Mixin, AugmentedIterable):
    pass


class Below(Mixed):
    """It has no __iter__ of its own, but its base has."""


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


def goes_on(make: Callable[[], Any], count: int) -> list[Any]:
    """Return what a run gives that is stopped after some batches or records, and resumed."""
    first, second = make(), make()
    batches = iter(first)
    before = delivered(islice(batches, count))
    second.load_state_dict(first.state_dict())
    return before + delivered(second)


@pytest.mark.parametrize("source", [list_source, Divided, Late, Around])
@pytest.mark.parametrize("kind", KINDS)
def test_a_resume_goes_on_after_the_last_record(kind: Any, source: Any) -> None:
    make = partial(loading, kind, 0, 4, source)
    whole = delivered(make())
    for count in range(1, len(whole), 3):
        assert goes_on(make, count) == whole


@pytest.mark.parametrize("source", [list_source, Divided])
@pytest.mark.parametrize("kind", KINDS)
def test_a_resume_goes_on_with_workers(kind: Any, source: Any) -> None:
    make = partial(loading, kind, 2, 3, source)
    assert goes_on(make, 5) == delivered(make())


@pytest.mark.parametrize("kind", [Filtered, Held, Repeated])
def test_a_resume_goes_on_without_batches(kind: Any) -> None:
    assert goes_on(partial(loading, kind, 0, None), 9) == delivered(loading(kind, 0, None))


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_by_itself_resumes(kind: Any) -> None:
    assert goes_on(partial(stream_of, kind), 7) == delivered(stream_of(kind))


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("kind", [AugmentedIterable, Filtered, Held, Repeated])
def test_a_stateful_loader_resumes(kind: Any, workers: int) -> None:
    def make() -> Any:
        return StatefulDataLoader(stream_of(kind, Divided), batch_size=4, num_workers=workers)

    assert goes_on(make, 5) == delivered(make())


@pytest.mark.parametrize("kind", [Held, Sorted, Doubled])
def test_the_state_of_an_end_begins_the_next_epoch(kind: Any) -> None:
    first, second = loading(kind, 2), loading(kind, 2)
    list(first)
    assert first.state_dict() == {"epoch": 1}
    second.load_state_dict(first.state_dict())
    assert delivered(second) == delivered(first)


def shuffled(records: Any) -> list[Any]:
    return random.Random().sample(made := list(records), len(made))


def unnamed(records: Any) -> list[Any]:
    return [{"image": record["image"], "number": 0} for record in records]


@pytest.mark.parametrize(
    "kind",
    [
        passing("Random", shuffled),
        passing("RandomImages", lambda records: unnamed(shuffled(records))),
        # Its first 16 records come in order, and have no ids.
        passing("Late", lambda records: [*(made := unnamed(records))[:16], *shuffled(made[16:])]),
    ],
)
@pytest.mark.parametrize("workers", [0, 2])
def test_an_order_that_does_not_repeat_is_refused(kind: Any, workers: int) -> None:
    first, second = loading(kind, workers), loading(kind, workers)
    batches = iter(first)
    list(islice(batches, 12))
    second.load_state_dict(first.state_dict())
    with pytest.raises(ValueError, match="are not those that were yielded before the state was stored"):
        list(second)


def test_what_becomes_shorter_is_refused() -> None:
    short = passing("Short", lambda records: islice(records, 3), Filtered)
    first, second = loading(Filtered, 0), loading(short, 0)
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
        (Held, Divided, {"epoch": 3, "yielded": [[8]], "sources": [{"position": 8}]}),
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
        resumed = loading(AugmentedIterable, 0, source=Divided)
        resumed.load_state_dict(state)
        assert delivered(resumed) == delivered(loading(AugmentedIterable, 0, source=Divided))[2:]


class Opaque:
    """A record without an id, whose content cannot be compared."""


Opaques = passing("Opaques", lambda records: (Opaque() for _ in records))


class Opened(AugmentedIterable):
    """It reads its source itself."""

    def __iter__(self) -> Iterator[Any]:
        return (Opaque() for _ in Shares(self.source))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [Opaques, Opened])
def test_records_that_nobody_can_compare_are_not_taken_for_the_same(kind: Any) -> None:
    batches = loader(stream_of(kind), batch_size=4, num_workers=2, collate_fn=len)
    assert sum(batches) == len(RECORDS)


@pytest.mark.filterwarnings("error")
def test_equal_records_of_a_divided_source_are_not_taken_for_the_same() -> None:
    equal = AugmentedIterable([np.zeros((4, 4), np.uint8)] * 16, AUGMENT, seed=1, id=None, split=True)
    assert sum(map(len, loader(equal, batch_size=4, num_workers=2))) == 16


class Undivided(Divided):
    def __iter__(self) -> Iterator[Any]:
        return iter(RECORDS)


def test_a_source_that_is_not_divided_is_refused_under_a_subclass_without_ids() -> None:
    batches = loader(stream_of(Opaques, Undivided), batch_size=4, num_workers=2, collate_fn=len)
    with (
        pytest.warns(UserWarning, match="workers 0 and 1 begin epoch 0 with the same records"),
        pytest.raises(ValueError, match="workers 0 and 1 gave the same records in epoch 0"),
    ):
        list(batches)
