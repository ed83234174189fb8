import numpy as np
from torch.utils.data import Dataset


import functools


def noisy(function):
    @functools.wraps(function)
    def wrapper(self, index):
        return function(self, index) + np.random.rand()  # expect: SSF001

    return wrapper


class Images(Dataset):
    @noisy
    def __getitem__(self, index):
        return index
