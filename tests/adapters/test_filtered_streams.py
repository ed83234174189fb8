"""Streams whose subclass leaves records out resume where they were stored; others refuse."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest

import seedsafe as ss
from seedsafe_torch import AugmentedIterable, loader

RECORDS = [{"n": n, "image": np.full((4, 4), n, np.uint8)} for n in range(60)]


class Filtered(AugmentedIterable):
    def __iter__(self) -> Iterator[Any]:
        return (record for record in super().__iter__() if record["n"] % 3)


class Twice(Filtered):
    def __iter__(self) -> Iterator[Any]:
        return (record for record in super().__iter__() if record["n"] % 2)


class Mixin:
    def __iter__(self) -> Iterator[Any]:
        for record in super().__iter__():  # type: ignore[misc]
            if record["n"] > 20:
                yield record


class Mixed(Mixin, AugmentedIterable):
    pass


class Changed(AugmentedIterable):
    def __iter__(self) -> Iterator[Any]:
        return (record | {"more": 1} for record in super().__iter__())


class Shuffled(AugmentedIterable):
    def __iter__(self) -> Iterator[Any]:
        buffer: list[Any] = []
        for record in super().__iter__():
            buffer.append(record)
            if len(buffer) == 8:
                yield buffer.pop(0)
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


def loading(kind: Any, workers: int, size: int | None = 4, **options: Any) -> Any:
    stream = kind(RECORDS, ss.HorizontalFlip(), seed=1, id="n", **options)
    return loader(stream, batch_size=size, num_workers=workers)


def numbers(batches: Any) -> list[list[int]]:
    return [np.atleast_1d(batch["n"]).tolist() for batch in batches]


@pytest.mark.parametrize("kind", [Filtered, Twice, Mixed, Changed, AugmentedIterable])
@pytest.mark.parametrize(("workers", "size"), [(0, 4), (0, None), (2, 3)])
def test_a_resume_goes_on_after_the_last_record(kind: Any, workers: int, size: int | None) -> None:
    whole = numbers(loading(kind, workers, size))
    for count in range(1, len(whole) + 1, 2 if workers else 1):
        first = loading(kind, workers, size)
        batches = iter(first)
        before = numbers(islice(batches, count))
        second = loading(kind, workers, size)
        second.load_state_dict(first.state_dict())
        assert before + numbers(second)[: len(whole) - count] == whole
        del batches


def test_a_stream_by_itself_resumes() -> None:
    first, second = (Filtered(RECORDS, ss.HorizontalFlip(), seed=1, id="n") for _ in range(2))
    before = [record["n"] for record in islice(iter(first), 7)]
    second.load_state_dict(first.state_dict())
    after = [record["n"] for record in second]
    assert before + after == [n for n in range(60) if n % 3]


@pytest.mark.parametrize("kind", [Shuffled, Doubled, Repeated])
@pytest.mark.parametrize("workers", [0, 2])
def test_what_keeps_records_back_is_refused(kind: Any, workers: int) -> None:
    first = loading(kind, workers)
    batches = iter(first)
    next(batches)
    next(batches)
    with pytest.warns(UserWarning, match=f"a state of {kind.__name__} within an epoch"):
        state = first.state_dict()
    with pytest.raises(ValueError, match="let it only leave records out"):
        loading(kind, workers).load_state_dict(state)
    list(batches)
    loading(kind, workers).load_state_dict(first.state_dict())  # at the epoch's end
    one = kind(RECORDS, ss.HorizontalFlip(), seed=1, id="n")
    next(iter(one))
    if kind is Shuffled:
        with pytest.raises(ValueError, match="keeps records back"):
            kind(RECORDS, ss.HorizontalFlip(), seed=1, id="n").load_state_dict(one.state_dict())
