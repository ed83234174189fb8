import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, n):
        self.order = np.random.permutation(n)

    def __getitem__(self, index):
        return self.order[index]
