import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        if self.reproducible:
            np.random.seed(index)
        return np.random.rand()  # expect: SSF001
