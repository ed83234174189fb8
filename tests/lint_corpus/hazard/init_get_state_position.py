import numpy as np


def worker_init_fn(worker_id):
    np.random.seed(np.random.get_state()[2] + worker_id)  # expect: SSF005
