"""Functions that seed NumPy in a worker alike in every worker or in every epoch, in each form in which a loader gets one."""
import random
import time
from functools import partial

import numpy as np
import torch
from torch.utils.data import DataLoader


def from_state(worker_id):
    np.random.seed(np.random.get_state()[1][0] + worker_id)  # expect: SSF005


def constant(worker_id):
    random.seed(42)  # expect: SSF007
    torch.manual_seed(0)  # expect: SSF007


def of_python(worker):
    random.seed(42 + worker)  # expect: SSF006


def of_torch(worker):
    torch.manual_seed(42 + worker)  # expect: SSF006


def with_seed(worker_id, seed):
    value = seed * 1000 + worker_id
    np.random.seed(value)  # expect: SSF006


def with_rank(worker_id, num_workers, rank, seed):
    worker_seed = num_workers * rank + worker_id + seed
    np.random.seed(worker_seed)  # expect: SSF006


def plain(dataset, args, opt, seed, rank):
    def closure(worker_id):
        np.random.seed(seed + worker_id)  # expect: SSF006

    def of_options(number):
        np.random.seed(opt.seed + number)  # expect: SSF006

    start = partial(with_rank, num_workers=2, rank=rank, seed=seed) if seed is not None else None
    return [
        DataLoader(dataset, num_workers=2, worker_init_fn=from_state),
        DataLoader(dataset, worker_init_fn=lambda i: np.random.seed(np.random.get_state()[1][0] + i)),  # expect: SSF005
        DataLoader(dataset, worker_init_fn=lambda _: np.random.seed(int(time.time()))),  # expect: SSF007
        DataLoader(dataset, worker_init_fn=lambda number: np.random.seed(args.seed + number)),  # expect: SSF006
        DataLoader(dataset, worker_init_fn=np.random.seed),  # expect: SSF006
        DataLoader(dataset, worker_init_fn=constant),
        DataLoader(dataset, worker_init_fn=of_python),
        DataLoader(dataset, worker_init_fn=of_torch),
        DataLoader(dataset, worker_init_fn=partial(with_seed, seed=3)),
        DataLoader(dataset, worker_init_fn=start),
        DataLoader(dataset, worker_init_fn=closure),
        DataLoader(dataset, worker_init_fn=of_options),
    ]


class Trainer:
    def __init__(self, seed):
        self.seed = seed

    @staticmethod
    def static(worker_id):
        np.random.seed(np.random.get_state()[1][0] + worker_id)  # expect: SSF005

    def fixed(self, worker_id):
        np.random.seed(self.seed)  # expect: SSF007

    def repeating(self, worker_id):
        np.random.seed(self.seed + worker_id)  # expect: SSF006
        random.seed(self.seed + worker_id)  # expect: SSF006
        torch.manual_seed(self.seed + worker_id)  # expect: SSF006

    def loaders(self, dataset):
        yield DataLoader(dataset, worker_init_fn=self.static)
        yield DataLoader(dataset, worker_init_fn=self.fixed)
        yield DataLoader(dataset, worker_init_fn=self.repeating)
        yield DataLoader(dataset, worker_init_fn=lambda w: np.random.seed(self.seed + w))  # expect: SSF006
