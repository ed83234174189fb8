import numpy as np
from torch.utils.data import Dataset


class History(Dataset):
    def __init__(self, x):
        self.x = x
        self.angles = []

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        while len(self.angles) <= i:
            self.angles.append(np.random.uniform(-10, 10))  # expect: SSF001 SSF013
        return self.x[i], self.angles[i]
