import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        return Images.offset() + index

    @classmethod
    def offset(cls):
        return np.random.randint(3)  # expect: SSF001
