"""A base that draws once, in its first read, and keeps the numbers: each worker has others, which is told."""

import random
import warnings

import numpy as np
import pytest
import torch

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader

SOURCES = {
    "numpy.random": lambda: np.random.permutation(60),
    "random": lambda: random.sample(range(60), 60),
    "torch": lambda: torch.randperm(60),
}


class Kept:
    order = None

    def __init__(self, draw):
        self.draw = draw

    def __len__(self):
        return 60

    def __getitem__(self, index):
        if self.order is None:
            self.order = self.draw()
        return int(self.order[index])


class Opened(Kept):
    """Draws by the way as it opens its file, and keeps no number."""

    def __getitem__(self, index):
        if self.order is None:
            self.draw()
            self.order = {"root": "/data", "form": "png"}
        return index


class Listed(Kept):
    """Makes a list of its samples in the first read, and draws nothing."""

    def __getitem__(self, index):
        if self.order is None:
            self.order = list(range(60))
        return self.order[index]


def served(base, workers):
    return [
        int(one) for batch in loader(AugmentedDataset(base, seed=1), num_workers=workers) for one in batch
    ]


@pytest.mark.parametrize("source", SOURCES)
def test_told(source):
    with pytest.warns(UserWarning, match=rf"drew from .*{source}.* first read .* keeps base\.order from it"):
        assert len(set(served(Kept(SOURCES[source]), 0))) == 60


@pytest.mark.parametrize("kind", [Opened, Listed])
def test_right_ones_are_not_told(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert served(kind(SOURCES["random"]), 0) == list(range(60))


def test_drawn_before_is_right():
    base = Kept(None)
    base.order = np.random.default_rng(3).permutation(60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert served(base, 0) == served(base, 2)


def test_a_bridge_raises():
    dataset = AugmentedDataset(Kept(SOURCES["numpy.random"]), seed=1, bridge=True)
    with pytest.raises(ss.NotReproducible):
        list(loader(dataset))
