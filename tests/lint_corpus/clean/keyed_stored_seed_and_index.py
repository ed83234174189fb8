import random

import numpy as np
from torch.utils.data import Dataset


class Crops(Dataset):
    def __init__(self, images, seed=0):
        self.images = images
        self.seed = seed
        self.epoch = 0
        self.order = np.random.default_rng(self.seed).permutation(len(images))

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __getitem__(self, index):
        rng = np.random.default_rng((self.seed, index))
        state = np.random.RandomState(self.seed + self.epoch)
        own = random.Random(f"{self.seed}/{index}")
        return self.images[self.order[index]][rng.integers(8) + state.randint(8) + own.randrange(8) :]
