import numpy as np
import torch


class Shards(torch.utils.data.IterableDataset):
    def __init__(self, files):
        self.files = files

    def __iter__(self):
        order = np.random.permutation(len(self.files))  # expect: SSF001
        for i in order:
            yield from self.read(self.files[i])

    def read(self, file):
        for line in open(file):
            yield line
