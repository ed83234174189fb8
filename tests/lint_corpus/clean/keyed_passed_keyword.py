import numpy as np
from torch.utils.data import Dataset


def jitter(value, rng=None):
    rng = rng or np.random
    return value + rng.normal()


class Signals(Dataset):
    def __getitem__(self, index):
        return jitter(index, rng=np.random.default_rng(index))
