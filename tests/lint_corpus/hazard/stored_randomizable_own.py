import numpy as np
from torch.utils.data import Dataset


class Randomizable:
    R: np.random.RandomState = np.random.RandomState()

    def set_random_state(self, seed):
        self.R = np.random.RandomState(seed)
        return self


class Shifted(Dataset, Randomizable):
    def __init__(self, items):
        self.items = items

    def __getitem__(self, index):
        return self.items[index] + self.R.normal()  # expect: SSF002
