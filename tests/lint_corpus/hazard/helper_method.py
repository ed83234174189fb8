import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        return self._augment(index)

    def _augment(self, value):
        return self._shift(value)

    def _shift(self, value):
        return value + np.random.randint(3)  # expect: SSF001
