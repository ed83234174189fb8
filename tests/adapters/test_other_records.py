"""Datasets that read another record for one that fails, and timm's prefetcher, are told where they are made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from audit_keyed_cases import MapDataset
from torch.utils.data import DataLoader, Subset

from seedsafe_audit.subject import subject_of
from seedsafe_torch import AugmentedDataset, EpochOrder, KeyedSampler, loader

IMAGES = np.zeros((8, 4, 4), np.uint8)
ANOTHER = 'MapDataset reads another record for one that fails.*on_error="replace"'
ERASES = "prefetcher erases in the training process.*use_prefetcher=False"


class Mapped(MapDataset):
    __qualname__ = "MapDataset"

    def __init__(self, dataset: Any) -> None:
        super().__init__()
        self.dataset = dataset


@pytest.mark.parametrize("make", [MapDataset, lambda: Subset(MapDataset(), [1, 2])], ids=["itself", "within"])
def test_a_base(make: Any) -> None:
    with pytest.warns(UserWarning, match=ANOTHER):
        AugmentedDataset(make(), seed=42)


def test_around_a_keyed_dataset() -> None:
    with pytest.warns(UserWarning, match=ANOTHER):
        loader(Mapped(AugmentedDataset(IMAGES, seed=42)), batch_size=2)


class Prefetching:
    """As timm's PrefetchLoader, without a GPU."""

    def __init__(self, loading: Any, random_erasing: Any) -> None:
        self.loader, self.random_erasing = loading, random_erasing

    def __iter__(self) -> Any:
        yield from self.loader


def keyed() -> Any:
    dataset = AugmentedDataset(IMAGES, seed=42)
    return DataLoader(dataset, sampler=KeyedSampler(EpochOrder(8, seed=42), seed=42))


@pytest.mark.parametrize("make", [keyed, lambda: loader(AugmentedDataset(IMAGES, seed=42))])
def test_a_prefetcher_that_erases(make: Any) -> None:
    list(Prefetching(make(), None))
    with pytest.warns(UserWarning, match=ERASES):
        list(Prefetching(make(), torch.nn.Identity()))


def test_a_prefetcher_in_the_audit() -> None:
    assert subject_of(Prefetching(keyed(), None)).length == 8
    with pytest.warns(UserWarning, match="erases in the training process, without a key"):
        assert subject_of(Prefetching(keyed(), torch.nn.Identity())).length == 8
