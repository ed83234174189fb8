import numpy as np
from torch.utils.data import Dataset


def twice(function):
    def wrapper(value):
        return function(function(value))

    return wrapper


@twice
def jitter(value):
    return value + np.random.rand()  # expect: SSF001


class Images(Dataset):
    def __getitem__(self, index):
        return jitter(index)
