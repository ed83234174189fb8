from numpy import random
from torch.utils.data import Dataset


class Noise(Dataset):
    def __getitem__(self, index):
        return random.rand()  # expect: SSF001
