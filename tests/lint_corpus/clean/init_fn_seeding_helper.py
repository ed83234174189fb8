import random

import numpy as np
import torch
from torch.utils.data import DataLoader


def set_all(seed):
    random.seed(seed)
    np.random.seed(seed)


def fresh(worker_id):
    seed = (torch.initial_seed() + worker_id) % 2**32
    np.random.seed(seed)


def first(worker_id):
    set_all(torch.initial_seed() % 2**32)


def second(worker_id):
    fresh(worker_id)


def loaders(dataset):
    return DataLoader(dataset, worker_init_fn=first), DataLoader(dataset, worker_init_fn=second)
