import random

from torch.utils.data import Dataset


class Signals(Dataset):
    def __getitem__(self, index):
        rng = random.Random(index)
        return rng.choice([1, 2, 3])
