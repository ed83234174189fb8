import numpy as np
from torch.utils.data import Dataset


def jitter(value, *, source=None):
    return value + source.normal()  # expect: SSF002


class Signals(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(3)

    def __getitem__(self, index):
        return jitter(index, source=self.rng)
