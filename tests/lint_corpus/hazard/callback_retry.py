import numpy as np
from torch.utils.data import Dataset


def retry(function, value):
    for _ in range(3):
        try:
            return function(value)
        except OSError:
            continue


class Sounds(Dataset):
    def __getitem__(self, index):
        return retry(self.load, index)

    def load(self, index):
        return index + np.random.rand()  # expect: SSF001
