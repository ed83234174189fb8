import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, train):
        self.train = train

    def __getitem__(self, index):
        if not self.train:
            np.random.seed(index)
        return np.random.rand()  # expect: SSF001
