import random

import torch
from torch.utils.data import DataLoader


def first(worker):
    random.seed(42 + worker)  # expect: SSF006


def second(worker):
    torch.manual_seed(42 + worker)  # expect: SSF006


def loaders(dataset):
    return DataLoader(dataset, worker_init_fn=first), DataLoader(dataset, worker_init_fn=second)
