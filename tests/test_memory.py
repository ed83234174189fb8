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
from every import CASES, EVERY, sample_of

import seedsafe as ss

KEYS = [ss.SampleKey(0, 0, index) for index in range(3)]
SPARE = 64 * 2**10
"""Bytes besides: tables of 256 values, parameters, and what lies between the steps for as much as a cache holds."""


PLACES = 576 * 2**10, "places are worked out for 8192 pixels at once, in float64, whatever the image's size"
MORE: dict[str, tuple[int, str]] = {
    "Affine nearest": PLACES,
    "ElasticTransform": PLACES,
    "OpticalDistortion": PLACES,
    "PiecewiseAffine": PLACES,
    "GlassBlur swap": (
        12 * 256 * 256,
        "which of two comes last is known when all have moved: 12 bytes a pixel",
    ),
}
"""Transforms that take more than the rule allows: how many bytes at 256×256, and why."""

HUE = 640 * 2**10, "10 planes of up to 65536 pixels are kept"
KEPT: dict[str, tuple[int, str]] = {"HueSaturationValue": HUE, "PhotoMetricDistortion": HUE}
"""Transforms for which a thread keeps a buffer of a size of its own."""

FOUR = (
    "Affine",
    "ElasticTransform",
    "GridDistortion",
    "OpticalDistortion",
    "Perspective",
    "PiecewiseAffine",
    "Rotate",
)
"""Transforms for which a thread keeps RGB images as RGBA, given and made: OpenCV warps these twice as fast."""


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


def limit(name: str, sample: dict[str, Any], output: int) -> int:
    """Return how many bytes a transform may take beside its result."""
    given = sum(part.nbytes for part in sample.values())
    if name == "LetterBox wide":
        return output + SPARE  # the image is made as large as the box before it is put there
    more = max((extra for start, (extra, _) in MORE.items() if name.startswith(start)), default=0)
    return given + SPARE + more


@pytest.mark.parametrize(("name", "dtype"), CASES, ids=map(", ".join, CASES))
def test_a_call_takes_its_output_and_one_buffer(name: str, dtype: str) -> None:
    augment, sample = ss.Compose([EVERY[name]]), sample_of(name, dtype)
    for key in KEYS:  # tables are made once, and buffers are kept
        augment(sample, key=key)
    for key in KEYS:
        output, more = call(augment, sample, key)
        assert more <= limit(name, sample, output)


@pytest.mark.parametrize(("name", "dtype"), CASES, ids=map(", ".join, CASES))
def test_what_a_thread_keeps_is_no_larger(name: str, dtype: str) -> None:
    augment, sample = ss.Compose([EVERY[name]]), sample_of(name, dtype)
    for key in KEYS:
        augment(sample, key=key)
    calls: list[tuple[int, int]] = []
    thread = threading.Thread(
        target=lambda: calls.append(call(augment, sample, KEYS[0]))
    )  # it has no buffers
    thread.start()
    thread.join()
    ((output, more),) = calls
    kept = max((extra for start, (extra, _) in KEPT.items() if name.startswith(start)), default=0)
    kept *= sample["image"].itemsize if kept else 1
    if name.startswith(FOUR):
        kept += (sample["image"].nbytes + output) * 4 // 3
    assert more <= limit(name, sample, output) + kept


def test_these_tests_would_notice() -> None:
    class Wasteful(ss.ImageTransform):
        def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
            return (image * np.float32(0.5)).astype(np.uint8)

    sample = sample_of("Wasteful", "uint8")
    output, more = call(ss.Compose([Wasteful()]), sample, KEYS[0])
    assert more > limit("Wasteful", sample, output)
