"""Keras's batches made in place: equal to those that are not, in processes, in threads and without."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import keras
import numpy as np
import pytest

import seedsafe as ss
from seedsafe.ring import reader
from seedsafe_keras import AugmentedSequence

equal = np.testing.assert_array_equal
AUGMENT = ss.Compose([ss.RandomCrop(60), ss.HorizontalFlip(), ss.Normalize(0.5, 0.25)])
IMAGES = np.random.default_rng(0).integers(0, 256, (30, 72, 72, 3), dtype=np.uint8)
BASES: dict[str, Any] = {
    "array": IMAGES,
    "tuple": [(image, number) for number, image in enumerate(IMAGES)],
    "dict": [
        {"image": image, "mask": image[..., 0].astype(np.float64), "label": "ab"[number % 2]}
        for number, image in enumerate(IMAGES)
    ],
}


class Ready(keras.utils.PyDataset):
    """Ready batches."""

    batch_size = 8

    def __len__(self) -> int:
        return 4

    def __getitem__(self, number: int) -> Any:
        return IMAGES[8 * number : 8 * number + 8], np.arange(len(IMAGES[8 * number : 8 * number + 8]))


def sequence(form: str, *, in_place: bool = True) -> AugmentedSequence:
    if form == "ready":
        return AugmentedSequence(Ready(), AUGMENT, seed=1, epoch=0, in_place=in_place)
    return AugmentedSequence(BASES[form], AUGMENT, seed=1, epoch=0, batch_size=8, in_place=in_place)


def same(ours: Any, theirs: Any) -> None:
    assert type(ours) is type(theirs)
    if isinstance(ours, tuple | dict):
        parts = (ours.values(), theirs.values()) if isinstance(ours, dict) else (ours, theirs)
        for one, other in zip(*parts, strict=True):
            same(one, other)
        return
    equal(ours, theirs)
    assert ours.dtype == theirs.dtype
    assert ours.strides == theirs.strides
    assert ours.flags.writeable


FORMS = [*BASES, "ready"]


@pytest.mark.parametrize("form", FORMS)
class TestSequences:
    def test_they_are_equal_without_workers_and_all_may_be_held(self, form: str) -> None:
        ours, theirs = sequence(form), sequence(form, in_place=False)
        held = [ours[number] for _ in range(2) for number in range(len(ours))]
        for number, batch in enumerate(held):
            same(batch, theirs[number % len(theirs)])

    def test_they_are_equal_in_threads(self, form: str) -> None:
        ours, theirs = sequence(form), sequence(form, in_place=False)
        with ThreadPoolExecutor(4) as pool:
            for number, batch in enumerate(pool.map(ours.__getitem__, [0, 1, 2, 3] * 6)):
                same(batch, theirs[number % 4])


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_they_are_equal_from_processes_and_go_by_slot(method: str) -> None:
    reader.state.__init__()
    with multiprocessing.get_context(method).Pool(2) as pool:
        for form in FORMS:
            ours, theirs = sequence(form), sequence(form, in_place=False)
            for number, batch in enumerate(pool.imap(ours.__getitem__, [0, 1, 2, 3] * 6)):
                same(batch, theirs[number % 4])
            assert 1 <= len(reader.state.rings) <= 2


def test_memory_without_workers_is_used_again() -> None:
    ours = sequence("array")
    addresses = set()
    for number in range(12):
        batch = ours[number % 3]
        addresses.add(batch.ctypes.data)
    assert len(addresses) <= 2
