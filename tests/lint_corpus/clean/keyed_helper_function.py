import numpy as np
from torch.utils.data import Dataset


def generator(index):
    return np.random.default_rng((11, index))


class Signals(Dataset):
    def __getitem__(self, index):
        rng = generator(index)
        return rng.random()
