import numpy as np
from torch.utils.data import Dataset


def jitter(value):
    return value * np.random.uniform(0.9, 1.1)  # expect: SSF001


class Images(Dataset):
    def __getitem__(self, index):
        return jitter(index)
