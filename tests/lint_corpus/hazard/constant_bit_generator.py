import numpy as np
from torch.utils.data import Dataset


class Images(Dataset):
    def __getitem__(self, index):
        rng = np.random.Generator(np.random.PCG64(0))  # expect: SSF004
        return rng.random()
