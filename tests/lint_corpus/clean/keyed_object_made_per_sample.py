import numpy as np
from torch.utils.data import Dataset


class Stream:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.next = self.rng.random

    def draw(self):
        return self.next() + self.rng.random()


class Signals(Dataset):
    def __getitem__(self, index):
        return Stream(index).draw()
