"""Small images of streams that are augmented in batches: the same records as one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import get_worker_info

import seedsafe as ss
from seedsafe.pipeline import batch
from seedsafe.reading.records import augment_records
from seedsafe_torch import AugmentedIterable, loader

LENGTH, BATCH = 110, 40
IMAGES = np.random.default_rng(0).integers(0, 256, (LENGTH, 32, 32, 3), dtype=np.uint8)
AUGMENT = ss.Compose([ss.RandomCrop(32, padding=4), ss.HorizontalFlip(), ss.Normalize(0.5, 0.25), ss.ToCHW()])


class Source:
    """A source that counts what was read, and divides itself among the workers."""

    def __init__(self, make: Callable[[int], Any], length: int = LENGTH) -> None:
        self.make, self.length, self.read = make, length, 0

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        for number in range(first, self.length, step):
            self.read += 1
            yield self.make(number)


FORMS: dict[str, Callable[[int], Any]] = {
    "image": lambda n: IMAGES[n],
    "pair": lambda n: (IMAGES[n], n),
    "more": lambda n: (IMAGES[n], f"{n}", np.arange(3) + n, {"weight": n / 7}),
    "dict": lambda n: {"__key__": f"{n}", "image": IMAGES[n], "label": n},
    "webdataset's": lambda n: {"__key__": f"{n}", "jpg": IMAGES[n], "cls": n},
    "list": lambda n: [IMAGES[n], n],
    "with a mask": lambda n: {"image": IMAGES[n], "mask": IMAGES[n, ..., 0], "__key__": n},
    "tensor": lambda n: (torch.from_numpy(IMAGES[n]).permute(2, 0, 1), n),
    "of two sizes": lambda n: (IMAGES[n] if n != 70 else np.pad(IMAGES[n], ((0, 9), (0, 0), (0, 0))), n),
    "of two dtypes": lambda n: (IMAGES[n] if n != 70 else IMAGES[n] / np.float32(255), n),
}
AT_ONCE = {"image", "pair", "more", "dict", "webdataset's", "of two sizes", "of two dtypes"}


def stream(form: str, make: Callable[[int], Any] | None = None, augment: Any = AUGMENT) -> AugmentedIterable:
    named = {"webdataset's": {"jpg": "image"}}.get(form)
    by: Any = "__key__" if isinstance(FORMS[form](0), dict) else number_of
    return AugmentedIterable(Source(make or FORMS[form]), augment, seed=42, targets=named, id=by)


def number_of(record: Any) -> int:
    """Return a record's number, which its image tells."""
    image = record if isinstance(record, np.ndarray) else record[0]
    if isinstance(image, torch.Tensor):
        image = image.permute(1, 2, 0).numpy()
    image = image[:32] if image.dtype == np.uint8 else np.rint(image * 255).astype(np.uint8)
    return int(np.flatnonzero((image == IMAGES).all(axis=(1, 2, 3)))[0])


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    return lambda: monkeypatch.setattr(batch, "_PAYS", 10**9)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the batches that were augmented at once."""
    sizes: list[int] = []
    run = batch.Many.run

    def counted(self: Any, images: Any, keys: Any, room: Any) -> Any:
        sizes.append(len(images))
        return run(self, images, keys, room)

    monkeypatch.setattr(batch.Many, "run", counted)
    return sizes


def equal(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert list(one) == list(other)
        equal(list(one.values()), list(other.values()))
    elif isinstance(one, list | tuple):
        for a, b in zip(one, other, strict=True):
            equal(a, b)
    elif isinstance(one, torch.Tensor | np.ndarray):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert bytes(memoryview(np.ascontiguousarray(one))) == bytes(memoryview(np.ascontiguousarray(other)))
    else:
        assert one == other


@pytest.mark.parametrize("form", FORMS)
def test_batches(one_by_one: Callable[[], None], runs: list[int], form: str) -> None:
    def read() -> list[Any]:
        return list(loader(stream(form), batch_size=BATCH, collate_fn=list))

    batches = read()
    assert runs == {"of two sizes": [40, 30], "of two dtypes": [40, 30]}.get(form, [40, 40, 30]) * (
        form in AT_ONCE
    )
    one_by_one()
    equal(batches, read())


@pytest.mark.parametrize("workers", [0, 2])
def test_resumed(one_by_one: Callable[[], None], workers: int) -> None:
    def loading() -> Any:
        return loader(stream("dict"), batch_size=30, num_workers=workers)

    one = loading()
    passing = iter(one)
    next(passing)
    next(passing)
    state = one.state_dict()
    rest = list(passing)
    resumed = loading()
    resumed.load_state_dict(state)
    equal(list(resumed), rest)
    one_by_one()
    alone = loading()
    alone.load_state_dict(state)
    equal(list(alone), rest)


def test_a_source_that_reuses_its_memory(runs: list[int]) -> None:
    image, label = IMAGES[0].copy(), np.zeros(1, np.int64)

    def again(number: int) -> Any:
        image[...], label[...] = IMAGES[number], number
        return {"__key__": number, "image": image, "label": label}

    (records,) = loader(stream("dict", again), batch_size=LENGTH, collate_fn=list)
    assert runs == [LENGTH]
    keyed = stream("dict")._map(0)
    for number, record in enumerate(records):
        assert record["label"].tolist() == [number]
        equal(record["image"], keyed({"__key__": number, "image": IMAGES[number]})["image"])


def test_an_error_of_the_source_comes_after_the_records_before_it(runs: list[int]) -> None:
    def failing(number: int) -> Any:
        if number == 30:
            raise OSError("record 30 cannot be read")
        return FORMS["dict"](number)

    keyed = stream("dict")._map(0)
    results = augment_records(keyed, ((keyed.key(one), one) for one in Source(failing)), BATCH)
    assert [record["label"] for _, record in islice(results, 30)] == list(range(30))
    with pytest.raises(OSError, match="record 30"):
        next(results)
    assert runs == [30]


def test_an_error_of_a_record_comes_after_the_records_before_it() -> None:
    augment = ss.Compose([ss.RandomCrop(32), ss.HorizontalFlip()])
    make: Callable[[int], Any] = lambda n: {"__key__": n, "image": IMAGES[n][: 32 if n != 50 else 16]}
    keyed = stream("dict", make, augment)._map(0)
    results = augment_records(keyed, ((keyed.key(one), one) for one in Source(make)), BATCH)
    assert len(list(islice(results, 50))) == 50
    with pytest.raises(ValueError, match="cannot crop"):
        next(results)


def test_what_every_record_refuses_is_refused_for_the_first(one_by_one: Callable[[], None]) -> None:
    for _ in range(2):
        keyed = stream("dict", augment=ss.Compose([ss.RandomCrop(40), ss.HorizontalFlip()]))._map(0)
        with pytest.raises(ValueError, match="cannot crop"):
            next(augment_records(keyed, ((keyed.key(one), one) for one in Source(FORMS["dict"])), BATCH))
        one_by_one()


def test_nothing_is_read_ahead_without_batches() -> None:
    plain = stream("dict")
    next(iter(plain))
    assert plain.source.read == 1
    few = loader(stream("dict"), batch_size=8)
    next(iter(few))
    assert few.dataset.source.read == 8


def test_entries_that_look_like_targets_are_refused_in_each_record(one_by_one: Callable[[], None]) -> None:
    def make(number: int) -> Any:
        more = {"label": number} if number < 60 else {"segmentation": IMAGES[number, ..., 0]}
        return {"__key__": number, "image": IMAGES[number], **more}

    for _ in range(2):
        keyed = stream("dict", augment=ss.Compose(AUGMENT.transforms))._map(0)
        results = augment_records(keyed, ((keyed.key(one), one) for one in Source(make)), BATCH)
        assert [record["label"] for _, record in islice(results, 60)] == list(range(60))
        with pytest.raises(
            ValueError, match=r"\['segmentation'\], an array of shape \(32, 32\), must be named"
        ):
            next(results)
        one_by_one()


@pytest.mark.parametrize("first", [0, 30])
def test_an_entry_that_changes_under_one_name_is_looked_at_in_each_record(
    one_by_one: Callable[[], None], first: int
) -> None:
    def make(number: int) -> Any:
        other = number if number <= first else IMAGES[number, ..., 0]
        return {"__key__": number, "image": IMAGES[number], "other": other}

    for _ in range(2):
        keyed = stream("dict", augment=ss.Compose(AUGMENT.transforms))._map(0)
        results = augment_records(keyed, ((keyed.key(one), one) for one in Source(make)), BATCH)
        assert [record["other"] for _, record in islice(results, first + 1)] == list(range(first + 1))
        with pytest.raises(ValueError, match=r"\['other'\], an array of shape \(32, 32\), must be named"):
            next(results)
        one_by_one()


class Fixed(dict[str, Any]):
    def __setitem__(self, name: str, value: Any) -> None:
        raise TypeError("it is fixed")


class Everything:
    """An object that has every attribute."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return 3


PARAMETER = torch.nn.Parameter(torch.ones(2))
FROZEN = torch.nn.Parameter(torch.ones(2), requires_grad=False)
KEPT = {
    "a dict that cannot change": Fixed(a=[1]),
    "any object": Everything(),
    "leaf": PARAMETER,
    "parameter": FROZEN,
}


@pytest.mark.parametrize("part", KEPT)
def test_parts_that_cannot_be_copied_are_kept(part: str) -> None:
    make: Callable[[int], Any] = lambda n: {"__key__": n, "image": IMAGES[n], "part": KEPT[part]}
    batches = list(loader(stream("dict", make), batch_size=BATCH, collate_fn=list))
    assert [record["part"] is KEPT[part] for one in batches for record in one] == [True] * LENGTH


def test_nothing_is_read_ahead_for_an_iterator_of_a_subclass() -> None:
    class Some(AugmentedIterable):
        def __iter__(self) -> Iterator[Any]:
            return (record for record in super().__iter__() if record["label"] % 3 == 0)

    some = Some(Source(FORMS["dict"]), AUGMENT, seed=42)
    (first, *_) = loader(some, batch_size=30, collate_fn=list)
    assert [record["label"] for record in first] == list(range(0, 90, 3))
    some.set_epoch(1)
    some.source.read = 0
    next(iter(loader(some, batch_size=30)))
    assert some.source.read == 88


def test_a_batch_that_no_memory_could_hold(runs: list[int]) -> None:
    make: Callable[[int], Any] = lambda n: {"__key__": n, "image": IMAGES[n % LENGTH]}
    long = AugmentedIterable(Source(make, 300), AUGMENT, seed=42)
    (records,) = loader(long, batch_size=4_000_000, collate_fn=list)
    assert len(records) == 300
    assert runs == [256, 44]


def test_images_that_do_not_stay_equal_are_tried_once(
    one_by_one: Callable[[], None], runs: list[int]
) -> None:
    def read() -> list[Any]:
        uneven = stream("dict", augment=ss.Compose([ss.HorizontalFlip(), ss.RandomScale((0.5, 2.0), p=1)]))
        return list(loader(uneven, batch_size=BATCH, collate_fn=list))

    batches = read()
    assert runs == [BATCH]
    one_by_one()
    equal(batches, read())


def test_two_records_of_one_id_are_told_where_the_stream_is_read() -> None:
    records = [{"__key__": "a", "image": IMAGES[0]}] * 2
    with pytest.warns(UserWarning, match="have the same id") as warned:
        for _ in AugmentedIterable(records, AUGMENT, seed=42):
            pass
    assert [(one.filename, one.lineno) for one in warned] == [
        (__file__, line_of("for _ in AugmentedIterable"))
    ]


def line_of(text: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return 1 + next(number for number, line in enumerate(lines) if line.strip().startswith(text))


@pytest.mark.parametrize("name", ["segmentation", "mask2", "masks", "boxes"])
def test_an_entry_that_seems_to_belong_to_the_image_is_told(name: str) -> None:
    records = stream("dict", lambda n: {"__key__": f"{n}", "image": IMAGES[n], name: IMAGES[n, ..., 0]})
    with pytest.raises((TypeError, ValueError), match=name):
        list(loader(records, batch_size=BATCH, collate_fn=list))
