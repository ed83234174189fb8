import numpy as np
from torch.utils.data import Dataset


import zlib


class Signals(Dataset):
    def __init__(self, names):
        self.names = names

    def __getitem__(self, index):
        rng = np.random.default_rng(zlib.crc32(self.names[index].encode()))
        return rng.random()
