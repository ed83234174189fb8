import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __getitem__(self, index):
        np.random.seed(index)
        return np.random.rand()
