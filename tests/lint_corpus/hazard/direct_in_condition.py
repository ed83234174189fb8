import numpy as np
from torch.utils.data import Dataset


class Flips(Dataset):
    def __getitem__(self, index):
        image = self.load(index)
        if np.random.rand() < 0.5:  # expect: SSF001
            image = image[:, ::-1]
        return image

    def load(self, index):
        return np.zeros((8, 8))
