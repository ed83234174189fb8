import numpy as np
import torch
from torch.utils.data import DataLoader


def worker_init_fn(*_):
    np.random.seed(torch.initial_seed() % 2**32)


def worker_seed():
    return torch.initial_seed() % 2**32


def loader(dataset):
    return DataLoader(dataset, worker_init_fn=worker_init_fn)
