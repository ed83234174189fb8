import numpy as np
from torch.utils.data import Dataset


class Crops(Dataset):
    def __getitem__(self, index):
        return sum(np.random.rand() for _ in range(4))  # expect: SSF001
