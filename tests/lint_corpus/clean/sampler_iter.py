import numpy as np
from torch.utils.data import Sampler


class Balanced(Sampler):
    def __init__(self, labels):
        self.labels = labels

    def __iter__(self):
        return iter(np.random.permutation(len(self.labels)))

    def __len__(self):
        return len(self.labels)
