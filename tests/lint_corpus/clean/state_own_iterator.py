import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        return index

    def __iter__(self):
        self.position = 0
        return self

    def __next__(self):
        self.position += 1
        return self.position
