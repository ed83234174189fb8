import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, seed):
        self.seed = seed

    def __getitem__(self, index):
        np.random.seed(self.seed)  # expect: SSF004
        return np.random.rand()
