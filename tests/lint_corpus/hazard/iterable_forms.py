"""Streams that draw, or that seed themselves with the worker's number and a seed alone."""
import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info


class Drawing(IterableDataset):
    def __init__(self, files):
        self.files = files

    def samples(self):
        for i in range(10):
            yield i + np.random.rand()  # expect: SSF001

    def __iter__(self):
        for i in np.random.permutation(len(self.files)):  # expect: SSF001
            yield from self.read(self.files[i])
        yield from self.samples()
        while True:
            yield np.random.rand()  # expect: SSF001

    def read(self, file):
        for line in open(file):
            yield line


class Seeded(torch.utils.data.IterableDataset):
    def __init__(self, seed):
        self.seed = seed

    def __iter__(self):
        info = get_worker_info()
        number = torch.utils.data.get_worker_info().id
        seed = self.seed if info is None else self.seed + info.id
        either = np.random.RandomState(seed)  # expect: SSF006
        rng = np.random.default_rng((info.id + self.seed) % 2**30)  # expect: SSF006
        np.random.seed((number + self.seed) % 2**30)  # expect: SSF006
        for _ in range(100):
            yield rng.random() + np.random.rand() + either.rand()
