import numpy as np
from torch.utils.data import IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        while True:
            yield np.random.rand()  # expect: SSF001
