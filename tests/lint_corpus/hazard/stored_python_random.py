import random

from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self, seed):
        self.random = random.Random(seed)

    def __getitem__(self, index):
        return self.random.choice([1, 2, 3])  # expect: SSF002
