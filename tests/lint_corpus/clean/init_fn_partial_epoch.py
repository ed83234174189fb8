from functools import partial

import numpy as np
from torch.utils.data import DataLoader


def worker_init_fn(worker_id, base_seed=0):
    np.random.seed(base_seed + worker_id)


def loader(dataset, seed, epoch):
    return DataLoader(
        dataset, num_workers=4, worker_init_fn=partial(worker_init_fn, base_seed=1000 * epoch + seed)
    )
