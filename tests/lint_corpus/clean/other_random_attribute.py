import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, random):
        self.random = random

    def __getitem__(self, index):
        return index if self.random else -index
