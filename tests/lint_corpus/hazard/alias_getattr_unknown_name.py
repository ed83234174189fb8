import numpy as np
from torch.utils.data import Dataset


class Noise(Dataset):
    def __init__(self, kind):
        self.kind = kind

    def __getitem__(self, index):
        return getattr(np.random, self.kind)(size=2)  # expect: SSF001
