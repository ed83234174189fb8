import numpy as np
from torch.utils.data import Dataset


class Walrus(Dataset):
    def __getitem__(self, index):
        if (angle := np.random.uniform(-5, 5)) > 0:  # expect: SSF001
            return angle
        return 0.0
