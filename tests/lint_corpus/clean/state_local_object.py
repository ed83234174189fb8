import numpy as np
from torch.utils.data import Dataset


class Counter:
    def __init__(self):
        self.n = 0

    def add(self):
        self.n += 1


class Images(Dataset):
    def __getitem__(self, index):
        counter = Counter()
        counter.add()
        return counter.n
