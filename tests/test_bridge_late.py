"""Generators that a later read makes, with the same seed in each process."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from seedsafe_torch import AugmentedDataset, loader

RARE = 70


class Late:
    """Makes a generator when it first reads a rare sample."""

    def __init__(self, make: Callable[[], Any], place: str) -> None:
        self.make, self.place = make, place
        self.none: Any = None
        self.rngs: dict[str, Any] = {}
        self.listed: list[Any] = []

    def __len__(self) -> int:
        return 84

    def __getitem__(self, index: int) -> Any:
        if index < RARE:
            return np.array([index, np.random.randint(1000)])
        return np.array([index, self.draw()])

    def draw(self) -> int:
        rng: Any = self.listed[0] if self.listed else self.rngs.get("rng", self.none or vars(self).get("new"))
        if rng is None:
            rng = self.make()
            if self.place == "listed":
                self.listed.append(rng)
            elif self.place == "rngs":
                self.rngs["rng"] = rng
            else:
                setattr(self, self.place, rng)
        if isinstance(rng, torch.Generator):
            return int(torch.randint(1000, (1,), generator=rng))
        return int(rng.random() * 1000)


def numbers_of(base: Late, workers: int) -> list[Any]:
    batches = loader(AugmentedDataset(base, seed=42, bridge=True), batch_size=7, num_workers=workers)
    return [batch.tolist() for _ in range(2) for batch in batches]


@pytest.mark.parametrize("place", ["none", "new", "rngs", "listed"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: np.random.default_rng(0),
        lambda: np.random.RandomState(0),
        lambda: random.Random(0),
        lambda: torch.Generator().manual_seed(0),
    ],
    ids=["default_rng", "RandomState", "Random", "torch"],
)
def test_a_generator_of_a_later_read_is_keyed_in_that_read(make: Callable[[], Any], place: str) -> None:
    stored = Late(make, place)
    stored.draw()  # it is there before the bridge
    expected = numbers_of(stored, 0)
    assert numbers_of(Late(make, place), 0) == expected
    if place == "rngs":
        assert numbers_of(Late(make, place), 2) == expected
