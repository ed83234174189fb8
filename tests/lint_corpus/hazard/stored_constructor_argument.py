import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self, source):
        self.source = source

    def __getitem__(self, index):
        return self.source.normal()  # expect: SSF002


signals = Signals(np.random.default_rng(1))
