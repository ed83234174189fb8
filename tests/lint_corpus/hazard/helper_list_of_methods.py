import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        for step in [self.add_noise, self.keep]:
            index = step(index)
        return index

    def keep(self, value):
        return value

    def add_noise(self, value):
        return value + np.random.rand()  # expect: SSF001
