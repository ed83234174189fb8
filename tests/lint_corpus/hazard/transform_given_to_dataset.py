import numpy as np
from torch.utils.data import Dataset


class Blur:
    def __call__(self, a):
        return a * np.random.rand()  # expect: SSF001


class Images(Dataset):
    def __init__(self, transform=None):
        self.transform = transform

    def __getitem__(self, index):
        return self.transform(index)


train = Images(transform=Blur())
