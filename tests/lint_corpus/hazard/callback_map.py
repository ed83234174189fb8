import numpy as np
from torch.utils.data import Dataset


class Sounds(Dataset):
    def gain(self, value):
        return value * np.random.rand()  # expect: SSF001

    def __getitem__(self, index):
        return list(map(self.gain, range(index)))
