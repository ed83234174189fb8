import numpy as np
from torch.utils.data import Dataset


class Retries(Dataset):
    def __getitem__(self, index):
        while np.random.random() < 0.1:  # expect: SSF001
            index = index + 1
        return index
