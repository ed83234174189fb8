"""How much memory a transform takes: its output, and one buffer of its input's size.

tracemalloc sees NumPy's arrays, and those of OpenCV's results, which are NumPy's; what OpenCV allocates for itself it
does not see.
"""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from cases import CASES
from cases.case import Memory
from every import EVERY, GIVEN, One, sample_of

import seedsafe as ss

KEYS = [ss.SampleKey(0, 0, index) for index in range(3)]
SPARE = 64 * 2**10
"""Bytes besides: tables of 256 values, parameters, and what lies between the steps for as much as a cache holds."""


@pytest.fixture(scope="module", autouse=True)
def _traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def call(augment: Callable[..., Any], sample: dict[str, Any], key: ss.SampleKey) -> tuple[int, int]:
    """Return the bytes of a call's result, and how many more it takes at its peak."""
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    made = augment(sample, key=key)
    peak = tracemalloc.get_traced_memory()[1] - before
    output = sum(made[target].nbytes for target in sample)
    return output, peak - output


def limit(one: One, sample: dict[str, Any], output: int) -> int:
    """Return how many bytes a transform may take beside its result."""
    if one.memory.again:
        return output + SPARE
    return sum(part.nbytes for part in sample.values()) + SPARE + one.memory.more


@pytest.mark.parametrize(("name", "dtype"), GIVEN, ids=map(", ".join, GIVEN))
def test_a_call_takes_its_output_and_one_buffer_and_a_thread_keeps_no_more(name: str, dtype: str) -> None:
    one = EVERY[name]
    augment, sample = ss.Compose([one.transform]), sample_of(one.case, dtype)
    for key in KEYS:  # tables are made once, and buffers are kept
        augment(sample, key=key)
    for key in KEYS:
        output, more = call(augment, sample, key)
        assert more <= limit(one, sample, output)
    calls: list[tuple[int, int]] = []
    # A new thread has no buffers.
    thread = threading.Thread(target=lambda: calls.append(call(augment, sample, KEYS[0])))
    thread.start()
    thread.join()
    ((output, more),) = calls
    kept = one.memory.kept * sample["image"].itemsize if one.memory.kept else 0
    if one.memory.warped:
        kept += (sample["image"].nbytes + output) * 4 // 3
    assert more <= limit(one, sample, output) + kept


def test_that_test_would_notice() -> None:
    class Wasteful(ss.ImageTransform):
        def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
            return (image * np.float32(0.5)).astype(np.uint8)

    plain = EVERY["Invert"]
    sample = sample_of(plain.case, "uint8")
    output, more = call(ss.Compose([Wasteful()]), sample, KEYS[0])
    assert more > limit(plain, sample, output)


def test_what_takes_more_says_why() -> None:
    for case in CASES.values():
        for memory in case.memory.values():
            assert memory.why or memory == Memory(warped=True)
