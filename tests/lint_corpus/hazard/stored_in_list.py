import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self, n):
        self.rngs = [np.random.default_rng(i) for i in range(n)]

    def __getitem__(self, index):
        return self.rngs[index].normal()  # expect: SSF002
