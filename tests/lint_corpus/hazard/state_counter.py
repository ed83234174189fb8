import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self):
        self.count = 0

    def __getitem__(self, index):
        self.count += 1  # expect: SSF013
        return index
