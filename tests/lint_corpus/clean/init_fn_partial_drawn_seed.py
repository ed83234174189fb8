from functools import partial

import numpy as np
import torch
from torch.utils.data import DataLoader


def worker_init(worker_id, seed):
    np.random.seed(seed + worker_id)


def batches(dataset):
    base = int(torch.randint(2**31, ()))
    yield from DataLoader(dataset, num_workers=2, worker_init_fn=partial(worker_init, seed=base))
