"""Batches of small images that Keras, tf.data and ready batches get at once: the same bytes as one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import seedsafe as ss
from seedsafe import ring
from seedsafe.pipeline import batch
from seedsafe.reading import Forwarding, KeyedReader, SampleError, augment_batch, current, read_batch
from seedsafe.reading.batches import AtOnce

LENGTH = 90
IMAGES = np.random.default_rng(0).integers(0, 256, (LENGTH, 32, 32, 3), dtype=np.uint8)
AUGMENT = ss.Compose([ss.RandomCrop(32, padding=4), ss.HorizontalFlip(), ss.Normalize(0.5, 0.25)])
ATS = [ss.SampleIndex(index, 3, index % 2, index % 5) for index in range(0, LENGTH, 2)]


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    return lambda: monkeypatch.setattr(batch, "_PAYS", 10**9)


def equal(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    if isinstance(one, tuple):
        for a, b in zip(one, other, strict=True):
            equal(a, b)
    else:
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert one.tobytes() == other.tobytes()
        assert one.flags.carray
        assert one.flags.writeable


BASES: dict[str, Any] = {
    "images": list(IMAGES),
    "pairs": [(image, index) for index, image in enumerate(IMAGES)],
    "more": [(image, f"{index}", index / 3, np.arange(2) + index) for index, image in enumerate(IMAGES)],
    "an array": IMAGES,
}


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("form", BASES)
def test_samples(one_by_one: Callable[[], Any], form: str, in_place: bool) -> None:
    def read() -> Any:
        return read_batch(
            KeyedReader(BASES[form], AUGMENT, seed=42), ATS, rows=ring.Rows(len(ATS)) if in_place else None
        )

    assert isinstance(KeyedReader(BASES[form], AUGMENT, seed=42).at_once(ATS, np.empty), AtOnce)
    made = read()
    one_by_one()
    assert KeyedReader(BASES[form], AUGMENT, seed=42).at_once(ATS, np.empty) is None
    equal(made, read())


def test_samples_that_fail_are_read_once(one_by_one: Callable[[], Any]) -> None:
    class Base:
        def __init__(self) -> None:
            self.read: list[int] = []

        def __len__(self) -> int:
            return LENGTH

        def __getitem__(self, index: int) -> Any:
            self.read.append(index)
            return (IMAGES[index] if index != 40 else IMAGES[index][:1, :1], index)

    def outcome() -> Any:
        base = Base()
        with pytest.raises(SampleError) as error:
            read_batch(KeyedReader(base, ss.Compose([ss.RandomCrop(8)]), seed=42), ATS)
        return str(error.value), error.value.transform, sorted(set(base.read)) == sorted(base.read)

    first = outcome()
    one_by_one()
    assert first == outcome()
    assert first[1:] == ("RandomCrop", True)


def test_not_inside_a_read_of_another_dataset() -> None:
    class Outer:
        def __len__(self) -> int:
            return 1

        def __getitem__(self, index: int) -> Any:
            return inner.at_once(ATS, np.empty) is None

    inner = KeyedReader(list(IMAGES), AUGMENT, seed=42)
    assert KeyedReader(Outer(), None, seed=1).sample(ss.SampleIndex(0, 0)) is True


@pytest.mark.parametrize("count", [1, 15, 16, 64])
def test_ready_batches(one_by_one: Callable[[], Any], count: int) -> None:
    first = ss.SampleKey(7, 2, 2**40, occurrence=1, view=3)

    def made(rows: Any) -> Any:
        return [
            augment_batch(AUGMENT, one, first, limit=count, rows=rows)
            for one in (IMAGES[:count], (IMAGES[:count], np.arange(count)), IMAGES[:count].astype(np.float32))
        ]

    whole = made(None)
    wanted = [
        AUGMENT(image, key=ss.SampleKey(7, 2, 2**40 + row, occurrence=1, view=3))
        for row, image in enumerate(IMAGES[:count])
    ]
    assert whole[0].tobytes() == np.stack(wanted).tobytes()
    placed = [augment_batch(AUGMENT, IMAGES[:count], first, limit=count, rows=ring.Rows(count))]
    one_by_one()
    for one, other in zip([*whole, *placed], [*made(None), whole[0]], strict=True):
        equal(one, other)


def test_a_ready_batch_with_an_image_that_fails() -> None:
    with pytest.raises(ValueError, match="cannot crop 64×64"):
        augment_batch(ss.Compose([ss.RandomCrop(64)]), IMAGES, ss.SampleKey(1, 0, 0), limit=LENGTH)
    with pytest.raises(ValueError, match="index"):
        augment_batch(AUGMENT, IMAGES, ss.SampleKey(1, 0, 2**64 - 3), limit=LENGTH)


class Together:
    """A base that reads batches, and counts what it reads."""

    reads_batches: Any = True

    def __init__(self, fails: str = "") -> None:
        self.fails, self.alone, self.batches = fails, 0, 0

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> Any:
        self.alone += 1
        if self.fails and index == 4:
            raise OSError("sample 4 cannot be read")
        return IMAGES[index], index

    def __getitems__(self, indices: list[int]) -> list[Any]:
        self.batches += 1
        if self.fails == "draws":
            ss.generator()
        elif self.fails == "short":
            return []
        elif self.fails:
            raise OSError
        return list(zip(IMAGES[indices], indices, strict=True))


@pytest.mark.parametrize("says", [False, 1, None])
def test_a_base_that_does_not_say_so_is_read_by_sample(says: Any) -> None:
    class Other(Together):
        reads_batches = says

    base = Other()
    read_batch(KeyedReader(base, AUGMENT, seed=42), ATS)
    assert (base.alone, base.batches) == (len(ATS), 0)


class Brighter(Together):
    """Changes single samples, and nothing about batches."""

    def __getitem__(self, index: int) -> Any:
        image, label = super().__getitem__(index)
        return image | 1, label


class Both(Brighter):
    def __getitems__(self, indices: list[int]) -> list[Any]:
        return [(image | 1, label) for image, label in super().__getitems__(indices)]


class Around:
    """Has the attributes of another dataset, and its own samples."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __len__(self) -> int:
        return LENGTH

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def __getitem__(self, index: int) -> Any:
        image, label = self.inner[index]
        return image | 1, label


@pytest.mark.parametrize(
    ("make", "batches"), [(Brighter, 0), (Both, 1), (lambda: Around(Together()), 0), (Together, 1)]
)
def test_a_promise_holds_for_the_class_that_gave_it(make: Callable[[], Any], batches: int) -> None:
    base = make()
    result = read_batch(KeyedReader(base, AUGMENT, seed=42), ATS)
    single = [KeyedReader(make(), AUGMENT, seed=42).sample(at)[0] for at in ATS]
    assert result[0].tobytes() == np.stack(single).tobytes()
    assert base.batches == batches


def test_a_base_is_asked_for_each_batch() -> None:
    base = Together()
    reader = KeyedReader(base, AUGMENT, seed=42)
    for says in (True, False, True):
        base.reads_batches, base.alone, base.batches = says, 0, 0
        read_batch(reader, ATS)
        assert (base.alone, base.batches) == ((0, 1) if says else (len(ATS), 0))


@pytest.mark.parametrize("fails", ["raises", "draws", "short"])
def test_a_batch_that_fails_is_read_by_sample(fails: str) -> None:
    base = Together(fails)
    with pytest.raises(SampleError, match="sample 4 cannot be read"):
        read_batch(KeyedReader(base, AUGMENT, seed=42), ATS)
    assert (base.alone, base.batches) == (3, 1)


@pytest.mark.parametrize(
    "base", [IMAGES.astype(np.int64), np.zeros((LENGTH, 200, 200, 3), np.uint8), IMAGES[..., None]]
)
def test_an_array_that_is_read_by_sample(base: Any) -> None:
    reader = KeyedReader(base, AUGMENT if base.ndim == 4 else ss.Compose([ss.HorizontalFlip()]), seed=42)
    alone = reader.at_once(ATS, np.empty)
    assert callable(alone)
    if base.ndim == 4:
        equal(np.ascontiguousarray(alone(1)), np.ascontiguousarray(reader.sample(ATS[1])))
    assert reader.at_once(ATS, np.empty) is None


def test_an_array_of_objects_is_read_at_once_by_sample() -> None:
    base = np.empty(LENGTH, object)
    base[:] = BASES["pairs"]
    assert base.ndim == 1
    assert isinstance(KeyedReader(base, AUGMENT, seed=42).at_once(ATS, np.empty), AtOnce)
    equal(
        read_batch(KeyedReader(base, AUGMENT, seed=42), ATS),
        read_batch(KeyedReader(BASES["pairs"], AUGMENT, seed=42), ATS),
    )


def test_large_images_of_an_array_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    base = np.broadcast_to(np.uint8(), (2**21, 1024, 1024, 3))  # a copy of a batch would take terabytes
    ats = [ss.SampleIndex(0, 0)] * 2**20
    assert callable(KeyedReader(base, AUGMENT, seed=42).at_once(ats, np.empty))


class Mapped(Together):
    def __getitems__(self, indices: list[int]) -> Any:
        return dict(zip(indices, super().__getitems__(indices), strict=True))


class Lazily(Together):
    def __getitems__(self, indices: list[int]) -> Any:
        class Samples(Sequence[Any]):
            def __len__(self) -> int:
                return len(indices)

            def __getitem__(self, number: Any) -> Any:
                raise OSError("the file is closed")

        return Samples()


class Nested(Together):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner(KeyedReader(list(IMAGES), AUGMENT, seed=7))

    def __getitem__(self, index: int) -> Any:
        return self.inner[index], index

    def __getitems__(self, indices: list[int]) -> Any:
        return [self[index] for index in indices]


class Inner(Forwarding):
    def __init__(self, reader: KeyedReader) -> None:
        self.reader = reader

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> Any:
        at = current() or ss.SampleIndex(index, 0)
        return self.reader.sample(ss.SampleIndex(index, at.epoch, at.occurrence, at.view))


@pytest.mark.parametrize("kind", [Mapped, Lazily, Nested])
def test_a_batch_that_is_no_list_or_needs_the_index_of_each_sample(
    one_by_one: Callable[[], Any], kind: type[Together]
) -> None:
    def read() -> Any:
        return read_batch(KeyedReader(kind(), ss.Compose([ss.HorizontalFlip()]), seed=42), ATS)

    batch = read()
    one_by_one()
    equal(batch, read())


class Fixed(dict[str, Any]):
    def __setitem__(self, name: str, value: Any) -> None:
        raise TypeError("it is fixed")


@pytest.mark.parametrize("augment", [AUGMENT, ss.Compose([ss.MixUp(p=1, label=None)])])
def test_a_part_that_cannot_change_is_kept(augment: ss.Compose) -> None:
    fixed = Fixed(values=np.ones(2))
    base = [(image, fixed, index) for index, image in enumerate(IMAGES)]
    reader = KeyedReader(base, augment, seed=42, targets="image")
    at_once = reader.at_once(ATS, np.empty)
    if isinstance(at_once, AtOnce):
        assert at_once.others == [(fixed, int(at)) for at in ATS]
    assert reader.sample(ATS[0])[1] is fixed
