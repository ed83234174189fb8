import numpy as np
from torch.utils.data import Dataset


from contextlib import contextmanager


@contextmanager
def numpy_seed(*parts):
    state = np.random.get_state()
    np.random.seed(hash(parts) % 2**32)
    try:
        yield
    finally:
        np.random.set_state(state)


class Texts(Dataset):
    def __init__(self, seed):
        self.seed = seed
        self.epoch = 0

    def __getitem__(self, index):
        with numpy_seed(self.seed, self.epoch, index):
            return np.random.permutation(4)
