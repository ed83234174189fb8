import numpy as np
from torch.utils.data import Dataset


def blur(value):
    return value * np.random.uniform(0, 1)  # expect: SSF001


def keep(value):
    return value


class Images(Dataset):
    def __getitem__(self, index):
        return np.random.choice([blur, keep])(index)  # expect: SSF001
