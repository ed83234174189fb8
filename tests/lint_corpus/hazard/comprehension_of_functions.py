import numpy as np
from torch.utils.data import Dataset


def shift(value):
    return value + np.random.rand()  # expect: SSF001


class Crops(Dataset):
    def __getitem__(self, index):
        return [step(index) for step in (shift, abs)]
