import numpy as np
from torch.utils.data import Sampler


class Shuffled(Sampler):
    def __init__(self, n, seed):
        self.n, self.seed, self.epoch = n, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        return iter(np.random.default_rng((self.seed, self.epoch)).permutation(self.n))
