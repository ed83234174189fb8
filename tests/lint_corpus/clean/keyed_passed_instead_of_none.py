import numpy as np
from torch.utils.data import Dataset


def jitter(value, rng=None):
    if rng is None:
        rng = np.random.default_rng(0)
    return value + rng.normal()


class Signals(Dataset):
    def __getitem__(self, index):
        return jitter(index, np.random.default_rng(index))
