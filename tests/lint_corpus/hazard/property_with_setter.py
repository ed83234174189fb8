"""The generator is reached through a property that has a setter too."""

import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self, signals, seed):
        self.signals = signals
        self._rng = np.random.default_rng(seed)

    @property
    def rng(self):
        return self._rng

    @rng.setter
    def rng(self, value):
        self._rng = value

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, index):
        signal = self.signals[index]
        return signal + self.rng.normal(size=signal.shape)  # expect: SSF002
