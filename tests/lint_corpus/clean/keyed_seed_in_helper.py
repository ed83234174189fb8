import numpy as np
from torch.utils.data import Dataset


def fix(number):
    np.random.seed(number)


class Signals(Dataset):
    def __getitem__(self, index):
        fix(index)
        return np.random.rand()
