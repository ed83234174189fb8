"""State that is made in the read itself, kept for one sample, or shared by an iterator."""
import numpy as np
from torch.utils.data import Dataset


class Counter:
    def __init__(self):
        self.n = 0

    def add(self):
        self.n += 1


class Images(Dataset):
    def __init__(self):
        self.cache = {}

    def find(self, name):
        return None if name == "x" else 1

    def __getitem__(self, index):
        count = 0
        for _ in range(3):
            count += 1
        counter = Counter()
        counter.add()
        self.total = 0
        for i in range(3):
            self.total += i
        if index not in self.cache:
            self.cache[index] = np.zeros(3)
        return self.cache[index], count, counter.n, self.total, self.find(str(index)) or 0

    def __iter__(self):
        self.position = 0
        return self

    def __next__(self):
        self.position += 1
        return self.position
