import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __getitem__(self, index):
        rng = np.random.default_rng([7, index])
        return rng.integers(10)
