import numpy as np
from torch.utils.data import DataLoader


class Shuffling(DataLoader):
    def __iter__(self):
        np.random.shuffle(self.dataset.files)
        return super().__iter__()
