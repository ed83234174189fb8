import numpy as np


class ReplayBuffer:
    def __init__(self, size):
        self.items = []
        self.size = size

    def __len__(self):
        return len(self.items)

    def sample(self, n):
        return [self.items[i] for i in np.random.randint(len(self.items), size=n)]
