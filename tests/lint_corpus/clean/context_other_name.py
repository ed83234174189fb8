import numpy as np
from torch.utils.data import Dataset


from contextlib import contextmanager


@contextmanager
def reproducible(number):
    state = np.random.get_state()
    np.random.seed(number)
    yield
    np.random.set_state(state)


class Texts(Dataset):
    def __getitem__(self, index):
        with reproducible(index):
            return self.draw()

    def draw(self):
        return np.random.rand()
