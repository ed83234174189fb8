import numpy as np
from torch.utils.data import IterableDataset


class Stream(IterableDataset):
    def samples(self):
        for i in range(10):
            yield i + np.random.rand()  # expect: SSF001

    def __iter__(self):
        return self.samples()
