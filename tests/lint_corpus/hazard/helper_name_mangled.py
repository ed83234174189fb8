import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        return self.__noise(index)

    def __noise(self, value):
        return value + np.random.rand()  # expect: SSF001
