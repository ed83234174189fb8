"""Streams that seed themselves from torch's seed, or with the epoch, or in one process alone."""
import random

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info


class OfTorch(IterableDataset):
    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        rng = np.random.default_rng(info.seed if info else 0)
        state = np.random.RandomState(info.seed % 2**32)
        for _ in range(10):
            yield rng.random() + state.rand()


class OfTorchForAll(IterableDataset):
    def __iter__(self):
        np.random.seed(torch.initial_seed() % 2**32)
        for _ in range(10):
            yield np.random.rand()


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


class OneOrder(IterableDataset):
    def __init__(self, files, seed):
        self.files, self.seed, self.epoch = files, seed, 0

    def __iter__(self):
        files = list(self.files)
        random.Random(self.seed + self.epoch).shuffle(files)
        info = get_worker_info()
        yield from files[info.id :: info.num_workers] if info else files


class Branches(IterableDataset):
    def __init__(self, seed):
        self.seed = seed

    def __iter__(self):
        info = get_worker_info()
        if info is None:
            rng = np.random.default_rng(0)
        else:
            rng = np.random.default_rng((self.seed, info.id))
        while True:
            yield rng.random()
