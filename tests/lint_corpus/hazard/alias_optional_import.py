try:
    import numpy as np
except ImportError:
    np = None
from torch.utils.data import Dataset


class Noise(Dataset):
    def __getitem__(self, index):
        return np.random.rand()  # expect: SSF001
