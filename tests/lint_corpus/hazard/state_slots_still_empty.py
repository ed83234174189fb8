import numpy as np
from torch.utils.data import Dataset


class Simulated(Dataset):
    def __init__(self, simulate, size, renew):
        self.simulate = simulate
        self.renew = renew
        self.kept = [None for _ in range(size)]

    def __getitem__(self, index):
        if self.is_old(index):
            self.kept[index] = self.simulate(index)
        return self.kept[index]

    def is_old(self, index):
        if self.kept[index] is None:
            return True
        return np.random.rand() < self.renew  # expect: SSF001
