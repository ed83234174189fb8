import numpy as np
from torch.utils.data import Dataset


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, value):
        for step in self.steps:
            value = step(value)
        return value


def scale(value):
    return value * np.random.uniform(0.5, 2)  # expect: SSF001


class Images(Dataset):
    def __init__(self):
        self.transform = Compose([scale])

    def __getitem__(self, index):
        return self.transform(index)
