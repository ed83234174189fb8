import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self):
        self.rngs = {"crop": np.random.default_rng(0), "flip": np.random.default_rng(1)}

    def __getitem__(self, index):
        return self.rngs["crop"].normal()  # expect: SSF002
