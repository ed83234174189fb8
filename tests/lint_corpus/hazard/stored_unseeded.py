import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng()

    def __getitem__(self, index):
        return self.rng.integers(10)  # expect: SSF002
