"""Batches in place whose samples are written by the pipeline's last transform: the same bytes, and kept by nobody else."""

from __future__ import annotations

import warnings
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest
import torch
from PIL import Image
from reentry import interrupted
from torch.utils.data import ConcatDataset, Subset

import seedsafe as ss
from seedsafe import ring
from seedsafe.reading import SampleError
from seedsafe_keras import AugmentedSequence
from seedsafe_torch import AugmentedDataset, Envelope, collate, loader
from seedsafe_torch.faults import batch_or_skip
from seedsafe_torch.in_place import RowByRow

Pair = namedtuple("Pair", "image label")
LENGTH, BATCH = 12, 6
IMAGES = np.random.default_rng(0).integers(0, 256, (LENGTH, 130, 130, 3), dtype=np.uint8)
CROP, FLIP, NORMALIZE = ss.RandomCrop(112), ss.HorizontalFlip(), ss.Normalize(0.5, 0.25)


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the arrays that are copied into rows from now on."""
    seen: list[Any] = []
    usual = ring.Rows.copy

    def copied(self: ring.Rows, part: Any, memory: Any) -> Any:
        seen.append(part)
        return usual(self, part, memory)

    monkeypatch.setattr(ring.Rows, "copy", copied)
    return seen


class Darker(ss.ImageTransform):
    """A user's transform, which keeps all that it has seen."""

    def __init__(self) -> None:
        object.__setattr__(self, "seen", [])

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        self.seen.append(image)
        return image * image.dtype.type(0.5) if image.dtype.kind == "f" else image // 2


class Within(ss.ImageTransform):
    """A user's transform that runs a pipeline of its own, and does not return what that makes."""

    def __init__(self) -> None:
        object.__setattr__(self, "inner", ss.Compose([ss.Normalize(0.1, 0.2), ss.ToCHW()]))

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        made = self.inner(image, key=ss.SampleKey(5, 0, 0))
        return image + (made.sum() > 0).astype(image.dtype)


class Mine(ss.Compose):
    """A user's class, which keeps its results."""

    def __call__(self, sample: Any, *, key: Any = None) -> Any:
        made = super().__call__(sample, key=key)
        KEPT.append((made, made.copy()))
        return made


class MyNormalize(ss.Normalize):
    """A user's class, which keeps its results."""

    def apply_image(self, image: Any, params: Any, out: Any = None) -> Any:
        assert out is None
        return super().apply_image(image, params) * np.float32(2)


KEPT: list[Any] = []
WRITTEN = {
    "Normalize": [CROP, FLIP, NORMALIZE],
    "ToFloat": [CROP, ss.ToFloat()],
    "ToCHW": [CROP, FLIP, ss.ToCHW()],
    "Normalize, ToCHW": [CROP, NORMALIZE, ss.ToCHW()],
    "ToFloat, ToCHW": [CROP, FLIP, ss.ToFloat(), ss.ToCHW()],
    "alone": [ss.ToCHW()],
    "nested": [CROP, ss.Compose([FLIP, ss.Compose([NORMALIZE, ss.ToCHW()])])],
    "behind a user's": [CROP, Darker(), Within(), NORMALIZE, ss.ToCHW()],
    "behind a container": [CROP, ss.OneOf([FLIP, NORMALIZE], p=0), NORMALIZE],
}
COPIED = {
    "a user's after it": [CROP, NORMALIZE, Darker()],
    "in a container": [CROP, ss.OneOf([ss.ToFloat(), NORMALIZE])],
    "ToFloat of float32": [CROP, NORMALIZE, ss.ToFloat()],
    "a user's subclass": [CROP, MyNormalize(0.5, 0.25)],
    "no output": [CROP, FLIP],
    "none": [],
}
FORMS: dict[str, Callable[[int], Any]] = {
    "array": lambda i: IMAGES[i],
    "tuple": lambda i: (IMAGES[i], i),
    "list": lambda i: [IMAGES[i], np.full(120 * 120, i)],
    "named": lambda i: Pair(IMAGES[i], i),
    "PIL": lambda i: (Image.fromarray(IMAGES[i]), i),
}


class Base:
    """Samples of a form, some of which may fail or be of another size."""

    def __init__(
        self, form: str = "tuple", failing: tuple[int, ...] = (), other: tuple[int, ...] = ()
    ) -> None:
        self.form, self.failing, self.other = form, failing, other

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> Any:
        if index in self.failing:
            raise OSError("the disk is gone")
        made = FORMS[self.form](index)
        return (made[0][:120], *made[1:]) if index in self.other else made


def same(ours: Any, theirs: Any) -> None:
    assert type(ours) is type(theirs)
    if isinstance(ours, tuple | list):
        for one, other in zip(ours, theirs, strict=True):
            same(one, other)
    else:
        one, other = np.asarray(ours), np.asarray(theirs)
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


def batches(dataset: Any, **options: Any) -> list[Any]:
    return list(loader(dataset, batch_size=BATCH, epoch=0, **options))


def check(make: Callable[[], Any], **options: Any) -> None:
    """Compare the batches of a dataset in place with those that are not."""
    same(batches(make(), **options), batches(make(), in_place=False))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", WRITTEN)
def test_an_output_is_written_into_the_row(name: str, form: str, copies: list[Any]) -> None:
    def make() -> Any:
        return AugmentedDataset(Base(form), ss.Compose(WRITTEN[name]), seed=1)

    usual = batches(make(), in_place=False)
    assert not copies
    same(batches(make()), usual)
    beside = LENGTH if form == "list" else 0
    assert len(copies) == 2 + beside  # the first of each batch, which tells what a row is
    check(make, num_workers=1)


@pytest.mark.parametrize("name", COPIED)
def test_whatever_else_is_copied(name: str, copies: list[Any]) -> None:
    def make() -> Any:
        return AugmentedDataset(Base(), ss.Compose(COPIED[name]), seed=1)

    check(make)
    assert len(copies) == LENGTH


@pytest.mark.parametrize(
    "options",
    [
        {"views": 2},
        {"targets": ("image", "mask")},
        {"bridge": True},
        {"check_finite": True},
        {"on_error": "replace", "failing": (0, 3, 7)},
        {"on_error": "skip", "failing": (0, 3, 7, 11)},
        {"on_error": "skip", "failing": tuple(range(6))},
    ],
    ids=str,
)
@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.filterwarnings("ignore:.*failed")
def test_options(options: dict[str, Any], workers: int) -> None:
    given = dict(options)
    failing = given.pop("failing", ())
    form = "list" if "targets" in given else "tuple"
    augment = ss.Compose(WRITTEN["Normalize, ToCHW"][:-1] if "targets" in given else WRITTEN["nested"])

    class Masks(Base):
        def __getitem__(self, index: int) -> Any:
            image, label = super().__getitem__(index)
            return image, IMAGES[index][..., 0] if "targets" in given else label

    check(lambda: AugmentedDataset(Masks(form, failing), augment, seed=1, **given), num_workers=workers)


def test_a_sample_that_fails_behind_its_row_leaves_nothing_of_it(copies: list[Any]) -> None:
    def make() -> Any:
        images = IMAGES.astype(np.float32) / 255
        images[4, 60, 60] = np.nan
        augment = ss.Compose([CROP, ss.Normalize(0.5, 1e-3), ss.ToCHW()])
        return AugmentedDataset(images, augment, seed=1, check_finite=True, on_error="replace")

    with pytest.warns(UserWarning, match="1 sample"):
        check(make)
    assert len(copies) == 2


def test_a_dict_is_copied_part_by_part() -> None:
    def make() -> Any:
        base = [{"mask": image[..., 0], "image": image, "label": 1} for image in IMAGES]
        return AugmentedDataset(base, ss.Compose(WRITTEN["nested"]), seed=1)

    ours, theirs = batches(make()), batches(make(), in_place=False)
    same([list(batch.values()) for batch in ours], [list(batch.values()) for batch in theirs])


@pytest.mark.parametrize("other", [(2,), (0,), (7, 8)], ids=str)
def test_samples_of_several_shapes(other: tuple[int, ...]) -> None:
    dataset = AugmentedDataset(Base(other=other), ss.Compose([NORMALIZE, ss.ToCHW()]), seed=1)
    with pytest.raises(RuntimeError, match="stack expects each tensor to be equal size") as raised:
        batches(dataset)
    assert "crop, resize or pad them" in raised.value.__notes__[0]
    check(lambda: AugmentedDataset(Base(other=other), ss.Compose(WRITTEN["nested"]), seed=1))


class Keeping:
    """A user's wrapper, which returns each sample from its own memory the second time."""

    def __init__(self, dataset: Any) -> None:
        self.dataset, self.kept = dataset, {}

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int) -> Any:
        if index not in self.kept:
            self.kept[index] = self.dataset[index]
        return self.kept[index]


class KeepingDataset(AugmentedDataset):
    """A user's subclass that keeps its samples."""

    def __getitem__(self, index: Any) -> Any:
        made = super().__getitem__(index)
        KEPT.append((made[0], made[0].copy()))
        return made


AUGMENT = ss.Compose(WRITTEN["Normalize, ToCHW"])


@pytest.mark.parametrize(
    "make",
    [
        lambda: Keeping(AugmentedDataset(Base(), AUGMENT, seed=1)),
        lambda: Subset(Keeping(AugmentedDataset(Base(), AUGMENT, seed=1)), range(LENGTH)),
        lambda: ConcatDataset([Keeping(AugmentedDataset(Base(), AUGMENT, seed=1))]),
        lambda: AugmentedDataset(Keeping(AugmentedDataset(Base(), AUGMENT, seed=1)), None, seed=2),
        lambda: KeepingDataset(Base(), AUGMENT, seed=1),
        lambda: AugmentedDataset(Base(), Mine(WRITTEN["nested"]), seed=1),
        lambda: AugmentedDataset(Base(), lambda image, key: kept(AUGMENT(image, key=key)), seed=1),
    ],
    ids=["wrapper", "inside a Subset", "inside a ConcatDataset", "read", "subclass", "Compose", "callable"],
)
def test_what_may_be_kept_is_never_the_row(make: Callable[[], Any], copies: list[Any]) -> None:
    KEPT.clear()
    dataset = make()
    wrapper = dataset
    while not isinstance(wrapper, Keeping) and (inner := inside(wrapper)) is not None:
        wrapper = inner
    loading = loader(dataset, batch_size=BATCH, epoch=0)
    for batch in loading:
        batch[0].fill_(-7)
    assert len(copies) == LENGTH
    if isinstance(wrapper, Keeping):
        KEPT.extend((sample[0], wrapper.dataset.at(i, epoch=0)[0]) for i, sample in wrapper.kept.items())
    assert len(KEPT) == LENGTH
    for image, wanted in KEPT:
        np.testing.assert_array_equal(image, wanted)


def kept(made: Any) -> Any:
    KEPT.append((made, made.copy()))
    return made


def inside(dataset: Any) -> Any:
    if isinstance(dataset, ConcatDataset):
        return dataset.datasets[0]
    return dataset.reader.base if isinstance(dataset, AugmentedDataset) else getattr(dataset, "dataset", None)


@pytest.mark.parametrize(
    "wrap", [Envelope, lambda one: Subset(one, list(range(LENGTH)))], ids=["ours", "Subset"]
)
def test_between_them_and_torchs_subset_nobody_keeps_anything(wrap: Any, copies: list[Any]) -> None:
    check(lambda: wrap(AugmentedDataset(Base(), AUGMENT, seed=1)))
    assert len(copies) == 2


def test_a_base_that_augments_by_itself_does_not_get_the_row(copies: list[Any]) -> None:
    results = []
    inner = AugmentedDataset(IMAGES, AUGMENT, seed=3)

    class Augmenting(Base):
        def __getitem__(self, index: int) -> Any:
            image, label = super().__getitem__(index)
            for made in (AUGMENT(image), inner[index], inner.at(index, epoch=0)):
                results.append((made, made.copy()))
            return image, label

    for images, _ in batches(AugmentedDataset(Augmenting(), AUGMENT, seed=1)):
        images.fill_(-7)
    assert len(copies) == 2
    for made, wanted in results:
        np.testing.assert_array_equal(made, wanted)


def test_what_an_earlier_transform_was_given_stays_as_it_was() -> None:
    darker = Darker()
    for images, _ in batches(AugmentedDataset(Base(), ss.Compose([CROP, darker, NORMALIZE]), seed=1)):
        images.fill_(-7)
    windows = [ss.Compose([CROP])(IMAGES[i], key=ss.SampleKey(1, 0, i)) for i in range(LENGTH)]
    same(darker.seen, [window for window in windows for _ in range(3)])  # the first calls are made twice more


def test_all_batches_of_an_epoch_may_be_held_and_changed() -> None:
    dataset = AugmentedDataset(Base(), AUGMENT, seed=1)
    usual = batches(dataset, in_place=False)
    held = []
    for _ in range(3):
        for batch, wanted in zip(loader(dataset, batch_size=BATCH, epoch=0), usual, strict=True):
            same(batch, wanted)
            held.append(batch)
        for images, _ in held:
            images.fill_(-7)
    assert all((images == -7).all() for images, _ in held)


@pytest.mark.parametrize("failing", [(0,), (3,), (0, 1, 4)], ids=str)
def test_a_sample_that_is_left_out_leaves_no_gap(failing: tuple[int, ...]) -> None:
    rows = RowByRow(AugmentedDataset(Base(failing=failing), AUGMENT, seed=1, epoch=0, on_error="skip"))
    samples = rows.__getitems__(range(BATCH))
    with pytest.warns(UserWarning, match="left out"):
        rows.dataset.report_failures()
    images, labels = batch_or_skip(samples, collate)
    assert labels.tolist() == [i for i in range(BATCH) if i not in failing]
    first = samples[labels[0].item()][0]
    assert images.data_ptr() == first.ctypes.data  # the rows are the batch: nothing was copied


@pytest.mark.parametrize(
    "change",
    [lambda row: row.view(np.int32), lambda row: torch.from_numpy(row).double()],
    ids=["dtype", "type"],
)
def test_rows_that_were_changed_since_are_collated_as_they_are(change: Any) -> None:
    rows = RowByRow([IMAGES[i].astype(np.float32) for i in range(3)])
    samples = rows.__getitems__(range(3))
    samples[1] = change(samples[1])
    try:
        wanted = torch.utils.data.default_collate(samples)
    except TypeError:
        with pytest.raises(TypeError):
            collate(samples)
        return
    same(collate(samples), wanted)


class Ready(keras.utils.PyDataset):
    """Ready batches."""

    batch_size = BATCH

    def __len__(self) -> int:
        return 2

    def __getitem__(self, number: int) -> Any:
        return IMAGES[BATCH * number :][:BATCH], np.arange(BATCH)


@pytest.mark.parametrize("name", [*WRITTEN, *COPIED])
@pytest.mark.parametrize("form", ["array", "tuple", "list", "ready"])
def test_keras_sequences(name: str, form: str, copies: list[Any]) -> None:
    augment = ss.Compose((WRITTEN | COPIED)[name])

    def made(in_place: bool) -> list[Any]:
        base = (Ready(), None) if form == "ready" else (Base(form), BATCH)
        sequence = AugmentedSequence(base[0], augment, seed=1, batch_size=base[1], epoch=0, in_place=in_place)
        return [sequence[number] for number in range(2)]

    usual = made(False)
    assert not copies
    same(made(True), usual)
    beside = LENGTH if form == "list" else 0
    assert len(copies) == beside + (2 if name in WRITTEN else LENGTH)


def test_a_keras_sequence_that_fails_says_so() -> None:
    sequence = AugmentedSequence(Base(failing=(4,)), AUGMENT, seed=1, batch_size=BATCH, epoch=0)
    with pytest.raises(SampleError, match="sample 4 failed"):
        sequence[0]
    same(
        sequence[1], AugmentedSequence(Base(), AUGMENT, seed=1, batch_size=BATCH, epoch=0, in_place=False)[1]
    )


@pytest.mark.parametrize("kind", ["plain", "subset", "nested"])
def test_a_sample_that_a_signal_handler_reads_is_not_in_the_batch_under_way(kind: str) -> None:
    augment = ss.Compose([CROP, NORMALIZE])
    base = [(image, number) for number, image in enumerate(IMAGES)]
    dataset: Any = AugmentedDataset(base, augment, seed=1)
    others = AugmentedDataset(base, augment, seed=2)
    read: Any = {"plain": dataset, "subset": Subset(dataset, range(LENGTH))}.get(kind)
    if kind == "nested":
        read = AugmentedDataset(Subset(AugmentedDataset(base, seed=3), range(LENGTH)), augment, seed=1)
    expected = list(loader(read, batch_size=BATCH, epoch=3))
    kept = []

    def act(number: int) -> None:
        if number % 3:
            return
        image = (others if number % 2 or kind == "nested" else dataset)[number % LENGTH][0]
        kept.append((image, image.copy()))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the handler's samples come twice
        batches, _ = interrupted(lambda: list(loader(read, batch_size=BATCH, epoch=3)), act)
    assert all(torch.equal(a[0], b[0]) for a, b in zip(batches, expected, strict=True))
    assert all(np.array_equal(image, before) for image, before in kept)
