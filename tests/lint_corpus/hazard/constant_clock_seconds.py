import numpy as np
from torch.utils.data import Dataset


import time


class Images(Dataset):
    def __getitem__(self, index):
        np.random.seed(int(time.time()))  # expect: SSF004
        return np.random.rand()
