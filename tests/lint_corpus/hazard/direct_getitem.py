import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self, signals):
        self.signals = signals

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, index):
        return self.signals[index] + np.random.normal(0, 0.1)  # expect: SSF001
