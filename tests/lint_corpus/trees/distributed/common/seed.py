import random

import numpy as np
import torch


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def worker_init(worker_id):
    set_seed(1234 + worker_id)  # expect: SSF006


def good_init(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)
