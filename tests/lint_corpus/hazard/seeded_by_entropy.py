import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        np.random.seed()  # expect: SSF004
        return np.random.rand()  # expect: SSF001
