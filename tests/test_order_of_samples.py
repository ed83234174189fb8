"""What a sample becomes depends on nothing that was read before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.data import ConcatDataset, DataLoader

import seedsafe as ss
from seedsafe.pipeline import batch as many
from seedsafe.reading import Faults, KeyedReader, Skipped, augment_records
from seedsafe_torch import AugmentedDataset, KeyedSampler

IMAGE = np.arange(6 * 8 * 3, dtype=np.uint8).reshape(6, 8, 3)
MASK = np.arange(48, dtype=np.uint8).reshape(6, 8)
BOXES = np.array([[1.0, 1, 4, 4]])
CLIP = np.stack([IMAGE] * 4)
FLIP = ss.Compose([ss.HorizontalFlip(p=1)])
VIDEO = ss.Compose([ss.TemporalSample(2)])
REVERSED = ss.Compose([ss.Reverse(p=1)])
MIX = ss.Compose([ss.HorizontalFlip(p=1), ss.MixUp(p=1, label=None)])

FORMS: dict[str, Any] = {
    "an image": IMAGE,
    "a pair": (IMAGE, 1),
    "a vector": (IMAGE, np.eye(5, dtype=np.float32)[1]),
    "an empty list": (IMAGE, []),
    "boxes of a list": (IMAGE, [{"bbox": [1, 2, 3, 4]}]),
    "a mask": (IMAGE, MASK),
    "no mask": (IMAGE, None, 1),
    "a mask and a number": (IMAGE, MASK, 1),
    "boxes and a number": (IMAGE, BOXES, 1),
    "a tensor and a number": (IMAGE, torch.from_numpy(MASK), 1),
    "a scalar tensor": (IMAGE, torch.tensor(1), 1),
    "an empty dict": (IMAGE, {}),
    "a dict of a label": (IMAGE, {"label": 1}),
    "a dict of boxes": (IMAGE, {"boxes": BOXES}),
    "a dict of bboxes": (IMAGE, {"bboxes": BOXES}),
    "entries": {"image": IMAGE, "label": 1},
    "entries with a mask": {"image": IMAGE, "mask": MASK},
    "entries with an unnamed mask": {"image": IMAGE, "label": MASK},
    "entries with boxes": {"image": IMAGE, "label": BOXES},
    "a list": [IMAGE, 1],
    "a list with a mask": [IMAGE, MASK],
    "wide integers": (IMAGE.astype(np.int64), 1),
    "gray": (MASK, 1),
    "a clip": {"video": CLIP, "label": 1},
    "a clip and its masks": {"video": CLIP, "label": CLIP[..., 0]},
    "a clip of a tuple": (CLIP, 1),
    "a clip and masks of a tuple": (CLIP, CLIP[..., 0]),
}
SOUND = np.linspace(-1, 1, 400, dtype=np.float32)
SOUNDS: dict[str, Any] = {
    "a sound": SOUND,
    "a sound and a label": (SOUND, 1),
    "a sound and a vector": (SOUND, np.eye(5, dtype=np.float32)[1]),
    "a sound and another": (SOUND, SOUND[::-1].copy()),
    "a sound and a label of each moment": (SOUND, torch.arange(400), 1),
    "channels and another sound": (np.stack([SOUND] * 2), SOUND),
    "entries of a sound": {"audio": SOUND, "label": 1},
    "entries of two sounds": {"audio": SOUND, "clean": SOUND},
}
NAMES = sorted(FORMS)
OF_IMAGES = [name for name in NAMES if "clip" not in name]
OF_CLIPS = [name for name in NAMES if "clip" in name]


def plain(sample: Any) -> Any:
    """Return a sample as data that can be compared."""
    if isinstance(sample, np.ndarray):
        return str(sample.dtype), sample.shape, sample.tobytes()
    if isinstance(sample, torch.Tensor):
        return "tensor", plain(sample.numpy())
    if isinstance(sample, dict):
        return {name: plain(part) for name, part in sample.items()}
    if isinstance(sample, tuple | list):
        return type(sample).__name__, [plain(part) for part in sample]
    return repr(sample)


def outcome(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return what a call returns, or its error, as data that can be compared."""
    try:
        return plain(call(*arguments, **options))
    except Exception as error:  # noqa: BLE001  # an error is an outcome
        return f"{type(error).__name__}: {error}"


def check(base: Sequence[Any], augment: Any, **options: Any) -> None:
    """Read samples in order with one reader, and each with a reader of its own."""
    together = KeyedReader(base, augment, seed=42, **options)
    for position in range(len(base)):
        at = ss.SampleIndex(position, 3)
        alone = KeyedReader(base, augment, seed=42, **options)
        assert outcome(together.sample, at) == outcome(alone.sample, at), position


ORDERS = st.lists(st.sampled_from(OF_IMAGES), min_size=2, max_size=6)


@given(ORDERS)
@settings(max_examples=150)
def test_of_a_reader(names: list[str]) -> None:
    base = [FORMS[name] for name in names]
    check(base, FLIP)
    check(base, ss.HorizontalFlip(p=1))
    check(base, FLIP, views=2)
    check(base, FLIP, faults=Faults(check_finite=True))


@given(st.lists(st.sampled_from(OF_CLIPS), min_size=2, max_size=6))
def test_of_a_reader_of_clips(names: list[str]) -> None:
    check([FORMS[name] for name in names], VIDEO)


ORDERS_OF_SOUNDS = st.lists(st.sampled_from(sorted(SOUNDS)), min_size=2, max_size=6)


@given(ORDERS_OF_SOUNDS, st.integers(0, 9))
def test_of_a_reader_of_sounds(names: list[str], before: int) -> None:
    """Also after the first reads, in which values are looked at."""
    base = [SOUNDS["a sound and a label"]] * before + [SOUNDS[name] for name in names]
    check(base, REVERSED)
    check(base, ss.Reverse(p=1))
    check(base, REVERSED, views=2)
    check(base, None, views=[ss.Gain(), REVERSED])
    check(base, REVERSED, faults=Faults(check_finite=True))
    check(base, REVERSED, targets=None if before else ("audio", None))


@given(ORDERS_OF_SOUNDS, st.integers(0, 9))
def test_of_keyed_map_and_a_stream_of_sounds(names: list[str], before: int) -> None:
    def keyed_map() -> Any:
        return ss.keyed_map(REVERSED, seed=42, epoch=0, id=lambda record: 7)

    records = [SOUNDS["a sound and a label"]] * before + [SOUNDS[name] for name in names]
    together, key = keyed_map(), ss.SampleKey(42, 0, 7)
    for record in records:
        alone = outcome(keyed_map(), record)
        assert outcome(together, record) == alone
        assert outcome(lambda record=record: next(augment_records(together, [(key, record)], 3))[1]) == alone


@given(ORDERS)
@settings(max_examples=60)
def test_of_a_reader_that_mixes(names: list[str]) -> None:
    check([FORMS[name] for name in names], MIX)


@given(st.lists(st.sampled_from(NAMES), min_size=2, max_size=6))
@settings(max_examples=150)
def test_of_a_pipeline(names: list[str]) -> None:
    samples = [FORMS[name] for name in names if isinstance(FORMS[name], dict)]
    for transforms in (FLIP.transforms, VIDEO.transforms):
        key, together = ss.SampleKey(42, 0, 0), ss.Compose(transforms)
        for sample in samples:
            assert outcome(together, sample, key=key) == outcome(ss.Compose(transforms), sample, key=key)


@pytest.mark.parametrize("first", OF_IMAGES)
def test_of_a_batch_at_once(first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any sample after another, in a batch of two."""
    monkeypatch.setattr(many, "_PAYS", 1)
    for second in OF_IMAGES:
        base = [FORMS[first], FORMS[second]]
        ats = [ss.SampleIndex(position, 3) for position in range(2)]
        for order in (ats, ats[::-1]):
            result = KeyedReader(base, FLIP, seed=42).at_once(order, np.empty)
            for number, at in enumerate(order):
                alone = outcome(KeyedReader(base, FLIP, seed=42).sample, at)
                if callable(result):
                    assert outcome(result, number) == alone, (first, second)
                elif result is not None:
                    others = () if result.others is None else result.others[number]
                    image = result.images[number]
                    assert plain((image, *others) if others else image) == alone, (first, second)


def test_of_ready_batches() -> None:
    batches: Sequence[Any] = [
        (IMAGE[None], np.array([1])),
        (IMAGE[None], MASK[None]),
        (IMAGE[None], None, np.array([1])),
        (IMAGE[None], MASK[None], np.array([1])),
    ]
    for base in (batches, batches[::-1]):
        together = KeyedReader(base, FLIP, seed=42)
        results = [outcome(together.batch, ss.SampleIndex(number, 3), 1) for number in range(4)]
        for number, result in enumerate(results):
            assert result == outcome(KeyedReader(base, FLIP, seed=42).batch, ss.SampleIndex(number, 3), 1)
        masks = [len(batch) > 1 and batch[1] is not None and batch[1].ndim == 3 for batch in base]
        assert [isinstance(result, str) for result in results] == masks


def keyed_map() -> Any:
    return ss.keyed_map(FLIP, seed=42, epoch=0, id=lambda record: 7)


@given(ORDERS)
@settings(max_examples=100)
def test_of_keyed_map(names: list[str]) -> None:
    together = keyed_map()
    for name in names:
        assert outcome(together, FORMS[name]) == outcome(keyed_map(), FORMS[name]), name


@given(ORDERS)
@settings(max_examples=100)
def test_of_a_stream(names: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(many, "_PAYS", 1)
        key = ss.SampleKey(42, 0, 7)
        results = augment_records(keyed_map(), [(key, FORMS[name]) for name in names], 3)
        for name in names:
            result = outcome(lambda: next(results)[1])
            assert result == outcome(keyed_map(), FORMS[name]), name
            if isinstance(result, str):  # a generator ends with its error
                break


class Labelled:
    """A classification set of 30 samples, and a segmentation set after it."""

    def __init__(self, other: Any) -> None:
        self.other = other

    def __len__(self) -> int:
        return 30

    def __getitem__(self, index: int) -> Any:
        return IMAGE, self.other, index


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("label", [None, np.eye(5)[1], []], ids=["None", "a vector", "an empty list"])
def test_a_classification_and_a_segmentation_set(workers: int, label: Any) -> None:
    base = ConcatDataset([Labelled(label), Labelled(MASK)])  # type: ignore[list-item]
    dataset = AugmentedDataset(base, FLIP, seed=42, on_error="skip")

    sampler = KeyedSampler(range(60), seed=1)
    loading = DataLoader(dataset, 4, sampler=sampler, num_workers=workers, collate_fn=list)
    skipped = {sample.index for batch in loading for sample in batch if isinstance(sample, Skipped)}
    # None of them passes with its mask unmoved.
    assert skipped == set(dataset.failures()[0]) == set(range(30, 60))


def test_with_names_each_mask_is_moved() -> None:
    base = [Labelled(other)[0] for other in (None, np.eye(5)[1], [], MASK)]
    reader = KeyedReader(base, FLIP, seed=42, targets=("image", "mask", None), faults=Faults("replace"))
    image, mask, _ = reader.sample(ss.SampleIndex(3, 0))
    assert (image.tobytes(), mask.tobytes()) == (IMAGE[:, ::-1].tobytes(), MASK[:, ::-1].tobytes())
