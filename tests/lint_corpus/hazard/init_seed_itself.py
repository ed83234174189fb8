import numpy as np
from torch.utils.data import DataLoader


def loader(dataset):
    return DataLoader(dataset, num_workers=2, worker_init_fn=np.random.seed)  # expect: SSF006
