import numpy as np
from torch.utils.data import IterableDataset


class Stream(IterableDataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __iter__(self):
        for i in range(10):
            yield i + self.rng.random()  # expect: SSF002
