import time

import numpy as np
from torch.utils.data import Dataset


class Clips(Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, idx):
        np.random.seed(int(time.time() * 1e7) + idx)  # expect: SSF004
        return np.random.rand()


class Frames(Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, idx):
        seed = (time.time_ns() ^ idx) % 2**32
        rng = np.random.RandomState(seed)  # expect: SSF004
        return rng.rand()
