"""Seeds that follow from the sample: hashes of numbers and names, tables of seeds, children of one seed."""

import zlib

import numpy as np
from torch.utils.data import Dataset


class Clips(Dataset):
    def __init__(self, paths, seed):
        self.paths = paths
        self.seed = seed
        first = np.random.default_rng(seed)
        self.seeds = [int(first.integers(2**31)) for _ in paths]
        self.children = np.random.SeedSequence(seed).spawn(len(paths))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        first = np.random.default_rng(abs(hash((self.seed, index))))
        second = np.random.default_rng((self.seed, zlib.crc32(self.paths[index].encode())))
        third = np.random.default_rng(self.seeds[index])
        fourth = np.random.default_rng(self.children[index])
        task = np.random.default_rng((self.seed, index)).integers(9)
        fifth = np.random.default_rng(self.seeds[task])
        return first.random() + second.random() + third.random() + fourth.random() + fifth.random()
