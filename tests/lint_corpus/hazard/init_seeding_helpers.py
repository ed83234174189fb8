import random

import numpy as np
import torch
from torch.utils.data import DataLoader
from transformers import set_seed


def set_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def first(worker_id):
    set_seed(42)  # expect: SSF007


def second(worker_id):
    set_all(42 + worker_id)  # expect: SSF006


def third(worker_id):
    torch.manual_seed(42)  # expect: SSF007
    np.random.seed(42)  # expect: SSF007


def fourth(worker_id):
    torch.manual_seed(torch.initial_seed())
    np.random.seed(worker_id)  # expect: SSF006


def loaders(dataset):
    return [
        DataLoader(dataset, worker_init_fn=first),
        DataLoader(dataset, worker_init_fn=second),
        DataLoader(dataset, worker_init_fn=third),
        DataLoader(dataset, worker_init_fn=fourth),
        DataLoader(dataset, worker_init_fn=set_seed),  # expect: SSF006
    ]
