import numpy as np


class ReplayBuffer:
    def __init__(self):
        self.items = []

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]

    def sample(self, n):
        return [self.items[i] for i in np.random.randint(len(self), size=n)]
