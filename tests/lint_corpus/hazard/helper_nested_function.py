import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        def offset():
            return np.random.randint(4)  # expect: SSF001

        return index + offset()
