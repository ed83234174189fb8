import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, seed):
        self.seed = seed

    def __iter__(self):
        info = get_worker_info()
        rng = np.random.default_rng((info.id + self.seed) % 2**30)  # expect: SSF006
        for _ in range(100):
            yield rng.random()


class Global(IterableDataset):
    def __init__(self, seed):
        self.seed = seed

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        np.random.seed((info.id + self.seed) % 2**30)  # expect: SSF006
        for _ in range(100):
            yield np.random.rand()


class Either(IterableDataset):
    def __init__(self, seed):
        self.seed = seed

    def __iter__(self):
        info = get_worker_info()
        seed = self.seed if info is None else self.seed + info.id
        rng = np.random.RandomState(seed)  # expect: SSF006
        for _ in range(100):
            yield rng.rand()
