import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    rng = np.random.RandomState(1)

    def __getitem__(self, index):
        return Signals.rng.rand()  # expect: SSF002
