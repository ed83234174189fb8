import random

import numpy as np
from torch.utils.data import Dataset


class Crops(Dataset):
    def __init__(self, images, seed=0):
        self.images = images
        self.seed = seed

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        rng = np.random.default_rng(self.seed)  # expect: SSF004
        state = np.random.RandomState(seed=self.seed)  # expect: SSF004
        own = random.Random(self.seed)  # expect: SSF004
        return self.images[index][rng.integers(8) + state.randint(8) + own.randrange(8) :]
