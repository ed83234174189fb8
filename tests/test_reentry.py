"""A read gives the same sample when a signal handler or a finalizer reads others in the middle of it."""

from __future__ import annotations

import signal
from typing import Any

import numpy as np
import pytest
from every import EVERY, GIVEN, PHOTO, sample_of
from reentry import interrupted, same

import seedsafe as ss
from seedsafe.functional.scratch import scratch, scratch_planes
from seedsafe.reading import KeyedReader

MOMENT = ss.SampleIndex(0, epoch=3)
SMALL = np.ascontiguousarray(PHOTO[::3, ::3])


def reader_of(transform: ss.Transform, sample: Any, seed: int) -> KeyedReader:
    return KeyedReader([sample], ss.Compose([transform]), seed=seed)


OTHERS = [
    reader_of(one, image, 2)
    for one, image in (
        (ss.GaussianNoise((20, 30), p=1), SMALL),  # noise, and a table of its steps
        (ss.HueSaturationValue(p=1), SMALL),  # planes between two steps
        (ss.GaussianNoise((0.1, 0.2), p=1), (SMALL / 255).astype(np.float32)),
        (ss.Perspective(p=1), SMALL),  # images of four channels
    )
]
"""Those that use whatever a thread keeps from call to call."""

FOR_BYTES = ("GaussianNoise", "LetterBox", "RandomZoomOut")
"""Those whose options here are on the scale of bytes, for floats too."""


def on_its_scale(name: str, sample: dict[str, Any]) -> dict[str, Any]:
    """Return a sample with floats on the scale that a transform's options are on."""
    scale = np.float32(255 if name.startswith(FOR_BYTES) else 1)
    floats = {
        part: one * scale
        for part, one in sample.items()
        if part in ("image", "audio") and one.dtype.kind == "f"
    }
    return sample | floats


def shrunk(sample: dict[str, Any]) -> dict[str, Any]:
    small = {name: part[::2, ::2].copy() for name, part in sample.items() if name in ("image", "mask")}
    return sample | small | ({"boxes": sample["boxes"] / 2} if "boxes" in sample else {})


@pytest.mark.parametrize(("name", "dtype"), GIVEN)
def test_a_transform_is_not_changed_by_reads_in_the_middle_of_it(name: str, dtype: str) -> None:
    one = EVERY[name]
    sample = on_its_scale(name, shrunk(sample_of(one.case, dtype)))
    reader = reader_of(one.transform, sample, 1)
    expected, theirs = reader.sample(MOMENT), [other.sample(MOMENT) for other in OTHERS]
    rest = GIVEN.index((name, dtype)) % 5

    def act(number: int) -> None:
        if number % 5 == rest:
            other = number // 5 % len(OTHERS)
            assert same(OTHERS[other].sample(MOMENT, counts=False), theirs[other])

    made, lines = interrupted(lambda: reader.sample(MOMENT), act)
    assert same(made, expected)
    assert lines > 30


def test_noise_is_not_changed_between_any_two_instructions() -> None:
    reader = reader_of(ss.GaussianNoise((5, 9), p=1), SMALL, 1)
    expected = reader.sample(MOMENT)
    made, instructions = interrupted(
        lambda: reader.sample(MOMENT),
        lambda number: OTHERS[number % 3].sample(MOMENT, counts=False),
        opcodes=True,
    )
    assert same(made, expected)
    assert instructions > 500


def test_a_signal_handler_may_read_samples() -> None:
    reader = reader_of(ss.GaussianNoise((5, 9), p=1), SMALL, 1)
    expected, seen = reader.sample(MOMENT), list[Any]()

    def handler(*_: Any) -> None:
        seen.append(OTHERS[len(seen) % len(OTHERS)].sample(MOMENT, counts=False))
        signal.setitimer(signal.ITIMER_REAL, 0.0003)

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0003)
    try:
        while len(seen) < 100:
            assert same(reader.sample(MOMENT), expected)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_dataset_may_be_read_in_the_middle_of_its_own_read() -> None:
    class Interrupted:
        asks = False

        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> Any:
            if self.asks and index == 0:
                found.append(reader.sample(ss.SampleIndex(2, epoch=1)))
            return np.full((4, 4), ss.generator().integers(256), np.uint8)

    base, found = Interrupted(), []
    reader = KeyedReader(base, ss.Compose([ss.GaussianNoise(9)]), seed=1)
    expected = [reader.sample(ss.SampleIndex(index, epoch=epoch)) for index, epoch in ((0, 3), (2, 1))]
    base.asks = True
    assert same([reader.sample(MOMENT), *found], expected)


def test_memory_is_handed_out_again_when_no_array_lies_over_it() -> None:
    def place() -> int:
        return int(scratch((64, 1024)).ctypes.data)

    assert place() == place()
    first = scratch_planes(3, PHOTO)
    one = first[1]
    del first
    assert not any(np.shares_memory(one, plane) for plane in scratch_planes(3, PHOTO))
