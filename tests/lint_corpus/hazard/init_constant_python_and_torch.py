import random

import torch
from torch.utils.data import DataLoader


def start(worker_id):
    random.seed(42)  # expect: SSF007
    torch.manual_seed(0)  # expect: SSF007


def loader(dataset):
    return DataLoader(dataset, worker_init_fn=start)
