import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self):
        self.operations = {"flip": self.flip, "shift": self.shift}

    def __getitem__(self, index):
        for name in ("flip", "shift"):
            index = self.operations[name](index)
        return index

    def flip(self, value):
        return -value

    def shift(self, value):
        return value + np.random.randint(3)  # expect: SSF001
