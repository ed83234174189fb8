import numpy as np
from torch.utils.data import Dataset


def jitter(value, rng=None):
    rng = rng or np.random
    return value + rng.uniform()  # expect: SSF001


class Sounds(Dataset):
    def __getitem__(self, index):
        return jitter(index)
