import numpy as np
from torch.utils.data import Dataset


import functools


class Signals(Dataset):
    def __init__(self):
        self.draw = functools.partial(np.random.default_rng(0).normal, 0, 1)

    def __getitem__(self, index):
        return self.draw()  # expect: SSF002
