import numpy as np


def seed_worker(worker_id):
    base = np.random.get_state()[1][0]  # expect: SSF005
    np.random.seed(base + worker_id)
