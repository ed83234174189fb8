import numpy as np
from torch.utils.data import Dataset


class Lengths(Dataset):
    def __getitem__(self, index):
        return np.random.rand(np.random.randint(1, 9))  # expect: SSF001 SSF001
