import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self, seed):
        self.rng = np.random.Generator(np.random.PCG64(seed))

    def __getitem__(self, index):
        return self.rng.random()  # expect: SSF002
