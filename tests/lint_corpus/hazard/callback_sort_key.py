import numpy as np
from torch.utils.data import Dataset


class Sounds(Dataset):
    def __getitem__(self, index):
        return sorted(range(index), key=lambda i: np.random.rand())  # expect: SSF001
