import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def find(self, name):
        return None if name == "x" else 1

    def __getitem__(self, index):
        return self.find(str(index)) or 0
