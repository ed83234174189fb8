import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self, seed):
        self.seed = seed

    def _rng(self, index):
        return np.random.default_rng(self.seed + index)

    def __getitem__(self, index):
        return self._rng(index).random()
