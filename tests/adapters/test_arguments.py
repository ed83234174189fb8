"""Datasets that are called as other libraries' are: each gets an error that says what to pass."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest

import seedsafe as ss
import seedsafe_tf
from seedsafe_keras import AugmentedSequence
from seedsafe_torch import AugmentedDataset, AugmentedIterable, DistributedKeyedSampler, KeyedSampler, loader

IMAGES = np.zeros((8, 4, 4, 3), np.uint8)
AUGMENT = ss.Compose([ss.HorizontalFlip()])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: AugmentedDataset(IMAGES, AUGMENT), "AugmentedDataset needs seed: pass seed=42; it takes base, augment, and by name seed, "),
        (lambda: AugmentedDataset(IMAGES, AUGMENT, 42), "takes base and augment by position, got 3 values: pass seed=42 by name; it takes"),
        (lambda: AugmentedDataset(IMAGES, transform=AUGMENT, seed=42), "has no transform: pass augment=ss.Compose([ss.HorizontalFlip()]);"),
        (lambda: AugmentedDataset(dataset=IMAGES, seed=42), "has no dataset: pass base=dataset;"),
        (lambda: AugmentedDataset(IMAGES, seed=42, batch_size=4), "has no batch_size: pass it to loader(dataset, "),
        (lambda: AugmentedIterable(IMAGES, AUGMENT), "AugmentedIterable needs seed: pass seed=42; it takes source, augment, and by name"),
        (lambda: KeyedSampler([0, 1]), "KeyedSampler needs seed: pass seed=42;"),
        (lambda: AugmentedSequence(IMAGES, AUGMENT), "AugmentedSequence needs seed: pass seed=42; it takes base, augment, and by name"),
        (lambda: AugmentedSequence(IMAGES, AUGMENT, 42), "pass seed=42 by name"),
        (lambda: seedsafe_tf.augment(IMAGES, AUGMENT), "augment needs seed and batch_size: pass seed=42, batch_size=32; it takes source, pipeline"),
    ],
)  # fmt: skip
def test_a_dataset_called_otherwise_says_what_to_pass(call: Any, words: str) -> None:
    with pytest.raises(TypeError) as error:
        call()
    assert words in str(error.value)


def test_the_advice_works() -> None:
    assert len(AugmentedDataset(IMAGES, AUGMENT, seed=42)) == 8
    assert len(AugmentedSequence(IMAGES, AUGMENT, seed=42, batch_size=4)) == 2
    assert seedsafe_tf.augment(IMAGES, AUGMENT, seed=42, batch_size=32, epochs=1) is not None


def test_signatures_stay() -> None:
    for kind in (AugmentedDataset, AugmentedIterable, KeyedSampler):
        assert "seed" in inspect.signature(kind).parameters
    assert re.search(r"\bseed\b", str(inspect.signature(DistributedKeyedSampler)))


def test_a_loader_says_what_it_takes() -> None:
    dataset = AugmentedDataset([np.zeros((4, 4), np.uint8)], ss.HorizontalFlip(), seed=1)
    call: Any = loader
    for options, words in (
        ({"batchsize": 3}, "loader has no batchsize: did you mean batch_size?"),
        ({"workers": 3}, r"loader has no workers: did you mean num_workers\?"),
        ({"zzz": 3}, "loader has no zzz: It takes the arguments of torch.utils.data.DataLoader"),
    ):
        with pytest.raises(TypeError, match=words):
            call(dataset, **options)
    with pytest.raises(TypeError, match=r"loader takes dataset by position, got 3 values: .*batch_size"):
        call(dataset, 4, True)
    with pytest.raises(TypeError, match=r"got 2 values: pass the others by name; .*, further options$"):
        call(dataset, 4, num_workers=0)  # which it passes on
    with pytest.raises(TypeError, match=r"got the class HorizontalFlip: write HorizontalFlip\(\.\.\.\)"):
        AugmentedDataset(dataset, ss.HorizontalFlip, seed=1)  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"^loader needs dataset: it takes dataset, and by name batch_size, shuffle"
    ):
        call()
