"""Seeds that are the same in each read."""
import time

import numpy as np
from torch.utils.data import Dataset


def prepare():
    np.random.seed(123)  # expect: SSF004


class Images(Dataset):
    def __init__(self, seed):
        self.seed = seed
        self.rng = None

    def __getitem__(self, index):
        if self.rng is None:
            self.rng = np.random.default_rng(0)  # expect: SSF004
        np.random.seed(self.seed)  # expect: SSF004
        np.random.seed(0)  # expect: SSF004
        np.random.seed(int(time.time()))  # expect: SSF004
        prepare()
        rng = np.random.Generator(np.random.PCG64(0))  # expect: SSF004
        own = np.random.default_rng(0)  # expect: SSF004
        return np.random.rand() + rng.random() + own.random() + self.rng.random()


class Unseeded(Dataset):
    def __getitem__(self, index):
        np.random.seed()  # expect: SSF004
        return np.random.rand()  # expect: SSF001
