import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


class Epochs(IterableDataset):
    def __init__(self, seed):
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        info = get_worker_info()
        rng = np.random.default_rng((self.seed, self.epoch, info.id))
        for _ in range(100):
            yield rng.random()


class OfTorch(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        rng = np.random.RandomState(info.seed % 2**32)
        for _ in range(100):
            yield rng.rand()
