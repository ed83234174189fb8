import time

import numpy as np
from torch.utils.data import DataLoader


def loader(dataset):
    return DataLoader(dataset, worker_init_fn=lambda _: np.random.seed(int(time.time())))  # expect: SSF007
