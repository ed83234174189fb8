import os

import numpy as np


def worker_init_fn(worker_id):
    np.random.seed(int.from_bytes(os.urandom(4), "little"))
