import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self):
        self.cache = {}

    def __getitem__(self, index):
        if index not in self.cache:
            self.cache[index] = np.zeros(3)
        return self.cache[index]
