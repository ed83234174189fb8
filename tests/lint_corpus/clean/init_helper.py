import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self):
        self.table = self._make()

    def _make(self):
        return np.random.rand(10)

    def __getitem__(self, index):
        return self.table[index]
