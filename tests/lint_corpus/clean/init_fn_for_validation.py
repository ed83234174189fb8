import numpy as np


def validation_worker_init_fn(worker_id):
    np.random.seed(42)
