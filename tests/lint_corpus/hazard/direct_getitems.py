import numpy as np
from torch.utils.data import Dataset


class Batches(Dataset):
    def __getitems__(self, indices):
        return [i + np.random.rand() for i in indices]  # expect: SSF001
