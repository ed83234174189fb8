"""Volumes behind the bridge: the blocks of the page give equal samples for any workers."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from volumes import dataset_of, samples

pytestmark = pytest.mark.bridge


@pytest.mark.parametrize("library", ["MONAI", "batchgenerators"])
def test_a_volume_is_the_same_for_any_workers(library: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the libraries' own
        passes = [samples(dataset_of(library), workers) for workers in (0, 2)]
    assert passes[0] == passes[1]
    changed: list[Any] = [passes[0][0, index] != passes[0][1, index] for index in range(6)]
    assert sum(changed) > 3
    assert len({parts[0] for parts in passes[0].values()}) > 9
