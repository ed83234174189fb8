import numpy as np
from torch.utils.data import get_worker_info


def worker_init_fn(worker_id):
    info = get_worker_info()
    np.random.seed(info.seed % 2**32)
