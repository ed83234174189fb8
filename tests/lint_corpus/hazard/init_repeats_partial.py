from functools import partial

import numpy as np
from torch.utils.data import DataLoader


def init(worker_id, seed):
    value = seed * 1000 + worker_id
    np.random.seed(value)  # expect: SSF006


def loader(dataset):
    return DataLoader(dataset, num_workers=2, worker_init_fn=partial(init, seed=3))
