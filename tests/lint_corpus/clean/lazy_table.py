import numpy as np
from torch.utils.data import Dataset


class Waves(Dataset):
    def __init__(self, n, seed):
        self.n = n
        self.rng = np.random.RandomState(seed)
        self._phases = None

    @property
    def phases(self):
        if self._phases is None:
            self._phases = self.rng.uniform(0, 1, self.n)
        return self._phases

    def __getitem__(self, index):
        return np.sin(self.phases[index])
