"""A generator that is kept between reads, wherever it is kept and however it is reached."""
import copy
import functools
import random
from dataclasses import dataclass, field

import numpy as np
import torch
from sklearn.utils import check_random_state, shuffle
from torch.utils.data import Dataset, IterableDataset

RNG = np.random.default_rng(7)


def made(seed):
    return np.random.default_rng(seed)


def jitter(value, generator):
    return value + generator.normal()  # expect: SSF002


def by_keyword(value, *, source=None):
    return value + source.normal()  # expect: SSF002


def by_default(value, rng=np.random.default_rng(5)):
    return value + rng.normal()  # expect: SSF002


class Noise:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def add(self, value):
        return value + self.rng.normal()  # expect: SSF002


class Base(Dataset):
    def __init__(self):
        self._inherited = np.random.default_rng(3)


class Signals(Base):
    of_class = np.random.RandomState(1)

    def __init__(self, seed, annotated: np.random.Generator, handed, rng=None):
        super().__init__()
        self.seeded = np.random.default_rng(0)
        self.unseeded = np.random.default_rng()
        self.state = np.random.RandomState(seed)
        self.python = random.Random(seed)
        self.bits = np.random.Generator(np.random.PCG64(seed))
        self.sklearn = check_random_state(seed)
        self.torch = torch.Generator()
        self.torch.manual_seed(0)
        self.chained = torch.Generator().manual_seed(seed)
        self.annotated = annotated
        self.handed = handed
        self.named = rng or np.random.default_rng()
        self.made = made(seed)
        self.listed = [np.random.default_rng(i) for i in range(2)]
        self.appended = []
        for i in range(2):
            self.appended.append(np.random.RandomState(i))
        self.by_name = {"crop": np.random.default_rng(0), "flip": np.random.default_rng(1)}
        self.partial = functools.partial(np.random.default_rng(0).normal, 0, 1)
        self.bound = self.seeded.normal
        self.noise = Noise(0)
        self._hidden = np.random.default_rng(0)
        self.of_epoch = None

    @property
    def hidden(self):
        return self._hidden

    def set_epoch(self, epoch):
        self.of_epoch = np.random.default_rng(epoch)

    def __getitem__(self, index):
        local = self.seeded
        copied = copy.deepcopy(self.seeded)
        return [
            self.seeded.normal(),  # expect: SSF002
            self.unseeded.integers(10),  # expect: SSF002
            self.state.permutation(4),  # expect: SSF002
            self.python.choice([1, 2, 3]),  # expect: SSF002
            self.bits.random(),  # expect: SSF002
            self.sklearn.uniform(),  # expect: SSF002
            torch.rand(3, generator=self.torch),  # expect: SSF002
            torch.randint(10, (3,), generator=self.chained),  # expect: SSF002
            self.annotated.normal(),  # expect: SSF002
            self.handed.normal(),  # expect: SSF002
            self.named.normal(),  # expect: SSF002
            self.made.random(),  # expect: SSF002
            self.listed[index].normal(),  # expect: SSF002
            self.appended[index % 2].rand(),  # expect: SSF002
            self.by_name["crop"].normal(),  # expect: SSF002
            self.partial(),  # expect: SSF002
            self.bound(),  # expect: SSF002
            self.hidden.random(),  # expect: SSF002
            self.of_epoch.random(),  # expect: SSF002
            self._inherited.random(),  # expect: SSF002
            self.of_class.rand(),  # expect: SSF002
            Signals.of_class.rand(),  # expect: SSF002
            RNG.random(),  # expect: SSF002
            copied.random(),  # expect: SSF002
            [local.random() for _ in range(3)],  # expect: SSF002
            shuffle([1, 2, 3], random_state=self.state),  # expect: SSF002
            self.noise.add(jitter(by_keyword(by_default(index), source=self.seeded), self.seeded)),
        ]


signals = Signals(1, RNG, np.random.default_rng(1))


@dataclass
class Fields(Dataset):
    rng: np.random.Generator = field(default_factory=np.random.default_rng)

    def __getitem__(self, index):
        return self.rng.random()  # expect: SSF002


class Stream(IterableDataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __iter__(self):
        for i in range(10):
            yield i + self.rng.random()  # expect: SSF002


def scaled(scale):
    rng = np.random.default_rng(0)

    class Scaled(Dataset):
        def __getitem__(self, index):
            return scale * rng.random()  # expect: SSF002

    return Scaled()
