import numpy as np


class BatchLoader:
    def __init__(self, x, size):
        self.x, self.size = x, size

    def __iter__(self):
        order = np.random.permutation(len(self.x))
        for start in range(0, len(order), self.size):
            yield self.x[order[start : start + self.size]]
