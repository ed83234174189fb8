"""Stamp: occurrences are counted alike wherever they are noted, and in little memory."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import numpy as np
import pytest

from seedsafe_torch import EpochOrder, KeyedSampler
from seedsafe_torch.order import Stamp


@pytest.mark.parametrize("span", [0, 1, 7, 50, 1000])
@pytest.mark.parametrize("numbers", [(0, 1), (2, 3)])
def test_occurrences_are_numbered_alike_inside_and_beyond_the_span(
    span: int, numbers: tuple[int, int]
) -> None:
    indices = np.random.Generator(np.random.Philox(3)).integers(0, 60, 400).tolist()
    stamp, seen = Stamp(5, numbers, True, span), Counter[int]()
    for index in indices:
        made = stamp(index)
        assert (int(made), made.epoch, made.occurrence) == (index, 5, numbers[0] + numbers[1] * seen[index])
        seen[index] += 1


def test_a_pass_keeps_a_bit_for_each_sample_and_the_order() -> None:
    count = 400_000
    sampler = KeyedSampler(EpochOrder(count, seed=42), seed=42)
    tracemalloc.start()
    try:
        indices = iter(sampler)
        for _ in range(count - 1):
            next(indices)
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 12 * count
    assert most < 36 * count
