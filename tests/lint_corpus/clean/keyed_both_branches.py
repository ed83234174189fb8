import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, train):
        self.train = train
        self.epoch = 0

    def __getitem__(self, index):
        if self.train:
            np.random.seed(self.epoch * 1000 + index)
        else:
            np.random.seed(index)
        return np.random.rand()
