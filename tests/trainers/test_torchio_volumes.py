"""TorchIO behind the bridge: the block of the page on volumes gives equal subjects for any workers."""

from __future__ import annotations

import warnings

import pytest
from volumes import dataset_of, samples

pytestmark = pytest.mark.trainers


def test_a_subject_is_the_same_for_any_workers() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchIO's own
        passes = [samples(dataset_of("TorchIO"), workers) for workers in (0, 2)]
    assert passes[0] == passes[1]
    assert len({parts[0] for parts in passes[0].values()}) > 9
