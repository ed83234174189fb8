import zlib

import numpy as np
from torch.utils.data import Dataset


class Clips(Dataset):
    def __init__(self, paths, seed):
        self.paths = paths
        self.seed = seed

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        first = np.random.default_rng(abs(hash((self.seed, index))))
        second = np.random.default_rng((self.seed, zlib.crc32(self.paths[index].encode())))
        return first.random() + second.random()
