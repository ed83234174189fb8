import contextlib

import numpy as np
from torch.utils.data import Dataset


@contextlib.contextmanager
def scope(number):
    state = np.random.get_state()
    np.random.seed(number)
    yield
    np.random.set_state(state)


class Fixed:
    def __enter__(self):
        self.state = np.random.get_state()
        np.random.seed(self.number)

    def __exit__(self, *error):
        np.random.set_state(self.state)

    def __init__(self, number):
        self.number = number


class Images(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        with scope(index):
            first = np.random.rand()
        second = np.random.rand()  # expect: SSF001
        fixed = Fixed(index)
        with fixed:
            third = np.random.rand()
        return first + second + third + np.random.rand()  # expect: SSF001
