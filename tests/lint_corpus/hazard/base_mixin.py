import numpy as np
from torch.utils.data import Dataset


class NoiseMixin:
    def noise(self):
        return np.random.randn(2)  # expect: SSF001


class Signals(NoiseMixin, Dataset):
    def __getitem__(self, index):
        return self.noise() + index
