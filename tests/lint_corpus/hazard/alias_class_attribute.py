import numpy as np
from torch.utils.data import Dataset


class Noise(Dataset):
    rng = np.random

    def __getitem__(self, index):
        return self.rng.rand()  # expect: SSF001
