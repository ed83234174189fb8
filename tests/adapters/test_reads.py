"""Calls without a key in a dataset's __getitem__ take the key of the read, in every adapter; and what a reader does alike in all."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import keras
import numpy as np
import pytest
from contract import IMAGES, LENGTH, SEED, digest
from torch.utils.data import Subset

import seedsafe as ss
from seedsafe.reading import Faults, KeyedReader
from seedsafe_keras import AugmentedSequence
from seedsafe_torch import AugmentedDataset, loader

CROP = ss.Compose([ss.RandomCrop(32), ss.HorizontalFlip()])
ROOT = Path(__file__).parents[2]


class Existing:
    """A dataset as many have it: it augments in its own __getitem__, without a key."""

    def __init__(self, fails: tuple[int, ...] = ()) -> None:
        self.augment = CROP
        self.fails = fails

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> Any:
        once, again = self.augment(IMAGES[index]), self.augment(IMAGES[index])
        if index in self.fails:
            raise OSError("gone")
        return once, again, ss.generator().random(), index


def expected(epoch: int, index: int, key_index: int | None = None) -> tuple[bytes, bytes, float, int]:
    keys = [
        ss.SampleKey(SEED, epoch, index if key_index is None else key_index, call=call) for call in (1, 2)
    ]
    once, again = (digest(CROP(IMAGES[index], key=key)) for key in keys)
    return once, again, ss.generator(keys[0]).random(), index


def seen(once: Any, again: Any, number: Any, index: Any) -> tuple[bytes, bytes, float, int]:
    return digest(np.asarray(once)), digest(np.asarray(again)), float(number), int(index)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("bridge", [False, True])
def test_in_torch(workers: int, bridge: bool) -> None:
    dataset = AugmentedDataset(Existing(), seed=SEED, bridge=bridge)
    loading = loader(Subset(dataset, range(3, 17)), batch_size=4, num_workers=workers)
    for epoch in range(2):
        found = [seen(*sample) for batch in loading for sample in zip(*batch, strict=True)]
        assert found == [expected(epoch, index) for index in range(3, 17)]


def test_a_bridge_sees_that_the_samples_follow_their_keys() -> None:
    dataset = AugmentedDataset(Existing(), seed=SEED, bridge=True)
    dataset.at(0, epoch=0)
    assert dataset.manifest()["verdict"] == "verified"


def test_in_keras() -> None:
    sequence = AugmentedSequence(Existing(), seed=SEED, batch_size=4, epoch=5)
    found = [seen(*sample) for batch in sequence for sample in zip(*batch, strict=True)]
    assert found == [expected(5, index) for index in range(LENGTH)]


class Ready(keras.utils.PyDataset):  # type: ignore[misc]  # keras has no types
    batch_size = 4

    def __len__(self) -> int:
        return 3

    def __getitem__(self, number: int) -> Any:
        return IMAGES[4 * number : 4 * number + 4], np.full(4, ss.generator().random())


def test_a_ready_batch_has_its_first_samples_key() -> None:
    _, numbers = AugmentedSequence(Ready(), seed=SEED, epoch=5)[2]
    key = ss.SampleKey(SEED, 5, 8, call=1)
    assert set(numbers.tolist()) == {ss.generator(key).random()}


def test_a_sample_that_replaces_another_has_the_others_key() -> None:
    dataset = AugmentedDataset(Existing(fails=(3,)), seed=SEED, on_error="replace")
    found = seen(*dataset.at(3, epoch=1))
    assert found[-1] != 3
    assert found == expected(1, found[-1], key_index=3)
    dataset.failures()


def test_the_key_is_not_there_while_an_augmentation_runs() -> None:
    def careless(sample: Any, *, key: ss.SampleKey) -> Any:
        assert ss.current_key() is None
        return CROP(sample)

    base = [IMAGES[0]] * 3
    for dataset in (
        AugmentedDataset(base, careless, seed=SEED),
        AugmentedDataset(AugmentedDataset(base, careless, seed=SEED), seed=1),
    ):
        with pytest.raises(ss.SampleError, match="key must be a SampleKey, got None"):
            dataset.at(0, epoch=0)
    assert ss.current_key() is None


def test_the_key_is_the_innermost_datasets() -> None:
    class Outer:
        def __init__(self) -> None:
            self.inner = AugmentedDataset(Inner(), seed=1)

        def __len__(self) -> int:
            return 3

        def __getitem__(self, index: int) -> Any:
            return [ss.current_key(), self.inner[2 - index], ss.current_key()]

    class Inner:
        def __len__(self) -> int:
            return 3

        def __getitem__(self, index: int) -> Any:
            return ss.current_key()

    outer = ss.SampleKey(SEED, 4, 0, occurrence=1)
    inner = ss.SampleKey(1, 4, 2, occurrence=1)
    assert AugmentedDataset(Outer(), seed=SEED).at(0, epoch=4, occurrence=1) == [outer, inner, outer]


# The reader by itself


def test_a_reader_says_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="cannot be used together, got index_offset=3"):
        KeyedReader([1], seed=0, ids=[4], offset=3)
    with pytest.raises(ValueError, match="define __len__ on the base"):
        KeyedReader(iter([1]), seed=0, faults=Faults("replace"))
    with pytest.raises(TypeError, match=r"augment must be a Compose or a Transform, got 5: pass Compose"):
        KeyedReader([1], 5, seed=0)  # type: ignore[arg-type]
    for name, value in (("sample", None), ("batch", None)):
        reader = KeyedReader([value], seed=0)
        at = ss.SampleIndex(0, epoch=0)
        with pytest.raises(ss.SampleError, match="the dataset returned None"):
            reader.sample(at) if name == "sample" else reader.batch(at, 4)


def test_a_batch_is_keyed_at_its_whole_moment() -> None:
    images = IMAGES[:4]
    reader = KeyedReader([images], CROP, seed=SEED)
    made = reader.batch(ss.SampleIndex(0, 3, 1, 2), 4)
    for index, image in enumerate(made):
        key = ss.SampleKey(SEED, 3, index, occurrence=1, view=2)
        assert digest(image) == digest(CROP(images[index], key=key))


# The way of a read


def floors() -> dict[str, int]:
    """Return on which floor each room stands, the adapters on the highest."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")
    rooms = {room: floor for floor, rooms in enumerate(reversed(layers)) for room in rooms.split(" | ")}
    return {f"seedsafe/{room}": floor for room, floor in rooms.items()} | {"adapters/seedsafe_torch": 99}


def calls_of(read: Callable[[], Any]) -> tuple[int, int]:
    """Return how many Python functions a read calls, and how many of these calls go from a lower floor to a higher one."""
    rooms, calls, climbs = floors(), 0, 0

    def floor(code: CodeType) -> int | None:
        path = code.co_filename.removeprefix(f"{ROOT}/")
        return next(
            (number for room, number in rooms.items() if path.startswith((room + "/", room + "."))), None
        )

    def profile(frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls, climbs
        if event == "call" and frame.f_code is not read.__code__ and frame.f_back is not None:
            calls += 1
            below, here = floor(frame.f_back.f_code), floor(frame.f_code)
            climbs += below is not None and here is not None and here > below

    read()
    sys.setprofile(profile)
    try:
        read()
    finally:
        sys.setprofile(None)
    return calls, climbs


@pytest.mark.parametrize("stamped", [True, False])
def test_a_read_goes_a_straight_way(stamped: bool) -> None:
    base = list(np.zeros((4, 32, 32, 3), np.uint8))
    dataset = AugmentedDataset(base, ss.Compose([ss.RandomCrop(24), ss.HorizontalFlip(p=1)]), seed=SEED)
    indices = iter([ss.SampleIndex(2, epoch=3), ss.SampleIndex(3, epoch=3)] if stamped else [2, 3])
    calls, climbs = calls_of(lambda: dataset[next(indices)])
    # Key, fetch and augment are a call each, and so are arrays in `run`.
    assert calls <= (28 if stamped else 33)
    assert climbs <= 4
