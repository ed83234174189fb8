import numpy as np


def worker_init_fn(worker_id):
    np.random.seed(worker_id)  # expect: SSF006
