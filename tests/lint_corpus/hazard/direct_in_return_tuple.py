import numpy as np
from torch.utils.data import Dataset


class Pairs(Dataset):
    def __getitem__(self, index):
        return index, np.random.permutation(4)  # expect: SSF001
