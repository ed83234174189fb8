import numpy as np
from torch.utils.data import Dataset


class Clips(Dataset):
    def __init__(self, paths, seed):
        self.paths = paths
        self.seed = seed

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        path = self.paths[index]
        rng = np.random.default_rng(abs(hash(path)))  # expect: SSF004
        np.random.seed(hash(f"{self.seed}-{index}") % 2**32)  # expect: SSF004
        return rng.random() + np.random.rand()
