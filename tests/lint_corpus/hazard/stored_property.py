import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self):
        self._generator = np.random.default_rng(0)

    @property
    def rng(self):
        return self._generator

    def __getitem__(self, index):
        return self.rng.random()  # expect: SSF002
