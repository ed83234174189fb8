import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self, rng=None):
        self.rng = rng or np.random.default_rng()

    def __getitem__(self, index):
        return self.rng.normal()  # expect: SSF002
