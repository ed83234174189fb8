from functools import partial

import numpy as np
from torch.utils.data import DataLoader


def init(worker_id, num_workers, rank, seed):
    worker_seed = num_workers * rank + worker_id + seed
    np.random.seed(worker_seed)  # expect: SSF006


def loader(dataset, rank, seed):
    start = partial(init, num_workers=2, rank=rank, seed=seed) if seed is not None else None
    return DataLoader(dataset, num_workers=2, worker_init_fn=start)
