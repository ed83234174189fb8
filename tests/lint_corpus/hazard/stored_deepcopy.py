import numpy as np
from torch.utils.data import Dataset


import copy


class Signals(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __getitem__(self, index):
        rng = copy.deepcopy(self.rng)
        return rng.random()  # expect: SSF002
