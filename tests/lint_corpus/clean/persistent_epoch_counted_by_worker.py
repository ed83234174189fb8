import numpy as np
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, samples, seed):
        self.samples, self.seed, self.epoch = samples, seed, 0

    def next_epoch(self):
        self.epoch += 1

    def __iter__(self):
        rng = np.random.default_rng((self.seed, self.epoch, get_worker_info().id))
        yield from rng.permutation(self.samples)
        self.next_epoch()


def loader(samples):
    return DataLoader(Stream(samples, 7), num_workers=4, persistent_workers=True)
