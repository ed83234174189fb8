import numpy as np
from torch.utils.data import DataLoader


def loader(dataset, seed):
    def init(worker_id):
        np.random.seed(seed + worker_id)  # expect: SSF006

    return DataLoader(dataset, num_workers=2, worker_init_fn=init)
