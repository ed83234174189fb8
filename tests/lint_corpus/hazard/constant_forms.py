"""Seeds that are the same in each read, or that follow from anything but the sample: the clock, a counter, a string's hash."""
import itertools
import random
import time
from datetime import datetime

import numpy as np
import torch
from torch.utils.data import Dataset
from torchvision.transforms import Compose

served = 0


def prepare():
    np.random.seed(123)  # expect: SSF004


class Images(Dataset):
    def __init__(self, seed):
        self.seed = seed
        self.rng = None

    def __getitem__(self, index):
        if self.rng is None:
            self.rng = np.random.default_rng(0)  # expect: SSF004
        np.random.seed(self.seed)  # expect: SSF004
        np.random.seed(0)  # expect: SSF004
        torch.manual_seed(0)  # expect: SSF004
        prepare()
        rng = np.random.Generator(np.random.PCG64(0))  # expect: SSF004
        own = np.random.default_rng(0)  # expect: SSF004
        return np.random.rand() + rng.random() + own.random() + self.rng.random() + torch.rand(3)


class Clocked(Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, index):
        random.seed(time.time())  # expect: SSF004
        np.random.seed(int(time.time()))  # expect: SSF004
        np.random.seed(int(time.time() * 1000) % 2**32)  # expect: SSF004
        np.random.seed(int(time.time() * 1e7) + index)  # expect: SSF004
        now = datetime.now()
        seed = now.microsecond
        first = np.random.default_rng(seed)  # expect: SSF004
        mixed = (time.time_ns() ^ index) % 2**32
        second = np.random.RandomState(mixed)  # expect: SSF004
        return first.random() + second.rand() + np.random.rand()


class Counted(Dataset):
    def __init__(self):
        self.count = 0
        self.numbers = itertools.count()

    def __getitem__(self, index):
        self.count = self.count + 1
        np.random.seed(self.count)  # expect: SSF004
        return np.random.rand() + self.noise()

    def noise(self):
        global served
        served += 1
        first = np.random.default_rng(served)  # expect: SSF004
        second = np.random.default_rng(next(self.numbers))  # expect: SSF004
        return first.random() + second.random()


class Kept(Dataset):
    def __init__(self, images, args, seed=0):
        self.images = images
        self.args = args
        self.seed = seed

    def __len__(self):
        return len(self.images)

    def _rng(self):
        return np.random.RandomState(self.seed)  # expect: SSF004

    def __getitem__(self, index):
        rng = np.random.default_rng(self.args.seed)  # expect: SSF004
        state = np.random.RandomState(seed=self.seed)  # expect: SSF004
        own = random.Random(self.seed)  # expect: SSF004
        right = np.random.default_rng(seed=self.seed + index), np.random.default_rng([self.seed, index])
        return rng.integers(8) + state.randint(8) + own.randrange(8) + self._rng().rand() + right[0].random()


class KeptForAnEpoch(Dataset):
    def __init__(self, items):
        self.items = items
        self.seed = 7

    def set_epoch(self, epoch):
        self.seed = 7 + epoch

    def __getitem__(self, index):
        return np.random.default_rng(self.seed).random()


class Hashed(Dataset):
    def __init__(self, paths, seed):
        self.paths = paths
        self.seed = seed

    def __getitem__(self, index):
        rng = np.random.default_rng(abs(hash(self.paths[index])))  # expect: SSF004
        np.random.seed(hash(f"{self.seed}-{index}") % 2**32)  # expect: SSF004
        return rng.random() + np.random.rand()


class Unseeded(Dataset):
    def __getitem__(self, index):
        np.random.seed()  # expect: SSF004
        return np.random.rand()  # expect: SSF001


class SameCrop(torch.nn.Module):
    def forward(self, image):
        seed = 0
        random.seed(seed)  # expect: SSF004
        np.random.seed(seed)  # expect: SSF004
        return image


class FirstSeed(Dataset):
    def __init__(self, rows):
        self.rows = rows
        self.seeds = [3, 4]

    def __getitem__(self, index):
        return self.rows[index] + np.random.default_rng(self.seeds[0]).random()  # expect: SSF004


transforms = Compose([SameCrop()])
