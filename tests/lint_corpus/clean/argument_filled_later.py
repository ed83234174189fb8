"""An argument that nobody passes: the transform makes its generator in the worker, when it is first called."""

import random
from typing import Optional

from torch.utils.data import Dataset


class PerturbSpeed:
    def __init__(self, factors, p, randgen: Optional[random.Random] = None):
        self.factors = factors
        self.p = p
        self.random = randgen

    def __call__(self, cuts):
        if self.random is None:
            self.random = random.Random()
        return [cut for cut in cuts if self.random.random() <= self.p]


class Cuts(Dataset):
    def __init__(self, cuts):
        self.cuts = cuts
        self.transform = PerturbSpeed([0.9, 1.1], p=0.5)

    def __len__(self):
        return len(self.cuts)

    def __getitem__(self, index):
        return self.transform(self.cuts[index])
