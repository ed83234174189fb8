import numpy as np
from torch.utils.data import Dataset


class Ring:
    def choice(self, n):
        return n % 3


class Images(Dataset):
    def __init__(self):
        self.ring = Ring()

    def __getitem__(self, index):
        return self.ring.choice(index)
