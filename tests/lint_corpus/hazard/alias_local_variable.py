import numpy as np
from torch.utils.data import Dataset


class Noise(Dataset):
    def __getitem__(self, index):
        draw = np.random.uniform
        return draw(0, 1)  # expect: SSF001
