import numpy as np

from .base import BaseDataset


class Signals(BaseDataset):
    def __getitem__(self, index):
        return np.random.rand()  # expect: SSF001
