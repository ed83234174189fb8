"""A sample whose first part is None is missing, with an augmentation or without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import seedsafe as ss
from seedsafe_keras import AugmentedSequence
from seedsafe_torch import AugmentedDataset, loader

IMAGE = np.ones((8, 8, 3), np.uint8)
AUGMENT = pytest.mark.parametrize("augment", [None, ss.Compose([]), ss.Compose([ss.HorizontalFlip()])])


@AUGMENT
@pytest.mark.parametrize("missing", [(None, 3), [None, 3], (None,), None])
def test_it_raises(augment: Any, missing: Any) -> None:
    with pytest.raises(ss.SampleError, match="None"):
        AugmentedDataset([missing], augment, seed=1)[0]


@AUGMENT
@pytest.mark.parametrize("workers", [0, 2])
def test_it_is_left_out_or_replaced(augment: Any, workers: int) -> None:
    base = [(IMAGE, 0), (None, 1), (IMAGE, 2), (IMAGE, 3)]
    for answer, count in (("skip", 3), ("replace", 4)):
        dataset = AugmentedDataset(base, augment, seed=1, on_error=answer)
        loading = loader(dataset, batch_size=4, seed=1, num_workers=workers)
        with pytest.warns(UserWarning, match="1 sample failed in epoch 0"):
            labels = [int(label) for _, batch in loading for label in batch]
        assert len(labels) == count
        assert 1 not in labels


def test_it_is_replaced_in_keras() -> None:
    base = [(IMAGE, 0), (None, 1), (IMAGE, 2)]
    sequence = AugmentedSequence(base, seed=1, batch_size=3, epoch=0, on_error="replace")
    _, labels = sequence[0]
    with pytest.warns(UserWarning, match="1 sample failed in epoch 0"):
        sequence.reader.report_failures()
    assert len(labels) == 3
    assert 1 not in labels


@pytest.mark.parametrize("sample", [(IMAGE, None), (), [], {"image": IMAGE}, 7])
def test_other_samples_stay(sample: Any) -> None:
    assert AugmentedDataset([sample], seed=1)[0] is sample
