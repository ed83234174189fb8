import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    @property
    def angle(self):
        return np.random.uniform(-10, 10)  # expect: SSF001

    def __getitem__(self, index):
        return index, self.angle
