import numpy as np
from torch.utils.data import Dataset


from sklearn.utils import shuffle


class Signals(Dataset):
    def __init__(self):
        self.rng = np.random.RandomState(0)

    def __getitem__(self, index):
        return shuffle([1, 2, 3], random_state=self.rng)  # expect: SSF002
