import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        rng = np.random.default_rng(0)  # expect: SSF004
        return rng.random()
