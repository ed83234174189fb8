import numpy as np
from torch.utils.data import Dataset


class Signals(Dataset):
    def __init__(self):
        self.bits = np.random.PCG64(0)
        self.rng = np.random.Generator(self.bits)
        self.states = [np.random.PCG64(i).state for i in range(10)]

    def __getitem__(self, index):
        self.bits.state = self.states[index]
        return self.rng.random()
