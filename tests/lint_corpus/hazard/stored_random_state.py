import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self, seed):
        self.state = np.random.RandomState(seed)

    def __getitem__(self, index):
        return self.state.permutation(4)  # expect: SSF002
