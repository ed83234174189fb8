"""Batches of small images that are made at once: what a loader hands out is the same, whatever happens to a sample."""

from __future__ import annotations

import pickle
import warnings
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import ConcatDataset, Subset, random_split

import seedsafe as ss
from seedsafe.pipeline import batch
from seedsafe.reading import SampleError, Skipped
from seedsafe_torch import AugmentedDataset, Envelope, collate, loader, peek
from seedsafe_torch.in_place import Ready, RowByRow

LENGTH, BATCH = 110, 40
IMAGES = np.random.default_rng(0).integers(0, 256, (LENGTH, 32, 32, 3), dtype=np.uint8)
CIFAR = ss.Compose(
    [
        ss.RandomCrop(32, padding=4),
        ss.HorizontalFlip(),
        ss.Normalize((0.49, 0.48, 0.45), (0.2, 0.2, 0.2)),
        ss.ToCHW(),
    ]
)
Pair = namedtuple("Pair", "image label")


class Photos:
    """A base that counts its reads, and whose samples a function makes."""

    def __init__(self, make: Callable[[int], Any] = lambda index: (IMAGES[index], index)) -> None:
        self.make, self.read = make, [0] * LENGTH

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> Any:
        self.read[index] += 1
        return self.make(index)


def with_extras(index: int) -> Any:
    return IMAGES[index], f"name {index}", {"weight": index / 7}, np.arange(3) + index, index


FORMS: dict[str, Callable[[int], Any]] = {
    "image": lambda index: IMAGES[index],
    "pair": lambda index: (IMAGES[index], index),
    "floats": lambda index: (IMAGES[index], index / 3),
    "tensor label": lambda index: (IMAGES[index], torch.tensor([index])),
    "extras": with_extras,
    "list": lambda index: [IMAGES[index], index],
    "named": lambda index: Pair(IMAGES[index], index),
    "dict": lambda index: {"image": IMAGES[index], "label": index},
    "float32": lambda index: (IMAGES[index] / np.float32(255), index),
    "wide": lambda index: (IMAGES[index].astype(np.int64), index),
    "tensor": lambda index: (torch.from_numpy(IMAGES[index]).permute(2, 0, 1), index),
    "view": lambda index: (IMAGES[index][::-1, ::-1], index),
    "memory map": lambda index: (IMAGES[index].view(np.memmap), index),
    "labels of two types": lambda index: (IMAGES[index], index if index % 2 else float(index)),
}
AT_ONCE = {"image", "pair", "floats", "tensor label", "extras", "float32", "view"}


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Any]]:
    yield lambda: monkeypatch.setattr(batch, "_PAYS", 10**9)
    monkeypatch.undo()


def made_at_once(loading: Any, passes: int = 1) -> list[bool]:
    """Return which batches of a pass were made at once."""
    return [type(loading._outer.__getitems__(indices)) is Ready for indices in loading.batch_sampler]


def same(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    if isinstance(one, torch.Tensor):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert torch.equal(one, other)
        assert one.is_contiguous()
        assert one.stride() == other.stride()
    elif isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            same(one[key], other[key])
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            same(a, b)
    else:
        assert one == other


def both(one_by_one: Callable[[], Any], make: Callable[[], Any], read: Callable[[Any], Any] = list) -> Any:
    """Return what is read of a loader, which must be the same where nothing is made at once."""
    made = read(make())
    one_by_one()
    same(made, read(make()))
    return made


@pytest.mark.parametrize("form", FORMS)
def test_every_form(one_by_one: Callable[[], Any], form: str) -> None:
    def make() -> Any:
        return loader(AugmentedDataset(Photos(FORMS[form]), CIFAR, seed=42), batch_size=BATCH, shuffle=True)

    assert made_at_once(make()) == [form in AT_ONCE] * 3
    assert len(both(one_by_one, make)) == 3


@pytest.mark.parametrize(
    "options",
    [
        {"epoch": 7},
        {"ids": range(1000, 1000 + LENGTH)},
        {"index_offset": 2**40},
        {"targets": "image"},
        {"on_error": "skip"},
        {"on_error": "replace"},
    ],
    ids=str,
)
def test_options_of_the_dataset(one_by_one: Callable[[], Any], options: Any) -> None:
    def make() -> Any:
        return loader(AugmentedDataset(Photos(), CIFAR, seed=42, **options), batch_size=BATCH)

    assert made_at_once(make()) == [True] * 3
    both(one_by_one, make, lambda loading: [*loading, *loading])


@pytest.mark.parametrize("options", [{"views": 2}, {"check_finite": True}, {"bridge": True}], ids=str)
def test_what_is_made_one_by_one(options: Any) -> None:
    assert (
        made_at_once(loader(AugmentedDataset(Photos(), CIFAR, seed=42, **options), batch_size=BATCH))
        == [False] * 3
    )


@pytest.mark.parametrize("workers", [0, 2])
def test_workers_order_and_resume(one_by_one: Callable[[], Any], workers: int) -> None:
    def read(loading: Any) -> Any:
        batches = iter(loading)
        first, state = [next(batches)], loading.state_dict()
        resumed = make()
        resumed.load_state_dict(state)
        return [*first, *resumed, peek(resumed), *batches]

    def make() -> Any:
        dataset = AugmentedDataset(Photos(), CIFAR, seed=42)
        return loader(dataset, batch_size=BATCH, shuffle=True, num_workers=workers)

    both(one_by_one, make, read)


WRAPPED: dict[str, tuple[Callable[[Any], Any], bool]] = {
    "subset": (lambda dataset: Subset(dataset, list(range(100))[::-1]), True),
    "split": (lambda dataset: random_split(dataset, [80, 30], torch.Generator().manual_seed(0))[0], True),
    "subset of a subset": (lambda dataset: Subset(Subset(dataset, range(5, 100)), range(80)), True),
    "of tensors": (lambda dataset: Subset(dataset, torch.arange(90)), True),  # type: ignore[arg-type]
    "joined": (lambda dataset: ConcatDataset([dataset]), False),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_wrappers(one_by_one: Callable[[], Any], name: str) -> None:
    wrap, at_once = WRAPPED[name]

    def make() -> Any:
        return loader(wrap(AugmentedDataset(Photos(), CIFAR, seed=42)), batch_size=BATCH, shuffle=True)

    assert made_at_once(make())[0] is at_once
    both(one_by_one, make, lambda loading: [*loading, *loading])


def told(make: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        list(make())
    return [str(one.message) for one in found]


def test_one_sample_for_two_indices_is_told(one_by_one: Callable[[], Any]) -> None:
    def make() -> Any:
        chosen = Subset(AugmentedDataset(Photos(), CIFAR, seed=42), [*range(60), *range(20)])
        rows = RowByRow(Envelope(chosen))
        batches = [[ss.SampleIndex(index, 3) for index in part] for part in (range(40), range(40, 80))]
        return (rows.__getitems__(indices) for indices in batches)

    with pytest.warns(UserWarning, match="Subset maps samples 0 and 60 .* index 0 "):
        assert [type(one) for one in make()] == [Ready, Ready]
    first = told(make)
    one_by_one()
    assert first == told(make)
    assert len(first) == 1
    assert "Subset maps samples 0 and 60 " in first[0]


def test_indices_that_come_twice(one_by_one: Callable[[], Any]) -> None:
    def make() -> Any:
        twice = [index // 2 for index in range(2 * BATCH)]
        return loader(AugmentedDataset(Photos(), CIFAR, seed=42), batch_size=BATCH, sampler=twice)

    assert made_at_once(make()) == [True] * 2
    images = both(one_by_one, make)[0][0]
    assert not torch.equal(images[0], images[1])


class Asking(Photos):
    """A base that draws at the key of the sample that is read."""

    def __getitem__(self, index: int) -> Any:
        image = super().__getitem__(index)[0]
        image = ss.HorizontalFlip()(image) if index % 3 else image
        key = ss.current_key()
        assert key is not None
        assert key.index == index
        return image, ss.generator().random() + ss.generator().random()


def test_a_base_that_asks_for_its_key(one_by_one: Callable[[], Any]) -> None:
    def make() -> Any:
        return loader(AugmentedDataset(Asking(), CIFAR, seed=42), batch_size=BATCH, shuffle=True)

    assert made_at_once(make()) == [True] * 3
    both(one_by_one, make)


def failing(what: str) -> Callable[[int], Any]:
    def make(index: int) -> Any:
        if index % 37 == 5:
            if what == "read":
                raise OSError(f"no {index}")
            if what == "none":
                return None
            if what == "small":
                return IMAGES[index][:3], index
            if what == "dtype":
                return IMAGES[index].astype(np.complex64), index
            if what == "alone":
                return IMAGES[index]
        return IMAGES[index], index

    return make


@pytest.mark.parametrize("on_error", ["raise", "skip", "replace"])
@pytest.mark.parametrize("what", ["read", "none", "small", "dtype"])
def test_samples_that_fail(one_by_one: Callable[[], Any], what: str, on_error: Any) -> None:
    def outcome() -> Any:
        base = Photos(failing(what))
        dataset = AugmentedDataset(base, CIFAR, seed=42, on_error=on_error)
        loading = loader(dataset, batch_size=BATCH)
        made: list[Any] = []
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            try:
                made += loading
            except SampleError as error:
                assert max(base.read) == 1  # those after it in its batch were read too
                return str(error), error.index, error.transform, type(error.__cause__), len(made)
        return made, dataset.failures(), [str(one.message) for one in found], base.read

    first = outcome()
    one_by_one()
    same(first, outcome())
    assert on_error != "skip" or set(first[-1]) == {1}


def test_a_transform_that_fails_for_all(one_by_one: Callable[[], Any]) -> None:
    def outcome() -> Any:
        base = Photos()
        with pytest.raises(SampleError) as error:
            list(loader(AugmentedDataset(base, ss.Compose([ss.RandomCrop(64)]), seed=42), batch_size=BATCH))
        return str(error.value), error.value.transform, error.value.index, type(error.value.__cause__)

    first = outcome()
    one_by_one()
    assert first == outcome()
    assert first[1:3] == ("RandomCrop", 0)


def test_what_is_uneven_goes_one_by_one_from_then_on() -> None:
    augment = ss.Compose([ss.Transpose(), ss.RandomCrop(20), ss.HorizontalFlip()])
    base = Photos(lambda index: (IMAGES[index][:24], index))
    loading = loader(AugmentedDataset(base, augment, seed=42), batch_size=BATCH)
    for number, (images, labels) in enumerate(loading):
        for image, label in zip(images, labels.tolist(), strict=True):
            assert np.array_equal(image, augment(IMAGES[label][:24], key=ss.SampleKey(42, 0, label))), number
    assert set(base.read) == {1}


@pytest.mark.parametrize(
    ("augment", "base", "size"),
    [
        (ss.Compose([]), Photos(), BATCH),
        (ss.HorizontalFlip(), Photos(), BATCH),
        (ss.Compose([ss.OneOf([ss.HorizontalFlip()])]), Photos(), BATCH),
        (ss.Compose([ss.Affine()]), Photos(), BATCH),
        (CIFAR, Photos(lambda index: (np.zeros((224, 224, 3), np.uint8), index)), BATCH),
        (CIFAR, Photos(), 8),
    ],
    ids=["empty", "bare", "container", "none at once", "large", "few"],
)
def test_what_does_not_pay_goes_one_by_one(augment: Any, base: Photos, size: int) -> None:
    assert not any(made_at_once(loader(AugmentedDataset(base, augment, seed=42), batch_size=size)))
    assert set(base.read) == {1}


def test_samples_of_a_batch_are_samples_like_all_others() -> None:
    loading = loader(AugmentedDataset(Photos(), CIFAR, seed=42), batch_size=BATCH)
    samples = loading._outer.__getitems__(next(iter(loading.batch_sampler)))
    assert type(samples) is Ready
    for number, (image, label) in enumerate(samples):
        wanted = CIFAR(IMAGES[label], key=ss.SampleKey(42, 0, label))
        assert label == number
        assert np.array_equal(image, wanted)
        assert image.flags.carray
    whole = collate(samples)
    same(whole, torch.utils.data.default_collate(list(samples)))
    same(whole, collate(samples[:]))
    samples[3] = samples[2]
    images, labels = collate(samples)
    assert labels[3] == 2
    assert torch.equal(images[3], images[2])
    del samples[5:]
    assert len(collate(samples)[0]) == 5


def test_batches_that_are_kept_stay_as_they_are() -> None:
    loading = loader(AugmentedDataset(Photos(), CIFAR, seed=42), batch_size=BATCH)
    kept = list(loading)
    copies = pickle.loads(pickle.dumps(kept))
    for _ in range(3):
        list(loading)
    same(kept, copies)
    kept[0][0].zero_()  # and can be written to
    same(list(loader(AugmentedDataset(Photos(), CIFAR, seed=42), batch_size=BATCH)), copies)


def test_marks_of_failed_samples_reach_the_collate_function() -> None:
    dataset = AugmentedDataset(Photos(failing("read")), CIFAR, seed=42, on_error="skip")
    loading = loader(dataset, batch_size=BATCH)
    samples = loading._outer.__getitems__(next(iter(loading.batch_sampler)))
    assert [type(one) is Skipped for one in samples] == [index == 5 for index in range(BATCH)]
    assert dataset.failures() == {0: {5: "OSError: no 5"}}


class Refilled:
    """A base that hands out so many arrays in turn, and fills each again when its turn comes."""

    def __init__(self, buffers: int, bare: bool = False, odd: int | None = None) -> None:
        self.images = [np.empty((32, 32, 3), np.uint8) for _ in range(buffers)]
        self.labels = [np.empty(2, np.int64) for _ in range(buffers)]
        self.turn, self.bare, self.odd = 0, bare, odd

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> Any:
        self.turn = (self.turn + 1) % len(self.images)
        image, label = self.images[self.turn], self.labels[self.turn]
        image[...], label[...] = IMAGES[index], index
        if index == self.odd:
            return [image, label]
        return image if self.bare else (image, label)


@pytest.mark.parametrize("buffers", [1, 8])
@pytest.mark.parametrize("bare", [True, False])
def test_a_base_may_fill_its_arrays_again(buffers: int, bare: bool) -> None:
    dataset = AugmentedDataset(Refilled(buffers, bare), CIFAR, seed=3)
    expected = AugmentedDataset(list(IMAGES), CIFAR, seed=3)
    batches = list(loader(dataset, batch_size=BATCH))
    images = batches if bare else [images for images, _ in batches]
    if not bare:
        assert torch.cat([labels for _, labels in batches]).tolist() == [
            [index] * 2 for index in range(LENGTH)
        ]
    np.testing.assert_array_equal(
        torch.cat(images).numpy(), np.stack([expected.at(index, epoch=0) for index in range(LENGTH)])
    )


def test_a_base_that_fills_its_arrays_again_may_hand_out_another_form() -> None:
    dataset = AugmentedDataset(Refilled(1, odd=11), CIFAR, seed=3)
    expected = AugmentedDataset(list(IMAGES), CIFAR, seed=3)
    made: list[Any] = []
    found = loader(dataset, batch_size=BATCH, collate_fn=list)
    for samples in found:
        made += [np.array(image) for image, _ in samples]
    for index in range(LENGTH):
        if index != 11:
            np.testing.assert_array_equal(made[index], expected.at(index, epoch=0))


@pytest.mark.parametrize(
    "transform", [ss.ColorJitter(0.4, 0.4, 0.2, 0.1), ss.LinearColorJitter(), ss.ToSepia(p=1)], ids=repr
)
def test_floats_of_a_window_are_rounded_alike_at_once_and_alone(transform: ss.Transform) -> None:
    augment = ss.Compose([ss.CenterCrop(21), transform])
    images = IMAGES[:32] / np.float32(255)
    keys = [ss.SampleKey(1, 0, index) for index in range(32)]
    alone = [augment(image, key=key) for image, key in zip(images, keys, strict=True)]
    np.testing.assert_array_equal(augment.batch(images, keys), np.stack(alone))
    for image, key, made in zip(images, keys, alone, strict=True):
        np.testing.assert_array_equal(ss.Compose([transform])(image[5:26, 5:26].copy(), key=key), made)
