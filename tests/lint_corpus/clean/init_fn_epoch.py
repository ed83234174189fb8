import numpy as np
from torch.utils.data import DataLoader


def loader(dataset, seed, epoch):
    def init(worker_id):
        np.random.seed(seed + 1000 * epoch + worker_id)

    return DataLoader(dataset, num_workers=2, worker_init_fn=init)
