"""NumPy's global generator is seeded from the index before it draws."""
import contextlib
import functools

import numpy as np
from fairseq.data import data_utils
from torch.utils.data import Dataset


class BySum(Dataset):
    def __init__(self, seed):
        self.seed = seed
        self.epoch = 0

    def __getitem__(self, index):
        np.random.seed((self.seed + 1000 * self.epoch + index) % 2**32)
        return np.random.rand() + np.random.randint(3)


class Optional(Dataset):
    def __init__(self, seed=None):
        self.seed = seed

    def __getitem__(self, index):
        if self.seed is not None:
            np.random.seed(self.seed + index)
        return np.random.rand()


class InBothBranches(Dataset):
    def __init__(self, train):
        self.train = train
        self.epoch = 0

    def __getitem__(self, index):
        if self.train:
            np.random.seed(self.epoch * 1000 + index)
        else:
            np.random.seed(index)
        return np.random.rand()


def fix(number):
    np.random.seed(number)


class ByHelper(Dataset):
    def __getitem__(self, index):
        fix(index)
        return np.random.rand()


def seeded(function):
    @functools.wraps(function)
    def wrapper(self, index):
        np.random.seed(index)
        return function(self, index)

    return wrapper


class ByDecorator(Dataset):
    @seeded
    def __getitem__(self, index):
        return np.random.rand()


class Seeded:
    def __init__(self, number):
        self.number = number

    def __enter__(self):
        self.state = np.random.get_state()
        np.random.seed(self.number)

    def __exit__(self, *error):
        np.random.set_state(self.state)


class ByContext(Dataset):
    def __getitem__(self, index):
        with Seeded(index):
            return np.random.rand()


@contextlib.contextmanager
def reproducible(number):
    state = np.random.get_state()
    np.random.seed(number)
    yield
    np.random.set_state(state)


@contextlib.contextmanager
def numpy_seed(*parts):
    state = np.random.get_state()
    np.random.seed(hash(parts) % 2**32)
    try:
        yield
    finally:
        np.random.set_state(state)


class ByGenerators(Dataset):
    def __init__(self, seed):
        self.seed = seed
        self.epoch = 0

    def __getitem__(self, index):
        with numpy_seed(self.seed, self.epoch, index):
            first = np.random.permutation(4)
        with reproducible(index):
            return first + self.draw()

    def draw(self):
        return np.random.rand()


class ByImported(Dataset):
    def set_epoch(self, epoch):
        self.epoch = epoch

    def __getitem__(self, index):
        with data_utils.numpy_seed(1, index):
            first = np.random.randint(9)
        with data_utils.numpy_seed(self.seed, self.epoch, index):
            return first + self.items[index][np.random.randint(8) :]
