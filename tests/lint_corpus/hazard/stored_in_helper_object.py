import numpy as np
from torch.utils.data import Dataset


class Noise:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def add(self, value):
        return value + self.rng.normal()  # expect: SSF002


class Signals(Dataset):
    def __init__(self):
        self.noise = Noise(0)

    def __getitem__(self, index):
        return self.noise.add(index)
