import numpy as np
from torch.utils.data import Dataset


class Noise(Dataset):
    def __getitem__(self, index):
        return getattr(np.random, "rand")(2)  # expect: SSF001
