import numpy as np
from torch.utils.data import Dataset


class Sounds(Dataset):
    def __getitem__(self, index):
        return np.apply_along_axis(np.random.permutation, 0, np.eye(3))  # expect: SSF001
