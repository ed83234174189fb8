import numpy as np
from torch.utils.data import Dataset


import torch


class Images(Dataset):
    def __init__(self):
        self.rng = None

    def __getitem__(self, index):
        if self.rng is None:
            self.rng = np.random.default_rng(torch.initial_seed())
        return self.rng.random()
