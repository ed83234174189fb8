import numpy as np
from torch.utils.data import Sampler


class Shuffled(Sampler):
    def __init__(self, n, seed):
        self.n = n
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        return iter(np.random.default_rng(self.seed).permutation(self.n))  # expect: SSF009
