import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, n):
        self.order = np.arange(n)

    def set_epoch(self, epoch):
        self.order = np.random.default_rng(epoch).permutation(len(self.order))

    def __getitem__(self, index):
        return self.order[index]
