import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.order = self.rng.permutation(10)

    def __getitem__(self, index):
        return self.order[index]
