import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self, n):
        self.rngs = []
        for i in range(n):
            self.rngs.append(np.random.RandomState(i))

    def __getitem__(self, index):
        return self.rngs[index % 2].rand()  # expect: SSF002
