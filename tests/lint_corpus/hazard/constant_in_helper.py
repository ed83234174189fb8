import numpy as np
from torch.utils.data import Dataset


def prepare():
    np.random.seed(123)  # expect: SSF004


class Images(Dataset):
    def __getitem__(self, index):
        prepare()
        return np.random.rand()
