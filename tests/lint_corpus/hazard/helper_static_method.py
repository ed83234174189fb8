import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        return self.crop(index)

    @staticmethod
    def crop(value):
        return value - np.random.randint(3)  # expect: SSF001
