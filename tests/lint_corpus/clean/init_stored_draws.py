import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.noise = rng.normal(size=n)

    def __getitem__(self, index):
        return self.noise[index]
