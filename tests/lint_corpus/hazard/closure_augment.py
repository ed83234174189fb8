import numpy as np
from torch.utils.data import Dataset


def make_augment(most):
    def augment(value):
        return value + np.random.randint(most)  # expect: SSF001

    return augment


class Images(Dataset):
    def __init__(self):
        self.augment = make_augment(4)

    def __getitem__(self, index):
        return self.augment(index)
