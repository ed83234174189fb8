import itertools

import numpy as np
from torch.utils.data import Dataset

served = 0


class Images(Dataset):
    def __init__(self):
        self.count = 0
        self.numbers = itertools.count()

    def __getitem__(self, index):
        self.count = self.count + 1
        np.random.seed(self.count)  # expect: SSF004
        return np.random.rand() + self.noise()

    def noise(self):
        global served
        served += 1
        first = np.random.default_rng(served)  # expect: SSF004
        second = np.random.default_rng(next(self.numbers))  # expect: SSF004
        return first.random() + second.random()
