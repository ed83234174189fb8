import numpy as np
from torch.utils.data import Dataset


class Seeded:
    def __init__(self, number):
        self.number = number

    def __enter__(self):
        self.state = np.random.get_state()
        np.random.seed(self.number)

    def __exit__(self, *error):
        np.random.set_state(self.state)


class Texts(Dataset):
    def __getitem__(self, index):
        with Seeded(index):
            return np.random.rand()
