from numpy.random import *
from torch.utils.data import *


class Noise(Dataset):
    def __getitem__(self, index):
        return uniform(0, 1)  # expect: SSF001
