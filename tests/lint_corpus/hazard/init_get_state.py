import numpy as np
from torch.utils.data import DataLoader


def worker_init_fn(worker_id):
    np.random.seed(np.random.get_state()[1][0] + worker_id)  # expect: SSF005


def loader(dataset):
    return DataLoader(dataset, num_workers=2, worker_init_fn=worker_init_fn)
