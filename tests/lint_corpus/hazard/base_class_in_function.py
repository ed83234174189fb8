import numpy as np
from torch.utils.data import Dataset


def make(n):
    class Noise(Dataset):
        def __len__(self):
            return n

        def __getitem__(self, index):
            return np.random.rand()  # expect: SSF001

    return Noise()
