import numpy as np
from torch.utils.data import Dataset


def make(seed):
    return np.random.default_rng(seed)


class Signals(Dataset):
    def __init__(self, seed):
        self.rng = make(seed)

    def __getitem__(self, index):
        return self.rng.random()  # expect: SSF002
